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
