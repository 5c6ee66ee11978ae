// Waiting rows in memory: the table, the rights to drain, and the data keys. An index may be late, as that of DynamoDB.
import { createHash } from 'node:crypto';
import type { DataKeys } from '../../lib/payout/waiting/body-seal.ts';
import { wholeIndex } from '../../lib/payout/inquire/due-work.ts';
import { type LaneName, laneOfName } from '../../lib/payout/lanes/lane.ts';
import type { DrainRight, DrainRights } from '../../lib/payout/waiting/drain-right.ts';
import {
  lineCountedTo,
  placesOfOrder,
  type RowHead,
  type RowPlace,
  type WaitingRow,
  type WaitingRows,
} from '../../lib/payout/waiting/waiting-row.ts';

const keyOf = ({ key, slot }: RowPlace) => `${key}#${slot}`;
const nameOf = ({ merchant, endpointId }: LaneName) => `${merchant}/${endpointId}`;
const orderOf = (a: RowHead, b: RowHead) => a.goAtMs - b.goAtMs || (keyOf(a) < keyOf(b) ? -1 : 1);

function headOf(row: WaitingRow): RowHead {
  const { key, slot, lane, class: of, shard, goAtMs, sinceMs, because, expiresAtMs, batchId, money } = row;
  return {
    key,
    slot,
    lane,
    class: of,
    shard,
    goAtMs,
    sinceMs,
    because,
    ...(expiresAtMs !== undefined && { expiresAtMs }),
    ...(batchId !== undefined && { batchId }),
    ...(money && { money }),
  };
}

const partOf = ({ key }: RowPlace, of: number) => createHash('sha256').update(key).digest().readUInt32BE(0) % of;

/** Rows over a map. */
export function createMemoryWaiting(rows = new Map<string, WaitingRow>()): WaitingRows {
  const ofLine = (lane: LaneName, of: string) =>
    [...rows.values()].filter((it) => nameOf(it.lane) === nameOf(lane) && it.class === of).toSorted(orderOf);
  const isStill = (row: Pick<WaitingRow, 'nonce'> & RowPlace) => rows.get(keyOf(row))?.nonce === row.nonce;
  const ofOrder = (key: string) =>
    Array.from({ length: placesOfOrder }, (_, slot) => rows.get(keyOf({ key, slot }))).filter((it) => it !== undefined);
  return {
    async put(row) {
      const same = ofOrder(row.key).find(({ digest }) => digest === row.digest);
      const slots = Array.from({ length: placesOfOrder }, (_, slot) => slot);
      const slot = same?.slot ?? slots.find((it) => !rows.has(keyOf({ key: row.key, slot: it })));
      if (slot === undefined) return 'full';
      rows.set(keyOf({ key: row.key, slot }), { ...row, slot });
      return 'put';
    },
    read: async (place) => rows.get(keyOf(place)),
    ofOrder: async (key) => ofOrder(key),
    async heads({ lane, class: of, shard }, after, atMost) {
      const heads = ofLine(lane, of).map(headOf);
      return heads
        .filter((it) => it.shard === shard && (!after || orderOf({ ...it, ...after }, it) < 0))
        .filter((it) => !after || it.goAtMs !== after.goAtMs || keyOf(it) !== keyOf(after))
        .slice(0, atMost);
    },
    async length(lane, of) {
      const line = ofLine(lane, of);
      const rows = Math.min(line.length, lineCountedTo);
      if (line.length === 0) return { rows };
      const oldestSinceMs = Math.min(...line.map(({ sinceMs }) => sinceMs));
      return { rows, oldestSinceMs, firstGoAtMs: Math.min(...line.map(({ goAtMs }) => goAtMs)) };
    },
    async move(row, to) {
      if (!isStill(row)) return false;
      rows.set(keyOf(row), { ...row, ...to, waits: row.waits + 1 });
      return true;
    },
    async remove(row) {
      if (!isStill(row)) return false;
      return rows.delete(keyOf(row));
    },
    async *all({ part, of } = wholeIndex) {
      for (const row of rows.values())
        if (rows.has(keyOf(row)) && (of === 1 || partOf(row, of) === part)) yield headOf(row);
    },
  };
}

/** Rights over a map, whose store has this clock. */
export function createMemoryDrainRights(nowMs: () => number, items = new Map<string, DrainRight>()): DrainRights {
  const moment = () => ({ atMs: Math.floor(nowMs() / 1000) * 1000 });
  const names = new Set(items.keys());
  return {
    async read(lane) {
      const right = items.get(nameOf(lane));
      return { ...moment(), ...(right && { right }) };
    },
    async write(lane, next) {
      if ((items.get(nameOf(lane))?.number ?? 0) !== next.number - 1) return { ...moment(), kind: 'lost' };
      items.set(nameOf(lane), next);
      names.add(nameOf(lane));
      return { ...moment(), kind: 'written' };
    },
    name: async (lane) => void names.add(nameOf(lane)),
    all: async () =>
      [...names].toSorted().map((name) => {
        const right = items.get(name);
        return { ...laneOfName(name), ...(right && { right }) };
      }),
  };
}

/** One data key for all hours, "wrapped" by its name. */
export function createMemoryDataKeys(): DataKeys {
  const plain = createHash('sha256').update('a data key of no KMS').digest();
  return {
    current: async () => ({ plain, wrapped: 'key-1' }),
    answers: async () => true,
    async unwrap(wrapped) {
      if (wrapped !== 'key-1') throw new Error('not a key of ours');
      return plain;
    },
  };
}
