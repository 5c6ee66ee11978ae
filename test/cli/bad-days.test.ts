// `payouts local --faults …`: a slow, closed, refusing or empty gateway costs time, never an order. Each of these days ends
// with every order paid, once.
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { RunBooks } from '../../lib/local/run-books.ts';
import type { PaymentsVerdict } from '../../lib/operate/verdict.ts';
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
    const run = JSON.parse(stdout) as PaymentsVerdict & { readonly books: RunBooks; readonly deadLetters: number };
    const others = Object.keys(run.standings).filter((standing) => !['paid', 'accepted'].includes(standing));
    expect({ code, others, deadLetters: run.deadLetters }).toEqual({ code: 0, others: [], deadLetters: 0 });
    expect(run.books.counted).toEqual([{ currency: 'USD', amount: '40.00', orders: 40 }]);
    expect(run.books.paidTwice).toEqual([]);
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
  expect(end.stdout).toContain('stopped on doubt');
  expect(end.stdout).toContain('the gateway counted  54000.00 USD (60)');
  expect(end.stdout).toMatch(/✔ all 60 jobs: 60 (paid|accepted)\n/);
}, 600_000);
