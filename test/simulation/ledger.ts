// The orders of a world: those in memory, which the contracts hold to DynamoDB's, behind calls that fail in every way that its can.
// Each write is shown to the truth as it happens.
import type { DueWork } from '../../lib/payout/inquire/due-work.ts';
import { openWorkOf, type OpenWorkKind } from '../../lib/payout/order/open-work.ts';
import type { Order } from '../../lib/payout/order/order.ts';
import type { Orders, StoredOrder } from '../../lib/payout/order/orders.ts';
import { createMemoryOrders } from '../support/memory-orders.ts';
import type { Cards } from './cards.ts';
import type { HeldTruth, Writer } from './design-rules.ts';
import type { Coverage } from './fault-kinds.ts';
import type { Process, Reply } from './process.ts';
import { seen, type SeenOrder, type SeenOrders } from './seen.ts';
import type { Story } from './story.ts';
import type { Timeline } from './timeline.ts';
import type { Effect, LedgerFault, Weather } from './weather.ts';

/** The surroundings of the ledger. */
export interface LedgerSurroundings {
  readonly timeline: Timeline;
  readonly weather: () => Weather;
  readonly truth: HeldTruth;
  readonly story: Story;
  readonly entries: SeenOrders;
  readonly items: Map<string, Order>;
  readonly onWrite: (before: SeenOrder | undefined, after: SeenOrder) => void;
  readonly witness: Coverage['witness'];
  readonly cards: Cards;
}

/** The SDK has given up by then: three tries of two seconds. */
const givenUpAfterMs = 6_000;
const landsAfterMs = 20_000;
/** An index follows within a second, without a guarantee. */
const indexLagMs = 120_000;
const unreadable: StoredOrder = { kind: 'unreadable', reason: "this version can't read the item's v" };

/** The ledger of a world. */
export interface WorldLedger {
  /** The ledger as a process reaches it. */
  portFor(process: Process): Orders & DueWork;
  /** In the hands of a person in no hurry. */
  asPerson(): Orders & DueWork;
  /** Replaces the table by another one with these orders; the answer is that table, in the hands of a person. */
  replaceBy(items: ReadonlyMap<string, Order>): Orders & DueWork;
}

type Version = Pick<Process, 'version'>;

/** The ledger, as ports for each process. */
export function createLedger(surroundings: LedgerSurroundings): WorldLedger {
  const { timeline, weather, truth, story, entries, items, onWrite, witness, cards } = surroundings;
  const inNewLayout = new Set<string>();
  /** The orders that an index that lags behind still shows. */
  const lately = new Map<string, { readonly order: Order; readonly untilMs: number }>();
  let table = 1;
  /** The process whose code calls the table. */
  let asking: Writer & Version = { name: '', version: 'newer', begunAtMs: 0 };

  /** The orders, as the calling process writes them. */
  const written = new (class extends Map<string, Order> {
    override get = (key: string) => items.get(key);
    override values = () => items.values();
    override delete = (key: string) => items.delete(key);
    override set(key: string, order: Order): this {
      const [before, after] = [entries.get(key), seen(order)];
      items.set(key, order);
      if (isUnread(key)) truth.breaks(`older code wrote over ${key}, which stood in a layout that it can't read`);
      truth.writes(before, after, asking);
      cards.writes(after);
      onWrite(before, after);
      if (before) lately.set(key, { order: before.order, untilMs: timeline.nowMs() + indexLagMs });
      if (asking.version === 'newer' && weather().newLayout(after)) inNewLayout.add(key);
      story.tell(asking.name, key, () => `ledger: ${before?.state ?? 'nothing'} → ${after.state} (${tale(after)})`);
      return this;
    }
  })();
  const store = asItsCodeReads(createMemoryOrders(written));

  /** The calling process is of an older version, and newer code wrote this order in a layout of its own. */
  function isUnread(key: string): boolean {
    return asking.version === 'older' && inNewLayout.has(key);
  }

  /** Older code reads nothing of a new layout, and the table takes nothing of it there. */
  function asItsCodeReads(orders: Orders & DueWork): Orders & DueWork {
    return {
      ...orders,
      read: async (key) => (isUnread(key) ? unreadable : orders.read(key)),
      write: async (before, next) => (isUnread(next.key) ? unreadable : orders.write(before, next)),
      markPublished: async (order) => {
        if (!isUnread(order.key)) await orders.markPublished(order);
      },
    };
  }

  /** Its message may have come back before a claim landed, or no process has heard that it did: nothing is sent under it. */
  function losesClaim(key: string): void {
    const entry = entries.get(key);
    if (entry?.state === 'sending') truth.losesClaims(new Set([entry.owner]));
  }

  function effectOn(its: number) {
    return <T>(process: Process, effect: Effect, key: string, run: () => Promise<T>): Promise<T> =>
      process.askTable(effect, key, () => {
        const fault = weather().ledger(effect);
        if (fault !== 'none') story.tell(process.name, key, () => `ledger (${effect}): ${fault}`);
        const begunAtMs = process.begunAtMs() + process.nowMs() - timeline.nowMs();
        const write = async () => {
          // A late write lands in the table that it was sent to, which may be out of service by then.
          if (its !== table) return failed();
          asking = { name: process.name, version: process.version, begunAtMs };
          if (isUnread(key)) witness('an older version meets a newer layout');
          const claimed = entries.get(key)?.owner;
          const answer = await run();
          if (fault === 'answer lost' && entries.get(key)?.owner !== claimed)
            truth.doubtsClaims(entries.get(key)?.owner);
          return answer;
        };
        return underFault(fault, timeline, write, () => losesClaim(key));
      });
  }

  function portFor(process: Process): Orders & DueWork {
    const effect = effectOn(table);
    return {
      write: (before, next) =>
        effect(process, before.version === 0 ? 'put' : 'write', next.key, () => store.write(before, next)),
      read: (key) => effect(process, 'read', key, () => store.read(key)),
      markPublished: (order) => effect(process, 'mark', order.key, () => store.markPublished(order)),
      restored: store.restored,
      async *dueWork(...asked) {
        // A query that finds nothing changes nothing, whatever happens meanwhile.
        if ((await all(store.dueWork(...asked))).length === 0) return;
        const [kind, , { onUnreadable } = {}] = asked;
        yield* await askIndex(process, kind, onUnreadable, (index) => index.dueWork(...asked));
      },
      move: (key, ...times) => effect(process, 'write', key, () => store.move(key, ...times)),
      async *measured(...asked) {
        if ((await all(store.measured(...asked))).length === 0) return;
        const [kind, { onUnreadable } = {}] = asked;
        yield* await askIndex(process, kind, onUnreadable, (index) => index.measured(...asked));
      },
    };
  }

  /** The index as this process reads it. */
  function askIndex<T>(
    process: Process,
    kind: OpenWorkKind,
    onUnreadable: ((key: string) => void) | undefined,
    ask: (index: DueWork) => AsyncIterable<T>,
  ): Promise<T[]> {
    return process.effect('open work', '', () => {
      if (weather().ledger('open work') === 'throttled') return { answer: failed() };
      const shown = new Map(weather().staleIndex() ? asIndexed() : items);
      for (const [key, order] of process.version === 'older' ? shown : []) {
        if (!inNewLayout.has(key)) continue;
        shown.delete(key);
        if (openWorkOf(order)?.kind === kind) onUnreadable?.(key);
      }
      return { answer: all(ask(createMemoryOrders(shown))) };
    });
  }

  /** Each order before a write that the index has not seen yet. */
  function asIndexed(): Map<string, Order> {
    const shown = new Map(items);
    for (const [key, { order, untilMs }] of lately) if (untilMs > timeline.nowMs()) shown.set(key, order);
    return shown;
  }

  function replaceBy(others: ReadonlyMap<string, Order>): Orders & DueWork {
    table += 1;
    items.clear();
    lately.clear();
    for (const [key, order] of others) {
      items.set(key, order);
      onWrite(undefined, seen(order));
    }
    return asPerson();
  }

  function asPerson(): Orders & DueWork {
    const by = <T extends unknown[], R>(call: (...given: T) => R) => {
      return (...given: T) => {
        asking = { name: 'restorer', version: 'newer', begunAtMs: 0 };
        return call(...given);
      };
    };
    return { ...store, read: by(store.read), write: by(store.write) };
  }

  return { portFor, asPerson, replaceBy };
}

/** Made once: an error costs its stack, and these are many. */
const silence = new Error('the ledger did not answer');

/** A call of a store with this fault. */
export function underFault<T>(
  fault: LedgerFault,
  timeline: Timeline,
  write: () => Promise<T>,
  onLate: () => void = () => {},
): Reply<T> {
  const fails = () => Promise.reject<T>(silence);
  switch (fault) {
    case 'none':
      return { answer: write() };
    case 'throttled':
      return { answer: fails() };
    case 'answer lost':
      write().catch(() => {});
      return { answer: fails(), afterMs: givenUpAfterMs };
    case 'found own write':
      write().catch(() => {});
      return { answer: write() };
    case 'lands late':
      timeline.after(landsAfterMs, () => {
        write().catch(() => {});
        onLate();
      });
      return { answer: fails(), afterMs: givenUpAfterMs };
  }
}

const failed = () => Promise.reject<never>(new Error('the index did not answer'));

async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const item of items) found.push(item);
  return found;
}

const tale = ({ owner, revision, failure, order, unpublished }: SeenOrder) =>
  `revision ${revision}, version ${order.version}, owner ${owner}${failure ? `, ${failure.code}` : ''}${unpublished ? ', untold' : ''}`;
