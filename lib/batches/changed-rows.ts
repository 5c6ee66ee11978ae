// Which rows of which batches have left an end since they were counted: announced changes, once the order's own write that
// they announce is there to be seen.
import type { AnnouncedChange, OrderChanges } from './batch-ports.ts';
import type { Clock } from '../payout/ports.ts';

/** What looking for them needs. */
export interface ChangedRowsPorts {
  readonly orderChanges: OrderChanges;
  readonly clock: Clock;
}

/** What has changed. */
export interface ChangedRows {
  /** Of each batch, the keys of the orders. */
  readonly orderKeysOf: ReadonlyMap<string, ReadonlySet<string>>;
  /** Ends the changes all of whose batches were counted; all others come again. */
  markCounted(isCounted: (batchId: string) => boolean): Promise<void>;
}

/** Changes that are taken up at once; what is left is the next round's. */
const changesAtMost = 2_000;
/** A change that was announced is made within seconds or never: waits double from here. */
const soonestWaitMs = 50_000;

/** The changes that are due and were made. */
export async function changedRows({ orderChanges, clock }: ChangedRowsPorts): Promise<ChangedRows> {
  const nowMs = clock.nowMs();
  const announced: AnnouncedChange[] = [];
  for await (const change of orderChanges.announced(nowMs)) {
    announced.push(change);
    if (announced.length === changesAtMost) break;
  }
  const standing = await orderChanges.standing([...new Set(announced.map(({ orderKey }) => orderKey))]);
  const made: { readonly change: AnnouncedChange; readonly batchIds: readonly string[] }[] = [];
  const orderKeysOf = new Map<string, Set<string>>();
  for (const change of announced) {
    const { revision = 0, elsewhere = [] } = standing.get(change.orderKey) ?? {};
    if (revision < change.revision) {
      await orderChanges.waitFor(change, nowMs + Math.max(nowMs - change.announcedAtMs, soonestWaitMs));
      continue;
    }
    const batchIds = [...new Set([...(change.batchId === undefined ? [] : [change.batchId]), ...elsewhere])];
    made.push({ change, batchIds });
    for (const batchId of batchIds)
      orderKeysOf.set(batchId, (orderKeysOf.get(batchId) ?? new Set<string>()).add(change.orderKey));
  }
  return {
    orderKeysOf,
    async markCounted(isCounted) {
      for (const { change, batchIds } of made) if (batchIds.every(isCounted)) await orderChanges.counted(change);
    },
  };
}
