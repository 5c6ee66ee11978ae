// The first reading of a file: what it asks for in all, and by which digests a second reading is held to it.
import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { BadRow, CheckedRow } from '../../lib/batches/check-rows.ts';
import { createSubtotals, surveyRows } from '../../lib/batches/survey-rows.ts';
import { all, checked, payoutJobs } from '../support/bulk-rows.ts';
import { anEligibilityJob, aPayoutJob, aTransferByRefJob, type JobBody, jobOf } from '../support/jobs.ts';

const survey = (rows: AsyncIterable<readonly CheckedRow[]>) => surveyRows(rows, () => {});
const hashOf = (texts: readonly string[]) => createHash('sha256').update(texts.join('')).digest('hex');

describe('the digests of a file', () => {
  it('are one for each part of five hundred rows, over the messages, a line each', async () => {
    const jobs = payoutJobs(1_001);
    const lines = jobs.map((job) => `${JSON.stringify(job)}\n`);
    const parts = [lines.slice(0, 500), lines.slice(500, 1_000), lines.slice(1_000)].map(hashOf);
    const { partDigests, contentHash } = await survey(checked(jobs));
    expect(partDigests).toEqual(parts);
    // One digest over all of them says that it is the same file, read by the same command line.
    expect(contentHash).toBe(hashOf(parts));
  });

  it('are no more than its parts where the last is full', async () => {
    expect((await survey(checked(payoutJobs(500)))).partDigests).toHaveLength(1);
    expect((await survey(checked(payoutJobs(1_000)))).partDigests).toHaveLength(2);
    expect((await survey(checked([]))).partDigests).toEqual([]);
  });

  it('are of the good rows alone: rejects are never sent', async () => {
    const [first, second] = payoutJobs(2);
    const good = await survey(checked([first, second]));
    const mixed = await survey(checked([first, undefined, second]));
    expect(mixed.partDigests).toEqual(good.partDigests);
    expect(mixed).toMatchObject({ rows: 2, rejected: 1, cutOff: false, contentHash: good.contentHash });
  });
});

describe('the sums of a file', () => {
  it('are by merchant, operation and currency; its control totals by currency alone', async () => {
    const jobs = [
      aPayoutJob({ orderId: 'A' }),
      aPayoutJob({ orderId: 'B', merchant: 'globex-us' }),
      aTransferByRefJob(),
      anEligibilityJob(),
    ];
    const { rows, rejected, cutOff, subtotals, totals } = await survey(checked(jobs));
    expect({ rows, rejected, cutOff }).toEqual({ rows: 4, rejected: 0, cutOff: false });
    expect(subtotals).toEqual([
      { merchant: 'acme-eu', operation: 'pan-eligibility', count: 1, minorUnits: 0n },
      { merchant: 'acme-eu', operation: 'payout', currency: 'EUR', count: 1, minorUnits: 1042n },
      { merchant: 'acme-eu', operation: 'transfer-by-ref', currency: 'JPY', count: 1, minorUnits: 1000n },
      { merchant: 'globex-us', operation: 'payout', currency: 'EUR', count: 1, minorUnits: 1042n },
    ]);
    expect(totals).toStrictEqual({ EUR: { count: 2, minorUnits: 2084n }, JPY: { count: 1, minorUnits: 1000n } });
  });

  it('of checks alone hold no money', async () => {
    expect(await survey(checked([anEligibilityJob()]))).toMatchObject({ rows: 1, totals: {} });
  });
});

describe('rows that are rejected', () => {
  it('are written down one after the other, in the order of the file', async () => {
    const written: string[] = [];
    const slowly = async ({ row }: BadRow) => {
      written.push(`begins ${row}`);
      await Promise.resolve();
      written.push(`ends ${row}`);
    };
    await surveyRows(checked([undefined, aPayoutJob(), undefined]), slowly);
    expect(written).toEqual(['begins 2', 'ends 2', 'begins 4', 'ends 4']);
  });

  it('may say that the rest of the file could not be read; that is not forgotten over a later row', async () => {
    async function* rows(): AsyncGenerator<readonly CheckedRow[]> {
      yield [{ kind: 'rejected', row: 2, faults: [], cutOff: true }];
      yield [{ kind: 'rejected', row: 3, faults: [] }];
    }
    expect(await survey(rows())).toMatchObject({ rows: 0, rejected: 2, cutOff: true });
  });
});

it('names the batch that the rows name themselves, and none where they name none', async () => {
  const named = await survey(checked([aPayoutJob({ batchId: 'nov' }), aPayoutJob({ orderId: 'B', batchId: 'nov' })]));
  expect(named).toMatchObject({ rows: 2, batchId: 'nov' });
  expect(await survey(checked([aPayoutJob()]))).not.toHaveProperty('batchId');
});

it('the same rows in other pieces are the same file', async () => {
  const jobs = payoutJobs(30);
  async function* one(): AsyncGenerator<readonly CheckedRow[]> {
    yield await all(checked(jobs));
  }
  expect(await survey(one())).toEqual(await survey(checked(jobs)));
});

// What a file asks for, added up: a person decides by these sums whether it is sent, so no cent may be lost or moved.

function subtotalsOf(...bodies: readonly JobBody[]) {
  const subtotals = createSubtotals();
  for (const body of bodies) subtotals.add(jobOf(body));
  return subtotals.all();
}

const payout = (merchant: string, amount: string, currency = 'EUR') =>
  aPayoutJob({ merchant, params: { amount, currency } });

it('adds up by merchant, operation and currency, and lists the sums by name, however the file mixes them', () => {
  expect(
    subtotalsOf(
      payout('globex-us', '1.00'),
      payout('acme-eu', '10.42'),
      aTransferByRefJob(),
      payout('acme-eu', '5.00', 'USD'),
      anEligibilityJob(),
      payout('globex-us', '2.50'),
      payout('acme-eu', '0.01'),
      anEligibilityJob(),
    ),
  ).toStrictEqual([
    { merchant: 'acme-eu', operation: 'pan-eligibility', count: 2, minorUnits: 0n },
    { merchant: 'acme-eu', operation: 'payout', currency: 'EUR', count: 2, minorUnits: 1043n },
    { merchant: 'acme-eu', operation: 'payout', currency: 'USD', count: 1, minorUnits: 500n },
    { merchant: 'acme-eu', operation: 'transfer-by-ref', currency: 'JPY', count: 1, minorUnits: 1000n },
    { merchant: 'globex-us', operation: 'payout', currency: 'EUR', count: 2, minorUnits: 350n },
  ]);
});

it('is exact beyond what a floating-point number holds', () => {
  const subtotals = createSubtotals();
  const job = jobOf(payout('acme-eu', '0.01'));
  subtotals.add({ ...job, money: { currency: 'EUR', minorUnits: 9_007_199_254_740_993n } });
  subtotals.add(job);
  expect(subtotals.all()).toMatchObject([{ count: 2, minorUnits: 9_007_199_254_740_994n }]);
});

it('of an empty file is nothing', () => {
  expect(subtotalsOf()).toEqual([]);
});
