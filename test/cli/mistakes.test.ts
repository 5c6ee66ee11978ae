// What the tool says of itself, and what it answers to a command line that can't be followed: every command has its help, and every
// mistake is one clear sentence and exit code 2. AWS is nowhere: a mistake is found before anything is asked or sent.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import type { Command } from 'commander';
import { beforeAll, describe, expect, it } from 'vitest';
import { textSettings } from '../../lib/aws/env-config.ts';
import { program } from '../../lib/cli/main.ts';
import { faultSchedules } from '../../lib/local/gateway/fault-schedules.ts';
import { scenarioMarkers } from '../../lib/local/gateway/scenario-markers.ts';
import { aPayoutJob } from '../support/jobs.ts';
import { lengthOf, longIt } from '../support/long-proof.ts';
import { runCli, runHosted, startCli, wordsOf } from './support/cli.ts';
import { aDirectory } from './support/files.ts';
import { merchantSecrets } from '../support/merchant-secrets.ts';

const files = aDirectory();
const northwind = { login: 'northwind-login', controlKey: 'fake-control-key-northwind' };
const hmac = { signatureMethod: { payout: 'HMAC-SHA1' } };
const job = JSON.stringify(aPayoutJob({ merchant: 'northwind', context: { note: 'thanks' } }));

/** Every setting that a stack gives, of a stack at whose address nothing listens. */
const settings = Object.fromEntries(
  Object.entries(textSettings).flatMap(([name, setting]) =>
    'default' in setting ? [] : [[name, name.endsWith('URL') ? `http://127.0.0.1:1/${name}` : name]],
  ),
);
const env = {
  ...settings,
  AWS_REGION: 'eu-central-1',
  AWS_ACCESS_KEY_ID: 'fake',
  AWS_SECRET_ACCESS_KEY: 'fake',
  AWS_ENDPOINT_URL: 'http://127.0.0.1:1',
};

const secretsOf = (secret: object) => JSON.stringify({ northwind: merchantSecrets(secret) });
const written: Readonly<Record<string, string | Uint8Array>> = {
  'job.jsonl': job,
  'pay.csv': 'order_id,amount,currency,iban,bank\nA,10.42,EUR,DE89370400440532013000,Bank\n',
  'header.csv': 'order_id,amount,currency\n',
  'book.csv': 'PK\u0003\u0004',
  'broken.json': '{"northwind": ',
  'list.json': '[{"login": "acme"}]',
  'flat.json': JSON.stringify({ northwind }),
  'no-key.json': secretsOf({ login: 'x' }),
  'slip.json': secretsOf({ ...northwind, profile: { ...hmac, statusInquirry: true } }),
  'test-keys.json': secretsOf({ ...northwind, profile: { ...hmac, testKeys: true } }),
  'no-rsa.json': secretsOf(northwind),
  'empty.jsonl': '',
  'blank.jsonl': '\uFEFF\n \r\n\t\n',
  program: new Uint8Array([0x7f, 0x45, 0x4c, 0x46, 2, 1, 1, 0, 0]),
  'utf16.jsonl': Buffer.from(`\ufeff${job}`, 'utf16le'),
  'latin.jsonl': Buffer.from(`${job}\n${job.replace('thanks', 'für')}`, 'latin1'),
  'book.xlsx': new Uint8Array([0x50, 0x4b, 0x03, 0x04, 0x14]),
  'jobs.gz': new Uint8Array([0x1f, 0x8b, 8]),
  'table.csv': 'orderId;amount\nA;1\n',
  'bank.xml': '<Document xmlns="urn:iso:std:iso:20022:tech:xsd:pain.001.001.03">',
  'array.json': `[${job}]`,
  'pretty.json': JSON.stringify(JSON.parse(job), null, 2),
  'torn.jsonl': '{"version": 1,\n{"version"',
  'nul.jsonl': `${job}\n${job.replace('thanks', 'tha\u0001nks')}`,
  'huge.jsonl': JSON.stringify({ note: 'x'.repeat(2_000_000) }),
};
beforeAll(() =>
  Promise.all(Object.entries(written).map(([name, content]) => writeFile(join(files.path(), name), content))),
);

const pay = 'submit pay.csv --merchant acme-eu --operation payout --endpoint 1';
const books = 'reconcile --results pay.csv';
const noGateway = '--gateway-url must be "https://host[:port]"';
const jobRule = 'a file of jobs is UTF-8 text, one JSON object per line';
const mistakes: Readonly<Record<string, string>> = {
  nope: "unknown command 'nope'",
  'local --nope': "unknown option '--nope'",
  'local --faults nope': "option '--faults <name>' argument 'nope' is invalid. Allowed choices are none",
  'local a.jsonl b.jsonl': "too many arguments for 'local'",
  'local --results': "option '--results <file>' argument missing",
  'local missing.jsonl': "can't read missing.jsonl: there is no such file or folder",
  'local .': "can't read .: it is a folder, not a file",
  'local job.jsonl --secrets missing.json': "can't read missing.json: there is no such file",
  'local job.jsonl --secrets broken.json': 'broken.json is not JSON; write {"<merchant>"',
  'local job.jsonl --secrets list.json': 'list.json: write {"<merchant>"',
  'local job.jsonl --secrets flat.json': 'flat.json: write {"<merchant>": {"contract": {"login"',
  'local job.jsonl --secrets no-key.json': 'the secret has neither controlKey nor privateKey nor kmsKeyId; add one',
  'local job.jsonl --secrets slip.json': 'is not a field of this secret; did you mean statusInquiry?',
  'local job.jsonl --secrets test-keys.json': 'profile.testKeys is for tests only: take it out, or set mode to "test"',
  'local job.jsonl --secrets no-rsa.json': 'has no privateKey or kmsKeyId, which RSA-SHA256 needs for payout: add it',
  'local job.jsonl --results job.jsonl/results.jsonl': 'job.jsonl/results.jsonl: it is there already',
  'local job.jsonl --results .': ': it is a folder, not a file',
  'local job.jsonl --gateway-url gate.example.com': noGateway,
  'local job.jsonl --gateway-url http://gate.example.com': noGateway,
  'local job.jsonl --gateway-url http://127.0.0.1:9 --faults flaky':
    '--faults are what the simulator does wrong; leave',
  'local job.jsonl --gateway-url http://127.0.0.1:9': "knows none of the sample's keys: name a file of secrets",
  'local job.jsonl': 'job 1 is of the merchant "northwind", which has no secret here (acme-eu, globex-us, initech-uk)',
  'local empty.jsonl': 'empty.jsonl holds no jobs; write one JSON object per line',
  'local blank.jsonl': 'blank.jsonl holds no jobs',
  'local program': `program holds zero bytes, so it is no text; ${jobRule}`,
  'local utf16.jsonl': `utf16.jsonl is UTF-16; ${jobRule}`,
  'local latin.jsonl': 'latin.jsonl: line 2 is not UTF-8 text; save the file as UTF-8',
  'local book.xlsx': `book.xlsx is a zip file; ${jobRule}`,
  'local jobs.gz': 'jobs.gz is compressed; unpack it: `gunzip ',
  'local table.csv': "If it is a table or a bank's file, look at it with: `node . submit ",
  'local bank.xml': "If it is a table or a bank's file, look at it with: `node . submit ",
  'local array.json': 'array.json is one JSON array; write one object per line: jq -c ".[]" ',
  'local pretty.json': 'pretty.json is one JSON object over several lines; write it in one: jq -c . ',
  'local torn.jsonl': `torn.jsonl: no line of it is JSON; ${jobRule}`,
  'local nul.jsonl': `: line 2, column ${job.indexOf('thanks') + 4} holds U+0001, which no queue takes; take it out`,
  'local huge.jsonl': 'huge.jsonl: line 1 is 2.0 MB long; a message may have 1048576 bytes',
  'worker --sweep-seconds 0': 'must be a whole number from 1 to 3600',
  'worker --max-concurrency many': 'must be a whole number from 1 to 1000',
  'release A-1 --as paid --reason x': 'write the order as <merchant>/<order id>',
  'order A-1': 'write the order as <merchant>/<order id>',
  'release acme-eu/A-1 --as paid': "required option '--reason <text>' not specified",
  'release acme-eu/A-1 --as paid --reason " "': 'is empty',
  'release acme-eu/A-1 --reason x': "required option '--as <end>' not specified",
  'release acme-eu/A-1 --as lost --reason x': 'Allowed choices are paid, not-paid',
  'release acme-eu/A-1 --as paid --reason x --id "90 00"': "must be the gateway's order id",
  'release acme-eu/A-1 --as paid --reason x --id __proto__': "must be the gateway's order id",
  'release acme-eu/A-1 --as paid --reason x --id 0': "must be the gateway's order id",
  'cancel --reason x': 'name one of these alone: order, --batch',
  'cancel acme-eu/A-1 --batch b --reason x': 'name one of these alone: order, --batch',
  'cancel acme-eu/A-1': "required option '--reason <text>' not specified",
  'cancel "acme eu/A-1" --reason x': '"acme eu" is not a merchant name: 1 to 64 letters',
  'cancel --batch a/b --reason x': '"a/b" is not a batch id: 1 to 48 letters',
  pause: 'not a terminal: add --yes',
  'pause acme-eu --endpoint a/b/c --reason x': '"a/b/c" is not an endpoint id: 1 to 16 letters',
  'dlq redrive --yes': 'choose some: --all, or --order',
  'dlq redrive --all': 'not a terminal: add --yes',
  'dlq discard --reason x': 'name one of these alone: --order, --message',
  'dlq discard --order acme-eu/A-1': "required option '--reason <text>' not specified",
  'dlq discard --order acme-eu/A-1 --reason x': 'not a terminal: add --yes',
  'dlq list --limit 0': 'must be a whole number from 1 to 1000000',
  erase: 'name one of these alone: order, --ended-before',
  'erase --ended-before "last year"': 'must be a day such as 2025-10-01, or 400d',
  'erase --ended-before 0d': 'must be a day such as',
  'erase --ended-before 2d': 'not a terminal: add --yes',
  'keys new "acme eu"': '"acme eu" is not a merchant name',
  'keys activate acme-eu': 'not a terminal: add --yes',
  'keys activate acme-eu --endpoint "1 2"': '"1 2" is not an endpoint id',
  'secrets check acme-eu --key-version NEXT': 'Allowed choices are AWSCURRENT, AWSPENDING, AWSPREVIOUS',
  'probe acme-eu --endpoint 1 --field iban=x': '"iban" is no field of payout',
  'probe acme-eu --endpoint 1 --field iban': 'write name=value',
  'probe acme-eu --endpoint "a b"': '"a b" is not an endpoint id',
  'submit none.csv': "can't read none.csv: there is no such file or folder",
  'submit . --yes': '. is a directory; name one file',
  'submit pay.csv --yes': 'the header of pay.csv:\n  no column says the merchant; name a column "merchant"',
  [pay]: 'not a terminal: add --yes to send, or --dry-run to preview',
  [`${pay} --yes --batch "a b"`]: '"a b" is not a batch id: 1 to 48 letters',
  [`${pay} --yes --layout none.json`]: 'there is no layout none.json; --dry-run writes a first one',
  [`${pay} --yes --layout pay.csv`]: 'pay.csv is no layout; it may have',
  [`${pay} --yes --card-keys pay.csv`]: '--card-keys pay.csv is no key set',
  [`${pay} --yes --accept most`]: 'there are duplicate, earlier, cap',
  [`${pay} --yes --look-back 99`]: 'must be a whole number from 0 to 31',
  [`${pay} --hold --skip-invalid`]: 'what is approved must be the whole file',
  [`${pay} --hold --dry-run`]: '--hold sends nothing',
  [`${pay} --hold --expires soon`]: 'write a whole number and s, m, h or d',
  [`${pay.replace('pay', 'header')} --yes`]: 'header.csv has no rows',
  [`${pay.replace('pay', 'book')} --yes`]: 'book.csv is a zip file; unpack it, and name the file that is in it',
  'retry b pay.csv --as-file x.csv --yes': '--as-file sends nothing',
  'retry b pay.csv --cancelled --yes': 'add --as-file too',
  'retry b pay.csv --hold --dry-run': '--hold sends nothing',
  'retry b pay.csv --watch --hold': 'nothing is sent that could be watched',
  'retry b pay.csv --json': 'add --yes to send',
  'retry b pay.csv': 'not a terminal',
  'retry b --as-file x.csv': 'name the file of the batch',
  'batch no/batch': '"no/batch" is not a batch id',
  [`${books} --gateway /nowhere.csv`]: '/nowhere.csv is no file that can be read',
  [`${books} --gateway pay.csv --status x=maybe`]: '--status "x=maybe": write one of paid, unpaid, filtered',
  [`${books} --gateway pay.csv --map x`]: 'write it as "column=field"',
  [`${books} --gateway pay.csv no/merchant`]: '"no/merchant" is not a merchant name',
  [`${books} --gateway pay.csv --batch no/batch`]: '"no/batch" is not a batch id',
  [`${books} --gateway pay.csv --from yesterday`]: '--from: write a day such as 2026-11-20',
  [`${books} --gateway pay.csv --from 2026-11-22 --to 2026-11-21`]: '--to must be after --from',
  [`${books} --gateway pay.csv --output /nowhere/at/all.csv`]: "can't write",
  [books]: 'name --results and --gateway, or --journal alone',
  'reconcile acme-eu --journal /nowhere/at/all.csv': "can't write",
  'card-keys new --id "no good"': 'no good',
  'safeguards set m --two-persons on --yes --cap euro=1/2': 'write it as',
  'safeguards set m --two-persons on --yes --cap JPY=1.50/2': 'write it as',
  'safeguards set m --two-persons on --yes --cap EUR=1/2/3/4': 'write it as',
  'safeguards set m --two-persons on --yes --cap EUR=1/2/0.5': 'write it as',
  'safeguards set m --two-persons on --yes --cap EUR=1/2 --uncapped': 'use one of them',
  'approve b pay.csv': 'not a terminal',
  'approve b - --yes': 'name the file: what is approved must be there to be sent',
  'approve acme-eu/A-1 --for arn:aws:iam::000000000000:user/ada': 'not a terminal',
  'approve acme-eu/A-1 --for ada --yes': '--for',
  'approve restore': 'not a terminal',
};

/** The developer's loop makes every fourth. */
const stride = lengthOf({ short: 4, long: 1 });
it.each(Object.entries(mistakes).filter((_, at) => at % stride === 0))('payouts %s', async (line, says) => {
  const { code, stdout, stderr } = await runHosted(wordsOf(line), { cwd: files.path(), env });
  expect(stderr).toContain(says);
  expect(stderr).not.toMatch(/\n {4}at /);
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
});

describe('help', () => {
  const commands: string[] = [];
  const note = (it: Command, path: string): void => {
    if (path !== '') commands.push(path);
    it.commands.forEach((child) => note(child, `${path} ${child.name()}`.trim()));
  };
  note(program, '');
  const helpOf = (...words: string[]) => runHosted([...words, '--help']);

  it('of the tool lists its commands; without a command it comes by itself, and is no success', async () => {
    const { code, stdout } = await helpOf();
    expect(code).toBe(0);
    const beneath = new Set(['probe', 'worker', 'sign', 'setup', 'settings']);
    for (const it of program.commands)
      expect(stdout).toMatch(
        new RegExp(beneath.has(it.name()) ? `containers.* ${it.name()}[,.]` : `^ {2}${it.name()}`, 'm'),
      );
    expect(await runCli([])).toMatchObject({ code: 2, stderr: expect.stringContaining('Usage: node .') });
  });

  it.each(commands.filter((_, at) => at % stride === 0))('of %s says how it is used', async (path) => {
    const { code, stdout } = await helpOf(...path.split(' '));
    expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringContaining(`Usage: node . ${path}`) });
  });

  it('of local names every fault schedule and every marker', async () => {
    const { stdout } = await helpOf('local');
    for (const name of Object.keys(faultSchedules)) expect(stdout).toMatch(new RegExp(`^ {2}${name} `, 'm'));
    for (const name of Object.keys(scenarioMarkers)) expect(stdout).toContain(`  .${name} `);
  });

  it('is not all that every tool has: --version', async () => {
    const { version } = JSON.parse(await readFile(join(import.meta.dirname, '../../package.json'), 'utf8'));
    expect(await runCli(['--version'])).toMatchObject({ code: 0, stdout: `${version}\n` });
  });

  it('may be read as far as its reader likes', async () => {
    const { child, ended } = startCli(['--help']);
    child.stdout?.destroy();
    expect(await ended).toMatchObject({ code: 0, stderr: '' });
  });
});

describe('settings', () => {
  it.each([
    ['order', 'a/b'],
    ['todo', '--held'],
  ])('that are missing are counted, and the way to have them is named: %s', async (...args) => {
    const { code, stdout, stderr } = await runCli(args, { startsNothing: true });
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(/^payouts: no stage is named: add --stage NAME, or .*; \d+ settings are missing \(infra/);
  });

  it('that the worker misses are named, each by itself', async () => {
    const { code, stdout, stderr } = await runCli(['worker'], { startsNothing: true });
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(/^payouts worker: settings are missing or wrong: /);
    const required = Object.entries(textSettings).filter(([, setting]) => !('default' in setting));
    for (const [name, { meaning }] of required) expect(stderr).toContain(`${name} is not set (${meaning})`);
  });

  it('that are no numbers, or unsafe together, are named', async () => {
    const limits = { LEASE_MS: '1000', CONCURRENCY: 'many' };
    const { code, stderr } = await runCli(['worker'], { env: limits, startsNothing: true });
    expect(code).toBe(2);
    expect(stderr).toContain('CONCURRENCY is not a whole number above zero');
    expect(stderr).toContain('LEASE_MS must cover two sends and settling');
  });
});

it('while AWS does not answer: one line, 1, and nothing is said to have changed', async () => {
  const { code, stdout, stderr } = await runCli(['order', 'acme-eu/A-1'], { env });
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(stderr).toMatch(/^payouts: AWS could not be reached \(ECONNREFUSED\); .*nothing is known to have changed\n$/);
});

longIt('an older Node hands over to the Node beside the dependencies, exit code and all', async (context) => {
  const node = olderNode();
  if (node === undefined) return context.skip('no Node older than 24 is on the PATH');
  const [help, mistake] = [await runCli(['--help'], { node }), await runCli(['local', '--nope'], { node })];
  expect(help).toMatchObject({ code: 0, stdout: expect.stringContaining('Usage: node .') });
  expect(mistake).toMatchObject({ code: 2, stderr: expect.stringContaining("unknown option '--nope'") });
});

/** A Node on the PATH that does not run TypeScript by itself. */
function olderNode(): string | undefined {
  const places = (process.env['PATH'] ?? '').split(delimiter).map((place) => join(place, 'node'));
  return places.filter(existsSync).find((node) => {
    const { stdout } = spawnSync(node, ['-p', 'process.versions.node'], { encoding: 'utf8' });
    const major = Number(stdout.split('.')[0]);
    return major >= 18 && major < 24;
  });
}
