// The first hour of somebody new: every mistake that was seen made, made again with the real command. Each is told at once,
// with the name of what is wrong and the remedy, and leaves nothing behind.
import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, readdir, readFile, readlink } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { afterAll, describe, expect, it } from 'vitest';
import { textSettings } from '../../lib/aws/env-config.ts';
import type { PaidVerdict } from '../../lib/local/verdict.ts';
import { type GatewayOptions, startIndependentGateway } from '../support/independent-gateway.ts';
import { aPayoutJob } from '../support/jobs.ts';
import { lengthOf, longDescribe, longIt } from '../support/long-proof.ts';
import { runCli, startCli } from './support/cli.ts';
import { aDirectory } from './support/files.ts';

const directory = aDirectory();
const command = join(import.meta.dirname, '../../lib/cli/payouts.js');
const stopping: (() => Promise<void>)[] = [];
afterAll(() => Promise.all(stopping.map((stop) => stop())));

const northwind = { login: 'northwind-login', controlKey: 'fake-control-key-northwind' };
const hmac = { signatureMethod: { payout: 'HMAC-SHA1' } };

const jobsFile = (name: string, count: number) =>
  directory.file(
    name,
    Array.from({ length: count }, (_, at) =>
      JSON.stringify(aPayoutJob({ merchant: 'northwind', orderId: `${name}-${at + 1}` })),
    ).join('\n'),
  );

async function gateway(options: GatewayOptions = {}): Promise<Awaited<ReturnType<typeof startIndependentGateway>>> {
  const started = await startIndependentGateway(options);
  stopping.push(started.stop);
  return started;
}

describe.concurrent('a secret that can not be used', () => {
  it.each([
    [
      'without a key',
      { login: 'x' },
      'northwind: the secret has neither controlKey nor privateKey nor kmsKeyId; add one',
    ],
    [
      'with a slip in its profile',
      { ...northwind, profile: { ...hmac, statusInquirry: true } },
      'northwind: profile.statusInquirry is not a field of this secret; did you mean statusInquiry?',
    ],
    [
      'with keys for tests and real money',
      { ...northwind, profile: { ...hmac, testKeys: true } },
      'northwind: profile.testKeys is for tests alone: take it out, or set mode to "test"',
    ],
    [
      'without the key that its job needs',
      northwind,
      "northwind: the merchant's secret has no privateKey or kmsKeyId, which RSA-SHA256 needs for payout: add it, or name another method in profile.signatureMethod.payout",
    ],
  ])('%s: merchant, field and remedy, before anything starts', async (name, secret, said) => {
    const jobs = await jobsFile(`secret ${name}.jsonl`, 1);
    const secrets = await directory.file(`${name}.json`, JSON.stringify({ northwind: secret }));
    const startedMs = Date.now();
    const { code, stdout, stderr } = await runCli(['local', jobs, '--secrets', secrets], {
      cwd: directory.path(),
      startsNothing: true,
    });
    expect({ code, stdout, stderr }).toEqual({ code: 2, stdout: '', stderr: `payouts: ${secrets}:\n  ${said}\n` });
    expect(Date.now() - startedMs).toBeLessThan(20_000);
  });
});

describe.concurrent('a gateway of one’s own', () => {
  it.each([
    [['--faults', 'flaky'], '--faults are what the simulator does wrong; leave it out, or leave out --gateway-url'],
    [[], "a gateway of your own knows none of the sample's keys: name a file of secrets with --secrets"],
  ])('with %j: refused before anything starts', async (more, said) => {
    const jobs = await jobsFile(`own ${more.length}.jsonl`, 1);
    const { code, stdout, stderr } = await runCli(['local', jobs, '--gateway-url', 'http://127.0.0.1:9', ...more], {
      startsNothing: true,
    });
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(said);
  });
});

longIt(
  'a lane that refusals have closed: its code, accountCodes and the command, as soon as nothing goes on',
  async () => {
    // given a gateway that refuses each order with one code, and more orders than close the lane
    const { url } = await gateway({ manner: 'refuses every order' });
    const secrets = await directory.file(
      'refused.json',
      JSON.stringify({ northwind: { ...northwind, profile: hmac } }),
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
    const verdict = JSON.parse(told.stdout) as PaidVerdict;
    expect(verdict.reasons.map(({ code }) => code)).toContain('LANE_CLOSED');
    expect(verdict.open.map(({ why }) => why)).not.toContain('NOT_TRIED');
    expect(text.code).toBe(1);
    expect(text.stdout).toContain('blocked: the lane northwind at ');
    expect(text.stdout).toContain('Where code 8 is about the account (funds, contract), name it in "accountCodes"');
    expect(text.stdout).toContain('`npx --no payouts lanes resume northwind`');
    expect(text.stdout).not.toContain('give the run more time');
  },
);

describe('a disk that is full', () => {
  longIt('is named with its file, is not AWS’s fault, and what was there before stays', async () => {
    // given a run that is kept, an older file, and a process that may write no byte more
    const kept = await keptRun('disk');
    const older = await directory.file('older.jsonl', 'what was there before\n');
    const commands = [
      ['export', '--output', older],
      ['export', '--output', '/dev/full'],
    ];

    // when it is written to
    const before = await readdir(directory.path());
    const [cut, ...full] = await Promise.all(commands.map((args, at) => runLimited(args, kept.env, at === 0)));
    await kept.end();

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

describe.concurrent('a file that can not be read or made', () => {
  it.each([
    [['submit', 'none.csv'], "payouts: can't read none.csv: there is no such file or folder\n"],
    [['local', 'none.jsonl'], "payouts: can't read none.jsonl: there is no such file or folder\n"],
    [['local', '.'], "payouts: can't read .: it is a folder, not a file\n"],
  ])('%j: named, in words', async (args, said) => {
    expect(await runCli(args, { cwd: directory.path(), startsNothing: true })).toMatchObject({
      code: 2,
      stdout: '',
      stderr: said,
    });
  });

  longIt('in a folder that may only be read: named, and nothing is left there', async () => {
    const folder = join(directory.path(), 'read-only');
    await mkdir(folder);
    await chmod(directory.path(), 0o755);
    const jobs = await directory.file('read-only.jsonl', JSON.stringify(aPayoutJob({ orderId: 'RO-1' })));
    const file = join(folder, 'results.jsonl');
    await chmod(folder, 0o555);
    // Who may do everything is no test of rights.
    const isRoot = process.getuid?.() === 0;
    const { code, stderr } = await shell('"$NODE" "$PAYOUTS" local "$JOBS" --results "$FILE"', {
      env: { JOBS: jobs, FILE: file },
      ...(isRoot && { uid: 65_534 }),
    });
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: `payouts: can't write ${file}: you have no right to it, or to its folder\n`,
    });
    expect(await readdir(folder)).toEqual([]);
  });
});

describe('a signal', () => {
  longIt.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const)('%s to a run ends its worker too, and says what stands: exit %i', async (signal, exitCode) => {
    // given a run at a gateway that never answers
    const { url } = await gateway({ manner: 'says nothing' });
    const name = `signal-${signal}`;
    const secrets = await directory.file(
      `${name}.json`,
      JSON.stringify({ northwind: { ...northwind, profile: hmac } }),
    );
    const jobs = await jobsFile(`${name}.jsonl`, 3);
    const log = join(directory.path(), name, 'worker.log');
    const args = ['local', jobs, '--gateway-url', url, '--secrets', secrets];
    const run = startCli([...args, '--results', join(directory.path(), name, 'results.jsonl')]);
    await expect.poll(() => readFile(log, 'utf8').catch(() => ''), { timeout: 60_000 }).toContain('worker-started');
    const workers = (await readFile(`/proc/${run.child.pid}/task/${run.child.pid}/children`, 'utf8')).trim().split(' ');

    // when
    run.child.kill(signal);
    const { code, stdout, stderr } = await run.ended;

    // then
    expect(code).toBe(exitCode);
    expect(stdout).toContain('✘ 3 of 3 jobs are not settled');
    expect(stderr).toContain(`payouts: stopped by ${signal}; the state of each job is reported above\n`);
    expect(workers.length).toBeGreaterThan(0);
    for (const pid of workers) expect(() => process.kill(Number(pid), 0)).toThrow('ESRCH');
  });

  it('before the first job is on its queue: nothing was sent', async () => {
    const jobs = await jobsFile('early.jsonl', 1);
    const run = startCli(['local', jobs, '--results', join(directory.path(), 'early', 'results.jsonl')]);
    await expect.poll(() => run.stdout(), { interval: 5, timeout: 30_000 }).toContain('1 job from');
    run.child.kill('SIGINT');
    const { code, stderr } = await run.ended;
    expect(code).toBe(130);
    expect(stderr).toMatch(/stopped by SIGINT; (nothing was sent|the state of each job is reported above)\n$/);
  });

  longIt('to submit before its upload: nothing was sent, exit 143', async () => {
    // given rows that are still coming
    const child = spawn(process.execPath, [command, 'submit', '-', '--yes'], { env: environmentOfNobody });
    const ended = endOf(child);
    const isReading = async () => {
      const folder = `/proc/${child.pid}/fd`;
      const open = await Promise.all((await readdir(folder)).map((fd) => readlink(join(folder, fd)).catch(() => '')));
      return open.some((file) => file.includes('/payouts-'));
    };
    await expect.poll(isReading, { timeout: 30_000 }).toBe(true);

    // when
    child.kill('SIGTERM');
    const { code, stdout, stderr } = await ended;

    // then
    expect({ code, stdout, stderr }).toEqual({
      code: 143,
      stdout: '',
      stderr: '\npayouts: stopped by SIGTERM; nothing was sent\n',
    });
  });
});

/** Settings of a stack that nobody has. */
const environmentOfNobody = Object.fromEntries(
  Object.entries(textSettings)
    .filter(([, setting]) => !('default' in setting))
    .map(([name]) => [name, name.endsWith('URL') ? `http://127.0.0.1:9/${name}` : name]),
);

/** A run of one job that is kept, and the environment that it prints. */
async function keptRun(name: string) {
  const jobs = await directory.file(`${name}.jsonl`, JSON.stringify(aPayoutJob({ orderId: `${name}-1` })));
  const kept = startCli([
    'local',
    jobs,
    '--keep',
    '--json',
    '--results',
    join(directory.path(), name, 'results.jsonl'),
  ]);
  await expect.poll(() => kept.stdout(), { timeout: 60_000 }).toContain('\n');
  const { environment } = JSON.parse(kept.stdout()) as { readonly environment: Readonly<Record<string, string>> };
  return {
    env: environment,
    async end() {
      kept.child.kill('SIGINT');
      await kept.ended;
    },
  };
}

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

longDescribe('a pause that names nobody', () => {
  it('asks at a terminal, and a no changes nothing', async () => {
    const kept = await keptRun('pause');
    // `script` gives the command a terminal of its own.
    const { code, stdout } = await shell(
      `{ sleep 5; echo n; } | script -qec '"$NODE" "$PAYOUTS" pause --reason "a slip"' /dev/null`,
      { env: kept.env },
    );
    const lanes = await runCli(['lanes'], { env: kept.env });
    await kept.end();
    expect(stdout).toContain('Pause every merchant?');
    expect(stdout).toContain('nothing was changed');
    expect(code).toBe(1);
    expect(lanes.stdout).not.toContain('paused');
  });
});

describe('the clone', () => {
  it('keeps the keys of the first payout out of git and out of every package', async () => {
    const root = join(import.meta.dirname, '../..');
    const ignored = await shell('cd "$ROOT" && git check-ignore --no-index my-secrets.json', { env: { ROOT: root } });
    expect(ignored).toMatchObject({ code: 0, stdout: 'my-secrets.json\n' });
    // npm leaves out of a package what git ignores, and the functions' zips hold what their code imports.
    const packed = await shell(
      'cd "$HERE" && cp "$ROOT/package.json" "$ROOT/.gitignore" . && touch my-secrets.json other.js && npm pack --dry-run --json',
      { env: { ROOT: root, HERE: await directory.folder('clone') } },
    );
    const [{ files }] = JSON.parse(packed.stdout) as [{ readonly files: readonly { readonly path: string }[] }];
    expect(files.map(({ path }) => path)).toContain('other.js');
    expect(files.map(({ path }) => path)).not.toContain('my-secrets.json');
  });

  // Ten processes of npm: the short proof asks one of them.
  it.each(lengthOf({ short: ['lives'], long: ['simulate', 'pack', 'bugs', 'lives', 'test:kill'] }))(
    'says what `npm run %s` takes, and has no stack for what it does not',
    async (script) => {
      const run = (more: string) =>
        shell(`cd "$ROOT" && npm run -s ${script} -- ${more}`, { env: { ROOT: join(import.meta.dirname, '../..') } });
      const [help, slip] = await Promise.all([run('--help'), run('--nope')]);
      expect(help).toMatchObject({ code: 0, stderr: '' });
      expect(help.stdout).toContain(`npm run ${script} [-- `);
      expect(slip.code).toBe(2);
      expect(slip.stderr).toMatch(/^Unknown option '--nope'\n/);
      expect(slip.stderr).not.toMatch(/\n {4}at /);
    },
  );
});

describe.concurrent('what every tool of a command line has', () => {
  it('--version', async () => {
    const { version } = JSON.parse(await readFile(join(import.meta.dirname, '../../package.json'), 'utf8'));
    expect(await runCli(['--version'])).toMatchObject({ code: 0, stdout: `${version}\n` });
  });
});
