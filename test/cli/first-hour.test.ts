// The first hour of somebody new: every mistake that was seen made, made again with the real command. Each is told at once,
// with the name of what is wrong and the remedy, and leaves nothing behind.
import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import type { PaymentsVerdict } from '../../lib/operate/verdict.ts';
import { aPayoutJob } from '../support/jobs.ts';
import { longIt } from '../support/long-proof.ts';
import { runCli, startCli } from './support/cli.ts';
import { anAws } from './support/aws.ts';
import { aDirectory } from './support/files.ts';
import { northwind, ownGateways } from './support/own-gateways.ts';
import { merchantSecrets } from '../support/merchant-secrets.ts';

const directory = aDirectory();
const queue = anAws();
const command = join(import.meta.dirname, '../../lib/cli/payouts.js');
const gateway = ownGateways();

const hmac = { signatureMethod: { payout: 'HMAC-SHA1' } };

const jobsFile = (name: string, count: number) =>
  directory.file(
    name,
    Array.from({ length: count }, (_, at) =>
      JSON.stringify(aPayoutJob({ merchant: 'northwind', orderId: `${name}-${at + 1}` })),
    ).join('\n'),
  );

longIt(
  'a lane that refusals have closed: its code, accountCodes and the command, as soon as nothing goes on',
  async () => {
    // given a gateway that refuses each order with one code, and more orders than close the lane
    const url = await gateway('refuses every order');
    const secrets = await directory.file(
      'refused.json',
      JSON.stringify({ northwind: merchantSecrets({ ...northwind, profile: hmac }) }),
    );
    const jobs = await jobsFile('refused.jsonl', 60);
    const results = join(directory.path(), 'refused', 'results.jsonl');
    const startedMs = Date.now();

    // when they are run, with all the patience in the world
    const args = ['local', jobs, '--gateway-url', url, '--secrets', secrets, '--results', results, '--wait', '600'];
    const [told, text] = await Promise.all([
      runCli([...args, '--json']),
      runCli(args.map((it) => (it === results ? join(directory.path(), 'refused-too', 'results.jsonl') : it))),
    ]);

    // then the run ends by itself, and says what blocks those that were not sent
    expect(Date.now() - startedMs).toBeLessThan(75_000);
    const verdict = JSON.parse(told.stdout) as PaymentsVerdict;
    expect(verdict.reasons.map(({ code }) => code)).toContain('LANE_CLOSED');
    expect(text.code).toBe(1);
    expect(text.stdout).toContain('the lane northwind at ');
    expect(text.stdout).toContain('If code 8 is about the account (funds, contract), add it to "accountCodes"');
    expect(text.stdout).toContain('`node . resume northwind`');
  },
);

describe('a disk that is full', () => {
  longIt('is named with its file, is not AWS’s fault, and what was there before stays', async () => {
    // given an older file, and a process that may write no byte more
    const older = await directory.file('older.jsonl', 'what was there before\n');
    const commands = [
      ['reconcile', '--journal', older],
      ['reconcile', '--journal', '/dev/full'],
    ];

    // when it is written to
    const before = await readdir(directory.path());
    const [cut, ...full] = await Promise.all(commands.map((args, at) => runLimited(args, queue.env(), at === 0)));

    // then
    expect(cut).toMatchObject({ code: 1, stderr: expect.stringContaining(`payouts: could not write ${older}: `) });
    expect(await readFile(older, 'utf8')).toBe('what was there before\n');
    expect(await readdir(directory.path())).toEqual(before);
    for (const { code, stderr } of full) {
      expect(code).toBe(1);
      expect(stderr).toContain('could not write /dev/full: the disk is full; free space and run the command again\n');
      expect(stderr).not.toMatch(/AWS|\n {4}at /);
    }
  });

  it('under the standard output: the same, and no stack', async () => {
    const { code, stderr } = await shell('"$NODE" "$PAYOUTS" --help > /dev/full', {});
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: 'payouts: could not write the output: the disk is full; free space and run the command again\n',
    });
  });
});

longIt('SIGTERM to a run ends its worker too, and says what became of each job: exit 143', async () => {
  // given a run at a gateway that never answers
  const url = await gateway('says nothing');
  const secrets = await directory.file(
    'signal.json',
    JSON.stringify({ northwind: merchantSecrets({ ...northwind, profile: hmac }) }),
  );
  const jobs = await jobsFile('signal.jsonl', 3);
  const log = join(directory.path(), 'signal', 'worker.log');
  const args = ['local', jobs, '--gateway-url', url, '--secrets', secrets];
  const run = startCli([...args, '--results', join(directory.path(), 'signal', 'results.jsonl')]);
  await expect.poll(() => readFile(log, 'utf8').catch(() => ''), { timeout: 60_000 }).toContain('worker-started');
  const workers = (await readFile(`/proc/${run.child.pid}/task/${run.child.pid}/children`, 'utf8')).trim().split(' ');

  // when
  run.child.kill('SIGTERM');
  const { code, stdout, stderr } = await run.ended;

  // then
  expect(code).toBe(143);
  expect(stdout).toContain('✘ 3 of 3 jobs are not settled');
  expect(stderr).toContain('payouts: stopped by SIGTERM; the state of each job is reported above\n');
  expect(workers.length).toBeGreaterThan(0);
  for (const pid of workers) expect(() => process.kill(Number(pid), 0)).toThrow('ESRCH');
});

/** Where `isCut`, by a process that may write files of no byte: what a full disk does to a file that could be made. */
const runLimited = (args: readonly string[], env: Readonly<Record<string, string>>, isCut: boolean) =>
  isCut
    ? shell(`trap '' XFSZ; ulimit -f 0; "$NODE" "$PAYOUTS" ${args.map((it) => `'${it}'`).join(' ')}`, { env })
    : runCli(args, { env });

async function shell(
  script: string,
  { env = {}, uid }: { readonly env?: Readonly<Record<string, string>>; readonly uid?: number },
) {
  const { PATH = '', HOME = '' } = process.env;
  const child = spawn('sh', ['-c', script], {
    env: { PATH, HOME, NODE: process.execPath, PAYOUTS: command, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    ...(uid !== undefined && { uid, gid: uid }),
  });
  return endOf(child);
}

async function endOf(child: ChildProcessByStdio<Writable | null, Readable, Readable>) {
  let [stdout, stderr] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => (stdout += chunk));
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => (stderr += chunk));
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, stdout, stderr };
}

describe('the clone', () => {
  it('keeps the keys of the first payout out of git and out of every package', async () => {
    const root = join(import.meta.dirname, '../..');
    const ignored = await shell('cd "$ROOT" && git check-ignore --no-index my-secrets.json', { env: { ROOT: root } });
    expect(ignored).toMatchObject({ code: 0, stdout: 'my-secrets.json\n' });
  });
});
