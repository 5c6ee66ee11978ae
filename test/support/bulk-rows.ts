// Rows of files, as the stories of `payouts submit` write them.
import type { CheckedRow, CheckPorts } from '../../lib/files/check-rows.ts';
import { checkRows } from '../../lib/files/check-rows.ts';
import type { BulkRow } from '../../lib/files/bulk-row.ts';
import { aPayoutJob, type JobBody } from './jobs.ts';

/** Jobs as the rows of one file, from row 2 on, a few at a time. */
async function* rowsOf(jobs: readonly (JobBody | undefined)[]): AsyncGenerator<readonly BulkRow[]> {
  for (let at = 0; at < jobs.length; at += 7) {
    yield jobs.slice(at, at + 7).map((job, index) => {
      const row = at + index + 2;
      return job ? { row, message: { ...job }, faults: [] } : { row, faults: [{ path: '', fault: 'is not JSON' }] };
    });
  }
}

/** The first row of each order. */
export function firstOfOrders(): CheckPorts['firstOfOrder'] {
  const rows = new Map<string, number>();
  return (key, row) => {
    const first = rows.get(key);
    if (first === undefined) rows.set(key, row);
    return first;
  };
}

/** The rows of these jobs, judged. */
export function checked(
  jobs: readonly (JobBody | undefined)[],
  { batch, ...ports }: Partial<CheckPorts> & { readonly batch?: string } = {},
): AsyncGenerator<readonly CheckedRow[]> {
  return checkRows(rowsOf(jobs), batch, { firstOfOrder: firstOfOrders(), ...ports });
}

/** Payouts that are all right, and all different. */
export function payoutJobs(count: number): JobBody[] {
  return Array.from({ length: count }, (_, index) => aPayoutJob({ orderId: `INV-${index}` }));
}

/** Collects all items of the lists. */
export async function all<T>(some: AsyncIterable<readonly T[]>): Promise<T[]> {
  const list: T[] = [];
  for await (const items of some) list.push(...items);
  return list;
}
