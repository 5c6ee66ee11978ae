// "A payday, from the file to the books" of infra/docs/bulk-files.md, and its section on reconciliation: read out of the
// page and run as printed, with the real worker and the gateway simulator, in a world that has more than a payday
// in it: other files, another merchant with checks and refusals, and one whose gateway is down.
import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type CliEnd, runCli, wordsOf } from './support/cli.ts';
import { aDirectory } from './support/files.ts';
import { type SampleWorld, startSampleWorld } from './support/sample-world.ts';

const directory = aDirectory();
const page = readFileSync('infra/docs/bulk-files.md', 'utf8');
const [, payday = ''] = page.split('## A payday, from the file to the books');
const [, procedure = ''] = page.split('## Reconcile with the gateway');
const fence = (text: string, language: string) =>
  new RegExp(`\`\`\`${language}\n([\\s\\S]*?)\`\`\``).exec(text)?.[1] ?? '';

const commandsOf = (text: string) =>
  fence(text, 'sh')
    .trim()
    .replaceAll('\\\n', ' ')
    .split('\n')
    .map((line) => wordsOf(line.replace(/\s#.*$/, '')).slice(2));

let world: SampleWorld;
/** The results that a consumer has received so far. */
let results = '';

beforeAll(async () => {
  world = await startSampleWorld(join(directory.path(), 'worker.log'));
});
afterAll(() => world.stop());

/** The days of the walk itself, in the place of those of a page's example, the first of which is this one. */
function onTheseDays(args: readonly string[], first: string): string[] {
  const aheadMs = Math.floor(Date.now() / dayMs) * dayMs - dayMs - Date.parse(first);
  return args.map((it, place) => {
    const option = args[place - 1] ?? '';
    if (option === '--drawn') return new Date().toISOString();
    if (option !== '--from' && option !== '--to') return it;
    return new Date(Date.parse(it) + aheadMs).toISOString().slice(0, it.length === 10 ? 10 : undefined);
  });
}

const dayMs = 86_400_000;
const run = (args: readonly string[]) => runCli(args, { env: world.env, cwd: directory.path() });
const plain = (text: string) => text.split('\n').map((line) => line.trim().replaceAll(/ {2,}/g, '  '));

async function receiveResults(): Promise<void> {
  results += await world.takeResults();
  await directory.file('results.jsonl', results);
}

/** What else happens that month. */
async function otherBusiness(): Promise<void> {
  const head = 'order id,amount,currency,description,iban,bank';
  const file = (name: string, rows: readonly string[]) =>
    directory.file(name, [head, ...rows.map((it) => `${it},Invoice,DE89370400440532013000,Deutsche Bank`)].join('\n'));
  const submit = async (name: string, rows: readonly string[], ...more: string[]) => {
    const endpoint = more.includes('globex-us') ? '40217' : '39915';
    const said = ['--operation', 'payout', '--endpoint', endpoint, '--batch', name, '--yes', '--accept', 'all'];
    return run(['submit', await file(`${name}.csv`, rows), ...said, ...more]);
  };
  const watched = ['--watch', '--wait', '60'];
  await submit('rent', ['RENT-1,700.00,EUR', 'RENT-2,800.50,EUR'], '--merchant', 'acme-eu', ...watched);
  const usd = ['US-1.approve,10.00,USD', 'US-2.decline,20.00,USD', 'US-3.approve,30.30,USD'];
  await submit('us', usd, '--merchant', 'globex-us', ...watched);
  const checks = await directory.file('checks.csv', 'order id,sending-card-ref-id\nCHECK-1,391017\nCHECK-2,415502\n');
  const asChecks = ['--merchant', 'globex-us', '--operation', 'pan-eligibility', '--endpoint', '40217'];
  await run(['submit', checks, ...asChecks, '--batch', 'checks', '--yes', '--accept', 'all', ...watched]);
  await submit('down', ['DOWN-1,9.00,EUR'], '--merchant', 'initech-uk');
}

it('is submitted, doubted, released, closed, reported and reconciled', { timeout: 300_000 }, async () => {
  // given the file of the page, and what else there is
  await directory.file('payday.csv', fence(payday, 'csv'));
  await otherBusiness();
  const before = world.simulator.orders().length;
  const ends = new Map<string, CliEnd>();

  // when each command is run as it is there
  for (const args of commandsOf(payday)) {
    const [name = ''] = args;
    if (name === 'reconcile') {
      await receiveResults();
      await directory.file('gateway.csv', world.gatewayReport('acme-eu'));
    }
    const [, seen = ''] = / · seen (\S+)/.exec(ends.get('order')?.stdout ?? '') ?? [];
    const end = await run(onTheseDays(args, '2026-11-01').map((word) => (word === 'SEEN' ? seen : word)));
    ends.set(ends.has(name) ? `${name} again` : name, end);
    if (name === 'submit') await run(['batch', 'payday', '--watch', '--wait', '60']);
  }

  // then every row was sent once, and the one whose answer was lost is held
  expect(ends.get('submit')).toMatchObject({ code: 0, stdout: expect.stringContaining('all 3 rows') });
  expect(ends.get('batch')?.stdout).toMatch(/held/);
  expect(ends.get('todo')?.stdout).toContain('acme-eu/PAY-2.stall-after');
  expect(ends.get('order')?.stdout).toContain('HELD_UNPROVEN');
  expect(world.simulator.orders()).toHaveLength(before + 3);

  // and after a person's word every row is settled, and the report ends what was only accepted
  expect(ends.get('release')).toMatchObject({ code: 0 });
  expect(ends.get('batch again')).toMatchObject({ code: 0 });
  const report = await readFile(join(directory.path(), 'payday-report.csv'), 'utf8');
  expect(report).toContain('PAY-2.stall-after');
  expect(ends.get('report')).toMatchObject({ code: 0 });
  const reconciled = ends.get('reconcile');
  expect(plain(reconciled?.stdout ?? '')).toEqual(
    expect.arrayContaining([
      expect.stringMatching(/^3 orders in three books of acme-eu of batch payday: ledger 3 · /),
      // Results of checks and payments of another merchant.
      expect.stringMatching(/^of another merchant {2}\d+$/),
      'of no batch that is compared  2  0.00  1500.50  EUR',
      '✘ accepted-and-paid  2  2240.00  2240.00  EUR',
      '✔ agree-paid  1  1310.50  1310.50  EUR',
      'EUR  ledger  3550.50  0.00  3550.50  1310.50  2240.00  0.00  0.00  0.00',
      'gateway  3550.50  3550.50  0.00  0.00  0.00  0.00',
      '✔ acme-eu/PAY-1 is paid',
      '✔ acme-eu/PAY-3 is paid',
    ]),
  );
  expect(reconciled?.code).toBe(0);
});

it('and the month of two merchants ends without a false alarm', async () => {
  // given the results since, and the gateway's reports
  await receiveResults();
  for (const merchant of ['acme-eu', 'globex-us'])
    await directory.file(`${merchant}.csv`, world.gatewayReport(merchant));

  // when the procedure is followed, after the payday and what else there was
  const ends: CliEnd[] = [];
  for (const args of commandsOf(procedure)) ends.push(await run(onTheseDays(args, '2026-11-20')));

  // then the report ends what was only accepted, all else agrees
  expect(plain(ends.at(-1)?.stdout ?? '')).toEqual(
    expect.arrayContaining([
      expect.stringMatching(/^10 orders in three books of acme-eu, globex-us from /),
      expect.stringMatching(/^✔ agree-check {2}2/),
      'EUR  ledger  5051.00  0.00  5051.00  3550.50  1500.50  0.00  0.00  0.00',
      'gateway  5051.00  5051.00  0.00  0.00  0.00  0.00',
      'USD  ledger  60.30  0.00  60.30  40.30  0.00  20.00  0.00  0.00',
      'gateway  60.30  40.30  0.00  20.00  0.00  0.00',
      '✔ acme-eu/RENT-1 is paid',
      '✔ acme-eu/RENT-2 is paid',
    ]),
  );
  expect(ends.map(({ code }) => code)).toEqual(ends.map(() => 0));
});

it('runs every command that the pages have there', () => {
  expect(commandsOf(procedure).map(([name]) => name)).toEqual(['reconcile']);
  expect(commandsOf(payday).map(([name]) => name)).toEqual(
    'submit batch todo order release batch report reconcile'.split(' '),
  );
});
