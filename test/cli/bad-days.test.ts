// `payouts local --faults …`: a slow, closed, refusing or empty gateway costs time, never an order. Each of these days ends
// with every order paid, once.
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { Accounts } from '../../lib/local/accounts.ts';
import { aPayoutJob } from '../support/jobs.ts';
import { runCli, turns } from './support/cli.ts';
import { aDirectory } from './support/files.ts';

const directory = aDirectory();

const jobsOf = (name: string) =>
  ['acme-eu', 'globex-us'].flatMap((merchant) =>
    Array.from({ length: 20 }, (_, index) =>
      aPayoutJob({
        merchant,
        orderId: `${name}-${index}`,
        ...(index % 2 === 0 && { batchId: 'payday' }),
        params: { amount: '1.00', currency: 'USD', account_number: 'DE89370400440532013000', bank_name: 'Bank' },
      }),
    ),
  );

// They wait far more than they work, so two are made side by side.
const inTurn = turns(2);

it.concurrent.each(['rate-limit', 'outage', 'wrong-key', 'no-funds'])(
  '%s: every order is paid, none is lost, declined or dead',
  // A day takes half a minute to a minute alone, longer on a busy machine, and waits for its turn; the run itself says when it gives up.
  { timeout: 900_000 },
  async (faults) => {
    const file = await directory.file(
      `${faults}.jsonl`,
      jobsOf(faults)
        .map((job) => JSON.stringify(job))
        .join('\n'),
    );
    const results = join(directory.path(), faults, 'results.jsonl');
    const { code, stdout } = await inTurn(() =>
      runCli(['local', file, '--faults', faults, '--results', results, '--json'], { cwd: directory.path() }),
    );
    const accounts = JSON.parse(stdout) as Accounts;
    const others = Object.entries(accounts.endings).filter(
      ([ending, jobs]) => jobs > 0 && !/^(paid|accepted)$/.test(ending),
    );
    expect({ code, others, deadLetters: accounts.deadLetters }).toEqual({ code: 0, others: [], deadLetters: 0 });
    expect(accounts.money).toMatchObject([
      { currency: 'USD', counted: '40.00', countedOrders: 40, difference: '0.00' },
    ]);
    expect(accounts.paidTwice).toEqual([]);
  },
);

it('brownout: a merchant that can ask is stopped on doubt, and all its orders settle after the recovery', async () => {
  const params = { amount: '900.00', currency: 'USD' };
  const jobs = Array.from({ length: 60 }, (_, at) =>
    JSON.stringify(aPayoutJob({ merchant: 'globex-us', orderId: `BAD-${at}`, params })),
  );
  const file = await directory.file('jobs.jsonl', jobs.join('\n'));
  const end = await inTurn(() => runCli(['local', file, '--faults', 'brownout'], { cwd: directory.path() }));
  expect(end).toMatchObject({ code: 0, stderr: '' });
  expect(end.stdout).toMatch(/ [1-9]\d* in doubt /);
  expect(end.stdout).toContain('globex-us stopped on doubt');
  const [, table = ''] = end.stdout.split('dead letters');
  // Of the endings, none but paid and accepted: nothing is left in doubt.
  for (const ending of ['checked', 'declined', 'failed', 'in doubt', 'missing'])
    expect(table).not.toMatch(new RegExp(`^ +${ending} +\\d`, 'm'));
  expect(table).toMatch(/USD +54000\.00 \(60\) +54000\.00 \(60\) +0\.00 \(0\) +0\.00/);
  expect(table).toContain('✔ all 60 jobs: 60 ');
}, 600_000);
