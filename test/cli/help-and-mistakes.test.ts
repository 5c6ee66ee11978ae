// What the tool says of itself, and what it says to a command line that can't be followed: one clear line, exit code 2,
// and nothing has run.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { textSettings } from '../../lib/aws/env-config.ts';
import { faultSchedules } from '../../lib/local/gateway/fault-schedules.ts';
import { scenarioMarkers } from '../../lib/local/gateway/scenario-markers.ts';
import { runCli, startCli } from './support/cli.ts';
import { aDirectory } from './support/files.ts';
import { longDescribe, longIt } from '../support/long-proof.ts';

const directory = aDirectory();

describe.concurrent('help', () => {
  it('lists the commands and exits with 0', async () => {
    const { code, stdout, stderr } = await runCli(['--help']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    for (const command of ['local', 'worker', 'sign']) expect(stdout).toMatch(new RegExp(`^ {2}${command}`, 'm'));
  });

  it('of local names every fault schedule, every marker and the exit codes', async () => {
    const { code, stdout } = await runCli(['local', '--help'], { startsNothing: true });
    expect(code).toBe(0);
    for (const name of Object.keys(faultSchedules)) expect(stdout).toMatch(new RegExp(`^ {2}${name} `, 'm'));
    for (const name of Object.keys(scenarioMarkers)) expect(stdout).toContain(`  .${name} `);
    expect(stdout).toContain('Exit code: 0');
  });

  longIt('of worker says how it is stopped', async () => {
    const { code, stdout } = await runCli(['worker', '--help']);
    expect(code).toBe(0);
    expect(stdout).toContain('SIGTERM and SIGINT');
  });

  longIt('without a command comes by itself, and is no success', async () => {
    const { code, stderr } = await runCli([]);
    expect(code).toBe(2);
    expect(stderr).toContain('Usage: payouts');
  });
});

longDescribe.concurrent('a command line that cannot be followed', () => {
  const hint = '(--help shows how)\n';
  it.each([
    [['nope'], "error: unknown command 'nope'"],
    [['local', '--nope'], "error: unknown option '--nope'"],
    [
      ['local', '--faults', 'nope'],
      "error: option '--faults <name>' argument 'nope' is invalid. Allowed choices are none",
    ],
    [['local', 'a.jsonl', 'b.jsonl'], "error: too many arguments for 'local'"],
    [['local', '--results'], "error: option '--results <file>' argument missing"],
    [['worker', '--sweep-seconds', '0'], 'must be a whole number from 1 to 3600'],
    [['worker', '--max-concurrency', 'many'], 'must be a whole number from 1 to 1000'],
  ])('%j: one line, a hint, exit code 2', async (args, line) => {
    const { code, stdout, stderr } = await runCli(args);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(line);
    expect(stderr.split('\n')).toHaveLength(3);
    expect(stderr.endsWith(hint)).toBe(true);
  });
});

longDescribe.concurrent('files that cannot be used', () => {
  it.each<[string, (path: (name: string, text: string) => Promise<string>) => Promise<string[]>, string]>([
    [
      'jobs that are not there',
      async () => [join(directory.path(), 'missing.jsonl')],
      "can't read .*missing.jsonl: there is no such file",
    ],
    ['jobs that are a directory', async () => [directory.path()], "can't read .*: it is a folder, not a file"],
    ['no jobs', async (file) => [await file('empty.jsonl', '')], 'empty.jsonl holds no jobs'],
    ['only blank lines', async (file) => [await file('blank.jsonl', '\uFEFF\n \r\n\t\n')], 'blank.jsonl holds no jobs'],
    [
      'secrets that are not there',
      async (file) => [await file('one.jsonl', '{}'), '--secrets', join(directory.path(), 'missing.json')],
      "can't read .*missing.json: there is no such file",
    ],
    [
      'secrets that are not JSON',
      async (file) => [await file('one.jsonl', '{}'), '--secrets', await file('broken.json', '{"acme-eu": ')],
      'broken.json is not JSON; write \\{"<merchant>"',
    ],
    [
      'secrets of another shape',
      async (file) => [await file('one.jsonl', '{}'), '--secrets', await file('list.json', '[{"login": "acme"}]')],
      'list.json: write \\{"<merchant>"',
    ],
    [
      'results that cannot be written',
      async (file) => [await file('one.jsonl', '{}'), '--results', join(await file('a-file', ''), 'results.jsonl')],
      "can't write .*results.jsonl: (a part of its path is a file|it is there already)",
    ],
    [
      'results that are a directory',
      async (file) => [await file('one.jsonl', '{}'), '--results', directory.path()],
      "can't write .*: it is a folder, not a file",
    ],
    [
      'a gateway that is no address',
      async (file) => [await file('one.jsonl', '{}'), '--gateway-url', 'gate.example.com'],
      '--gateway-url must be "https://host\\[:port\\]"',
    ],
    [
      'a gateway reached in plain text',
      async (file) => [await file('one.jsonl', '{}'), '--gateway-url', 'http://gate.example.com'],
      '--gateway-url must be "https://host\\[:port\\]"',
    ],
  ])('%s: one line, exit code 2, nothing has run', async (_what, argsOf, line) => {
    const args = await argsOf((name, text) => directory.file(name, text));
    const { code, stdout, stderr } = await runCli(['local', ...args], { cwd: directory.path() });
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(new RegExp(`^payouts: .*${line}.*\n$`));
  });
});

describe.concurrent('a worker without settings', () => {
  it('names every one that is missing and exits with 2', async () => {
    const { code, stdout, stderr } = await runCli(['worker'], { startsNothing: true });
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(/^payouts worker: settings are missing or wrong: .*\n$/);
    const required = Object.entries(textSettings).filter(([, setting]) => !('default' in setting));
    for (const [name, { meaning }] of required) expect(stderr).toContain(`${name} is not set (${meaning})`);
    expect(required.length).toBeGreaterThan(3);
  });

  it('names limits that are no numbers, or unsafe together', async () => {
    const env = { LEASE_MS: '1000', CONCURRENCY: 'many' };
    const { code, stderr } = await runCli(['worker'], { env, startsNothing: true });
    expect(code).toBe(2);
    expect(stderr).toContain('CONCURRENCY is not a whole number above zero');
    expect(stderr).toContain('leaseMs must cover two sends and settling');
  });
});

it('a reader that has read enough is no failure', async () => {
  const { child, ended } = startCli(['--help']);
  child.stdout?.destroy();
  expect(await ended).toMatchObject({ code: 0, stderr: '' });
});

longDescribe.concurrent('under an older Node', () => {
  const older = olderNode();

  it.skipIf(older === undefined)('hands over to the Node beside the dependencies, exit code and all', async () => {
    const place = older === undefined ? {} : { node: older };
    const [help, mistake] = await Promise.all([runCli(['--help'], place), runCli(['local', '--nope'], place)]);
    expect(help.code).toBe(0);
    expect(help.stdout).toContain('Usage: payouts');
    expect(mistake).toMatchObject({ code: 2, stderr: expect.stringContaining("unknown option '--nope'") });
  });

  it.runIf(older === undefined)('is not tried here: no Node older than 24 is on the PATH', () => {
    expect(older).toBeUndefined();
  });
});

/** A Node on the PATH that does not run TypeScript by itself. */
function olderNode(): string | undefined {
  const places = (process.env['PATH'] ?? '').split(delimiter).filter((place) => existsSync(join(place, 'node')));
  return places
    .filter((place) => readdirSync(place).includes('node'))
    .map((place) => join(place, 'node'))
    .find((node) => {
      const { stdout } = spawnSync(node, ['-p', 'process.versions.node'], { encoding: 'utf8' });
      const major = Number(stdout.split('.')[0]);
      return major >= 18 && major < 24;
    });
}
