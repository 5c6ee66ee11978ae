// "A payday, from the file to the books": the example of infra/docs/bulk-files.md, read out of the page and run as it
// stands there, with the real worker and the gateway simulator.
import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { SQSClient } from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type EmbeddedAws, startEmbeddedAws } from '../../lib/local/embedded-aws.ts';
import { clientConfigOf, workerEnvironment } from '../../lib/local/local-environment.ts';
import { startLocalGateway } from '../../lib/local/local-gateway.ts';
import { localWorkerLimits } from '../../lib/local/local-limits.ts';
import { queueDepth } from '../../lib/local/queue-reader.ts';
import { sampleSecrets, workerSecret } from '../../lib/local/sample-merchants.ts';
import { startWorkerProcess, type WorkerProcess } from '../../lib/local/worker-process.ts';
import { type CliEnd, runCli } from './support/cli.ts';
import { aDirectory } from './support/files.ts';

const directory = aDirectory();
const section =
  readFileSync('infra/docs/bulk-files.md', 'utf8').split('## A payday, from the file to the books')[1] ?? '';
const fence = (language: string) => new RegExp(`\`\`\`${language}\n([\\s\\S]*?)\`\`\``).exec(section)?.[1] ?? '';

/** The arguments of a line as a shell would take them. */
const wordsOf = (line: string) =>
  [...line.replace(/\s#.*$/, '').matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, bare]) => quoted ?? bare ?? '');
const commands = fence('sh')
  .trim()
  .split('\n')
  .map((line) => wordsOf(line).slice(2));

let aws: EmbeddedAws;
let gateway: Awaited<ReturnType<typeof startLocalGateway>>;
let worker: WorkerProcess;
let sqs: SQSClient;
let environment: Record<string, string>;

beforeAll(async () => {
  aws = await startEmbeddedAws({ maxReceiveCount: localWorkerLimits.maxReceiveCount });
  const closedUrl = 'http://127.0.0.1:9';
  gateway = await startLocalGateway('none', (gatewayUrl) => sampleSecrets({ gatewayUrl, closedUrl }));
  for (const [name, secret] of Object.entries(gateway.secrets)) aws.secrets.put(`payouts/${name}`, secret);
  aws.secrets.put('payouts/_worker', workerSecret());
  environment = workerEnvironment(aws, localWorkerLimits.environment);
  sqs = new SQSClient(clientConfigOf(aws, 'SQS'));
  worker = startWorkerProcess(environment, { logFile: join(directory.path(), 'worker.log') });
});
afterAll(async () => {
  await worker.stop();
  sqs.destroy();
  await gateway.simulator.close();
  await aws.close();
});

/** The days of the walk itself: the page names those of its example. */
const today = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);
const onTheseDays = (args: readonly string[]) =>
  args.map((it, place) => (args[place - 1] === '--from' ? today(-1) : args[place - 1] === '--to' ? today(1) : it));

it('is submitted, doubted, released, closed, reported and reconciled', async () => {
  // given the file of the page
  await directory.file('payday.csv', fence('csv'));
  const ends = new Map<string, CliEnd>();

  // when each command is run as it stands there
  for (const args of commands) {
    const [name = '', , option = ''] = args;
    const end = await runCli(onTheseDays(args), { env: environment, cwd: directory.path() });
    ends.set(option === '--close' ? 'close' : name, end);
    if (name === 'submit') while ((await queueDepth(sqs, aws.queueUrls.batchJobs)) > 0) await sleep(100);
  }

  // then every row was sent once, and the one whose answer was lost is held
  expect(ends.get('submit')).toMatchObject({ code: 0, stdout: expect.stringContaining('all 3 rows') });
  expect(ends.get('batch')?.stdout).toMatch(/held/);
  expect(ends.get('hold')?.stdout).toContain('acme-eu/PAY-2.stall-after');
  expect(ends.get('order')?.stdout).toContain('NO_ANSWER');
  expect(gateway.simulator.orders()).toHaveLength(3);

  // and after a person's word the batch closes, and the three books agree
  expect(ends.get('release')).toMatchObject({ code: 0 });
  expect(ends.get('close')).toMatchObject({ code: 0 });
  const report = await readFile(join(directory.path(), 'payday-report.csv'), 'utf8');
  expect(report).toContain('PAY-2.stall-after');
  expect(ends.get('report')).toMatchObject({ code: 0 });
  expect(ends.get('export')).toMatchObject({ code: 0 });
  expect(ends.get('results')?.stdout).toMatch(/^[4-9] results taken into results\.jsonl\n$/);
  expect(ends.get('gateway-report')).toMatchObject({ code: 0, stdout: 'gateway.csv: 3 lines as CSV\n' });
  expect(ends.get('reconcile')).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('every order is the same in all three'),
  });
});

it('runs every command that the page has there', () => {
  expect(commands.map(([name]) => name)).toEqual(
    'submit batch hold order release batch report results gateway-report export reconcile'.split(' '),
  );
});
