// What a file asks for in all, and the digest by which it is known to be read as the same jobs.
import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { BadRow, CheckedRow } from '../../lib/files/check-rows.ts';
import { surveyRows } from '../../lib/batches/survey-rows.ts';
import { all, checked, payoutJobs } from '../support/bulk-rows.ts';
import { anEligibilityJob, aPayoutJob, aTransferByRefJob } from '../support/jobs.ts';

const survey = (rows: AsyncIterable<readonly CheckedRow[]>) => surveyRows(rows, () => {});
const hashOf = (texts: readonly string[]) => createHash('sha256').update(texts.join('')).digest('hex');

describe('the digest of a file', () => {
  it('is over one for each part of five hundred rows, over the messages, a line each', async () => {
    const jobs = payoutJobs(1_001);
    const lines = jobs.map((job) => `${JSON.stringify(job)}\n`);
    const parts = [lines.slice(0, 500), lines.slice(500, 1_000), lines.slice(1_000)].map(hashOf);
    const { contentHash } = await survey(checked(jobs));
    expect(contentHash).toBe(hashOf(parts));
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
});

it('the same rows in other pieces are the same file', async () => {
  const jobs = payoutJobs(30);
  async function* one(): AsyncGenerator<readonly CheckedRow[]> {
    yield await all(checked(jobs));
  }
  expect(await survey(one())).toEqual(await survey(checked(jobs)));
});

// What a file asks for, added up: a person decides by these sums whether it is sent, so no cent may be lost or moved.
