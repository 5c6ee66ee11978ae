// infra/docs/first-payout.md as a new user follows it, word for word: each block goes through a plain shell in a directory
// like a fresh clone, against a gateway that shares no code with the worker. Only the reader's own four values are put in,
// and what was installed already is not installed again.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { startGatewaySimulator } from '../../lib/local/gateway/simulator.ts';
import { pageOf } from '../docs/pages.ts';
import { aDirectory } from './support/files.ts';

const root = join(import.meta.dirname, '../..');
const { text } = pageOf('infra/docs/first-payout.md');
const blocks = [...text.matchAll(/^```(sh|)\n([\s\S]*?)^```$/gm)].map(([, language, block = '']) => ({
  language,
  block,
}));
const directory = aDirectory();

it('a clone, ten minutes, one page: the first payout of one’s own', async () => {
  // given a clone with what npm ci installs, and a sandbox somewhere
  for (const name of ['package.json', 'node_modules', 'lib', 'functions'])
    await symlink(join(root, name), join(directory.path(), name));
  const own = { LOGIN: 'nobodys-login', CONTROL_KEY: 'FAKE control-key &=+%~ключ', ENDPOINT: '40217' };
  const gateway = await startGatewaySimulator({ merchants: [{ login: own.LOGIN, controlKey: own.CONTROL_KEY }] });
  onTestFinished(gateway.close);
  const values: Readonly<Record<string, string>> = { ...own, GATEWAY: gateway.url };

  // when every block is run as it is
  const commands = blocks.filter(({ language, block }) => language === 'sh' && block !== 'npm ci\n');
  expect(commands).toHaveLength(5);
  const script = commands
    .map(({ block }) => block.replace(/^export (\w+)=.*$/gm, (_, name: string) => `export ${name}='${values[name]}'`))
    .join('');
  const startedMs = Date.now();
  const { code, stdout, stderr } = await shell(script);

  // then it ends as the page says, in far less than ten minutes, and the gateway has one order
  // npm has words of its own about the machine's settings.
  expect({ code, stderr: stderr.replaceAll(/^npm .*\n/gm, '') }).toEqual({ code: 0, stderr: '' });
  expect(Date.now() - startedMs).toBeLessThan(120_000);
  const said = stdout.split('\n');
  const quoted = blocks.find(({ language }) => language === '')?.block.split('\n') ?? [];
  expect(quoted.length).toBeGreaterThan(3);
  expect(quoted.filter((line) => !said.includes(line))).toEqual([]);
  expect(gateway.orders()).toMatchObject([
    { operation: 'payout', clientOrderId: expect.stringMatching(/^FIRST-\d+$/), amount: '10.42', currency: 'EUR' },
  ]);
  expect(gateway.refusals()).toEqual([]);
  const result: unknown = JSON.parse(await readFile(join(directory.path(), '.local/results.jsonl'), 'utf8'));
  expect(result).toMatchObject({ status: 'accepted', payoutId: '9000001', context: { note: 'thanks 🙂' } });
});

async function shell(script: string): Promise<{ code: number; stdout: string; stderr: string }> {
  const { PATH = '', HOME = '' } = process.env;
  const child = spawn('sh', ['-ec', script], {
    cwd: directory.path(),
    env: { PATH, HOME },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let [stdout, stderr] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => (stdout += chunk));
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => (stderr += chunk));
  const [code] = (await once(child, 'close')) as [number];
  return { code, stdout, stderr };
}
