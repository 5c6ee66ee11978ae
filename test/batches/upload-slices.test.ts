// Good rows cut into parts and calls: no row is left out or doubled.
import { contentDigest } from '../../lib/payout/message/plain-digest.ts';
import { describe, expect, it } from 'vitest';
import { type Slice, type SlicePlan, slicesOf } from '../../lib/batches/upload-slices.ts';
import { checked, payoutJobs } from '../support/bulk-rows.ts';
import { aPayoutJob, anEligibilityJob, jobOf, type JobBody } from '../support/jobs.ts';

type Jobs = readonly (JobBody | undefined)[];
/** Every slice of a file. */
async function cut(jobs: Jobs, plan: Partial<SlicePlan> = {}) {
  const list: Slice[] = [];
  for await (const slice of slicesOf(checked(jobs), { batchId: 'nov', firstPart: 0, ...plan }, () => false))
    list.push(slice);
  return { list };
}

const idsOf = (list: readonly Slice[]) =>
  list.flatMap(({ jobs }) => jobs.map(({ body }) => (JSON.parse(body) as JobBody).orderId));
const ids = (jobs: Jobs) => jobs.map((job) => job?.orderId);

describe('the calls of a file', () => {
  it('hold ten jobs each, and never jobs of two parts', async () => {
    const jobs = payoutJobs(1_013);
    const { list } = await cut(jobs);
    expect(idsOf(list)).toEqual(ids(jobs));
    const sizes = [0, 1, 2].map((n) => list.filter(({ part }) => part.n === n).map((it) => it.jobs.length));
    expect(sizes).toEqual([Array(50).fill(10), Array(50).fill(10), [10, 3]]);
    expect(list.map(({ part }) => part.unsent)).toEqual([...Array(100).fill(500), 13, 13]);
  });

  it('bear each job with its row, its merchant’s group and its batch; the part has its order and money', async () => {
    const check = anEligibilityJob({ merchant: 'globex-us' });
    const { list } = await cut([aPayoutJob(), undefined, check]);
    expect(list).toHaveLength(1);
    const [slice] = list;
    expect(slice?.jobs.map(({ body, ...it }) => ({ ...it, message: JSON.parse(body) }))).toEqual([
      { row: 2, groupId: 'acme-eu', message: { ...aPayoutJob(), batchId: 'nov' } },
      { row: 4, groupId: 'globex-us', message: { ...check, batchId: 'nov' } },
    ]);
    const digests = slice?.jobs.map(({ body }) => contentDigest(jobOf(JSON.parse(body) as JobBody)));
    expect(slice?.part.rows).toEqual([
      { orderKey: 'acme-eu/INV-1', digest: digests?.[0], money: { currency: 'EUR', minorUnits: 1042n } },
      { orderKey: 'globex-us/CHK-1', digest: digests?.[1] },
    ]);
    expect(slice?.part.unsent).toBe(2);
  });
});

describe('finishing', () => {
  it('is of ten rows at once, not of a whole part: each may ask the ledger', async () => {
    let [underWay, most] = [0, 0];
    const { list } = await cut(payoutJobs(25), {
      async finish(message, row) {
        underWay += 1;
        most = Math.max(most, underWay);
        await Promise.resolve();
        underWay -= 1;
        return { ...message, sealedParams: `sealed-${row.row}` };
      },
    });
    expect(most).toBe(10);
    const seals = list.flatMap(({ jobs }) => jobs.map(({ body }) => (JSON.parse(body) as JobBody).sealedParams));
    expect(seals).toEqual(Array.from({ length: 25 }, (_, n) => `sealed-${n + 2}`));
  });
});
