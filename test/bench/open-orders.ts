// A ledger of a million open orders in virtual time, for the sweeper's benchmark: columns instead of objects, an index of
// open work in shards, a checks queue, and inquirers who work it off as fast as their setting allows.
import { acceptedGapSeconds } from './accepted-rhythm.ts';
import type { DueWork } from '../../lib/payout/inquire/due-work.ts';
import type { OwnQueue } from '../../lib/payout/inquire/own-queue.ts';
import type { Order } from '../../lib/payout/order/order.ts';
import type { Orders } from '../../lib/payout/order/orders.ts';
import { anOrder } from '../support/orders.ts';

/** Open orders are accepted, or in doubt and asked about hourly. */
type Kind = 'accepted' | 'in-doubt';

/** Orders by when they are due. What has moved since it was put in is dropped when it comes to the top. */
function createHeap(dueMs: Float64Array) {
  const ids: number[] = [];
  const keys: number[] = [];
  const keyAt = (at: number) => keys[at] ?? Infinity;
  const set = (at: number, id: number, key: number) => void ([ids[at], keys[at]] = [id, key]);

  function pop(): number {
    const first = ids[0] ?? 0;
    const [id = 0, key = 0] = [ids.pop(), keys.pop()];
    let at = 0;
    for (let child = 1; child < ids.length; child = 2 * at + 1) {
      const least = keyAt(child + 1) < keyAt(child) ? child + 1 : child;
      if (keyAt(least) >= key) break;
      set(at, ids[least] ?? 0, keyAt(least));
      at = least;
    }
    if (ids.length > 0) set(at, id, key);
    return first;
  }

  return {
    pop,
    firstDueMs(): number {
      while (ids.length > 0 && dueMs[ids[0] ?? 0] !== keys[0]) pop();
      return keyAt(0);
    },
    push(id: number): void {
      const key = dueMs[id] ?? 0;
      let at = ids.length;
      set(at, id, key);
      for (let parent = (at - 1) >> 1; at > 0 && keyAt(parent) > key; parent = (at - 1) >> 1) {
        set(at, ids[parent] ?? 0, keyAt(parent));
        at = parent;
      }
      set(at, id, key);
    },
  };
}

/** What each step takes a sweeper of 512 MB, a third of a processor, which is what bounds it. */
const cost = { writeMs: 1.4, sendMs: 1.8, pageMs: 15, pageItems: 1_000 };
const shards = 4;

/** How an end was known. */
export interface KnownEnd {
  readonly kind: Kind;
  readonly shard: number;
  readonly lateMs: number;
  /** The rhythm at the age at which it ended. */
  readonly rhythmMs: number;
}

/** Open orders and their way to an end. */
export function createOpenOrders(atMost: number) {
  const dueMs = new Float64Array(atMost);
  const sinceMs = new Float64Array(atMost);
  const endMs = new Float64Array(atMost);
  /** Since when its look is due, whatever the sweeper wrote meanwhile. */
  const wantedMs = new Float64Array(atMost);
  const counts = new Uint16Array(atMost);
  const doubtful = new Uint8Array(atMost);
  const indexes: Record<Kind, ReturnType<typeof createHeap>[]> = {
    accepted: Array.from({ length: shards }, () => createHeap(dueMs)),
    'in-doubt': Array.from({ length: shards }, () => createHeap(dueMs)),
  };
  const queue: { readonly id: number; readonly count: number }[] = [];
  let queueFrom = 0;
  let orders = 0;
  const tally = { writes: 0, sends: 0, pages: 0, looks: 0, open: 0 };
  const known: KnownEnd[] = [];
  const waitsMs: number[] = [];
  const template = anOrder();

  const kindOf = (id: number): Kind => (doubtful[id] === 1 ? 'in-doubt' : 'accepted');
  const heapOf = (id: number) => indexes[kindOf(id)][id % shards] ?? createHeap(dueMs);
  const gapMs = (kind: Kind, ageMs: number) =>
    kind === 'in-doubt' ? 3_600_000 : acceptedGapSeconds(ageMs / 1000) * 1000;

  function orderOf(id: number): Order {
    return { ...template, key: String(id), dueAtMs: dueMs[id] ?? 0, looks: counts[id] ?? 0 };
  }

  return {
    tally,
    known,
    waitsMs,
    depth: () => queue.length - queueFrom,
    open: () => tally.open,
    /** How long those have waited that are due by then and were not looked at. */
    waitingMs: (nowMs: number): number[] =>
      Array.from({ length: orders }, (_, id) => id)
        .filter((id) => dueMs[id] !== -1 && (wantedMs[id] ?? 0) < nowMs)
        .map((id) => nowMs - (wantedMs[id] ?? 0)),
    /** Those that have ended by then, and nobody knows: as late as they are at least. */
    endedAndOpen: (nowMs: number): KnownEnd[] =>
      Array.from({ length: orders }, (_, id) => id)
        .filter((id) => dueMs[id] !== -1 && (endMs[id] ?? 0) < nowMs)
        .map((id) => knownAt(id, nowMs)),
    add(kind: Kind, times: { readonly sinceMs: number; readonly endMs: number; readonly dueMs: number }) {
      const id = orders;
      orders += 1;
      tally.open += 1;
      [sinceMs[id], endMs[id], dueMs[id], doubtful[id]] = [
        times.sinceMs,
        times.endMs,
        times.dueMs,
        kind === 'in-doubt' ? 1 : 0,
      ];
      wantedMs[id] = times.dueMs;
      heapOf(id).push(id);
    },
    /** The ports of one sweeper, whose clock goes by what it does. */
    portsAt(startMs: number) {
      let nowMs = startMs;
      const spend = (ms: number) => void (nowMs += ms);
      /** All shards merged. */
      async function* due(kind: Kind, beforeMs: number, of: readonly number[]) {
        let read = 0;
        for (;;) {
          const heaps = of.map((shard) => indexes[kind][shard] ?? createHeap(dueMs));
          const open = heaps.filter((heap) => heap.firstDueMs() < beforeMs);
          const [first] = open.toSorted((a, b) => a.firstDueMs() - b.firstDueMs());
          if (read % cost.pageItems === 0) {
            spend(cost.pageMs);
            tally.pages += 1;
          }
          if (!first) return;
          read += 1;
          yield orderOf(first.pop());
        }
      }
      const dueWork: DueWork = {
        async *dueWork(kind, beforeMs, { part = { part: 0, of: 1 } } = {}) {
          const own = [0, 1, 2, 3].filter((shard) => shard % part.of === part.part);
          if (kind === 'accepted' || kind === 'in-doubt') yield* due(kind, beforeMs, own);
        },
        async *measured() {},
      };
      const store: Pick<Orders, 'write'> = {
        async write(_, next) {
          const id = Number(next.key);
          spend(cost.writeMs);
          tally.writes += 1;
          dueMs[id] = next.dueAtMs ?? 0;
          heapOf(id).push(id);
          return { kind: 'written' };
        },
      };
      const ownQueue: OwnQueue = {
        async send(checks) {
          spend(cost.sendMs);
          tally.sends += 1;
          for (const { message } of checks)
            if (message.kind === 'check') queue.push({ id: Number(message.key), count: message.number });
          return new Set();
        },
      };
      return {
        dueWork,
        orders: store,
        ownQueue,
        clock: { nowMs: () => nowMs, uptimeMs: () => 0, sleep: async () => {} },
      };
    },
    /** Works off so many checks from then on, evenly over a minute. */
    inquire(fromMs: number, atMostChecks: number): void {
      for (let at = 0; at < atMostChecks && queueFrom < queue.length; at += 1) {
        const next = queue[queueFrom];
        queueFrom += 1;
        if (next && counts[next.id] === next.count) look(next.id, fromMs + (at / atMostChecks) * 60_000);
      }
      if (queueFrom > 500_000) queue.splice(0, queueFrom);
      if (queueFrom > 500_000) queueFrom = 0;
    },
  };

  /** Its next number and due time; an order that has ended leaves the index. */
  function look(id: number, nowMs: number): void {
    tally.looks += 1;
    waitsMs.push(nowMs - (wantedMs[id] ?? 0));
    counts[id] = (counts[id] ?? 0) + 1;
    const [since, end, kind] = [sinceMs[id] ?? 0, endMs[id] ?? 0, kindOf(id)];
    if (nowMs < end) {
      // A minute early, as what no message can carry the sweeper brings up to a minute late.
      dueMs[id] = nowMs + gapMs(kind, nowMs - since) - 60_000;
      wantedMs[id] = dueMs[id] ?? 0;
      heapOf(id).push(id);
      return;
    }
    dueMs[id] = -1;
    tally.open -= 1;
    known.push(knownAt(id, nowMs));
  }

  function knownAt(id: number, nowMs: number): KnownEnd {
    const [since, end, kind] = [sinceMs[id] ?? 0, endMs[id] ?? 0, kindOf(id)];
    return { kind, shard: id % shards, lateMs: nowMs - end, rhythmMs: gapMs(kind, end - since) };
  }
}
