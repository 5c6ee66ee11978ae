// The ledger of a world: the memory ledger, or the real adapter over a simulated table, behind calls that fail in every way that DynamoDB's can. After each call
// the truth is shown what became of the order.
import { createDynamoDbLedger } from '../../lib/aws/dynamodb-ledger.ts';
import { createMemoryLedger } from '../support/memory-ledger.ts';
import type { DueWork } from '../../lib/payout/due-work.ts';
import type { FoundEntry, Ledger } from '../../lib/payout/ports.ts';
import type { LedgerEntry } from '../../lib/payout/ledger.ts';
import type { Cards } from './cards.ts';
import type { Process, Reply } from './process.ts';
import type { Sabotage } from './sabotage.ts';
import { layoutVersion } from '../../lib/aws/ledger-item.ts';
import { createTable } from './table.ts';
import type { Item } from './table-expressions.ts';
import type { Story } from './story.ts';
import type { Timeline } from './timeline.ts';
import type { HeldTruth, Writer } from './design-rules.ts';
import type { Effect, LedgerFault, Weather } from './weather.ts';

/** What the ledger lives in. */
export interface LedgerSurroundings {
  readonly timeline: Timeline;
  readonly weather: () => Weather;
  readonly truth: HeldTruth;
  readonly story: Story;
  readonly entries: Map<string, LedgerEntry>;
  readonly onWrite: (before: LedgerEntry | undefined, after: LedgerEntry) => void;
  /** The store itself may be sabotaged, or what its adapter asks of the table; see planted-bugs.ts. */
  readonly sabotage?: Sabotage | undefined;
  readonly cards: Cards;
  /** The real adapter over a simulated table (table.ts), which takes twice as long as the memory ledger. */
  readonly onTable: boolean;
}

/** The SDK has given up by then: three tries of two seconds. */
const givenUpAfterMs = 6_000;
const landsAfterMs = 20_000;
/** An index follows within a second; nobody promises it. */
const indexLagMs = 120_000;
const unreadable: FoundEntry = { kind: 'unreadable', reason: "this version can't read the item's v" };

/** The ledger of a world. */
export interface WorldLedger {
  /** As a process meets it. */
  portFor(process: Process): Ledger & DueWork;
  /** From now on it is another table with these entries; the answer is that table, in the hands of a person in no hurry. */
  replaceBy(entries: ReadonlyMap<string, LedgerEntry>): Ledger & DueWork;
}

/** The ledger, as ports for each process. */
export function createLedger(surroundings: LedgerSurroundings): WorldLedger {
  const { timeline, weather, truth, story, entries, onWrite, sabotage, cards, onTable } = surroundings;
  const inMemory = createMemoryLedger(entries);
  // What is found by an index is found by the memory ledger's.
  const isStale = () => weather().staleRead();
  const seenAs = (key: string, item: Item) =>
    asking === 'older' && inNewLayout.has(key) ? { ...item, v: { N: String(layoutVersion + 1) } } : item;
  const client = createTable({ entries, isStale, spoiled: sabotage?.request, seenAs });
  const honest = onTable ? { ...inMemory, ...createDynamoDbLedger({ client, tableName: 'ledger' }) } : inMemory;
  const store = sabotage?.store?.(honest, entries) ?? honest;
  const inNewLayout = new Set<string>();
  /** What an index that lags behind still shows. */
  const lately = new Map<string, { readonly entry: LedgerEntry; readonly untilMs: number }>();
  let table = 1;
  /** Whose code speaks to the table. */
  let asking: Process['version'] = 'newer';

  /** Calls the store, which changes in this very turn, and shows the truth what changed. */
  function call<T>(process: Writer & Pick<Process, 'version'>, key: string, store: () => Promise<T>): Promise<T> {
    const before = entries.get(key);
    asking = process.version;
    const answer = store();
    const after = entries.get(key);
    truth.writes(before, after, process);
    if (onTable && process.version === 'older' && inNewLayout.has(key) && isMoreThanWords(before, after))
      truth.breaks(`older code wrote over ${key}, which stood in a layout that it can't read`);
    if (before !== after) cards.writes(after);
    if (before !== after && after) {
      onWrite(before, after);
      if (before) lately.set(key, { entry: before, untilMs: timeline.nowMs() + indexLagMs });
      if (process.version === 'newer' && weather().newLayout(after)) inNewLayout.add(key);
      story.tell(process.name, key, () => `ledger: ${before?.state ?? 'nothing'} → ${after.state} (${tale(after)})`);
    }
    return answer;
  }

  /** An old version writes over a new layout only what its condition allows, and reads none of it. */
  function asRead<T extends { readonly kind: string }>(answer: T, process: Process, key: string): T | FoundEntry {
    return answer.kind === 'found' && process.version === 'older' && inNewLayout.has(key) ? unreadable : answer;
  }

  function effectOn(its: number) {
    return <T>(process: Process, effect: Effect, key: string, run: () => Promise<T>): Promise<T> =>
      process.effect(effect, key, () => {
        const fault = weather().ledger(effect);
        if (fault !== 'none') story.tell(process.name, key, () => `ledger (${effect}): ${fault}`);
        // What lands late lands in the table that it was sent to, which may be out of service by then.
        const late = () => {
          // Its message may have come back, and may not be copied again to say that nothing was sent.
          const entry = entries.get(key);
          if (entry?.state === 'submitting') truth.losesClaims(new Set([entry.owner]));
        };
        // A first claim, or one of an order that waits.
        const isClaim = effect === 'claim' || (effect === 'advance' && entries.get(key)?.state !== 'submitting');
        const begunAtMs = process.begunAtMs() + process.nowMs() - timeline.nowMs();
        const by = { name: process.name, version: process.version, begunAtMs };
        const isUnheard = isClaim && fault === 'answer lost' && truth.cameAgain.has(key);
        const write = async () => {
          const answer = await (its === table ? call(by, key, run) : failed());
          if (isUnheard && entries.get(key)?.owner.startsWith(`${process.name}.`)) late();
          return answer;
        };
        return underFault(fault, timeline, write, late);
      });
  }

  function portFor(process: Process): Ledger & DueWork {
    const effect = effectOn(table);
    return {
      claim: async (entry) =>
        asRead(await effect(process, 'claim', entry.key, () => store.claim(entry)), process, entry.key),
      advance: async (expected, next) =>
        asRead(await effect(process, 'advance', next.key, () => store.advance(expected, next)), process, next.key),
      async read(key) {
        const found = await effect(process, 'read', key, () => store.read(key));
        return found && asRead(found, process, key);
      },
      markUnpublished: (entry, unpublished) =>
        effect(process, 'mark', entry.key, () => store.markUnpublished(entry, unpublished)),
      recordSurprise: (key, word) => effect(process, 'mark', key, () => store.recordSurprise(key, word)),
      async *dueWork(...asked) {
        // To find nothing changes nothing, whatever happens meanwhile.
        if ((await all(honest.dueWork(...asked))).length === 0) return;
        yield* await process.effect('open work', '', () => {
          if (weather().ledger('open work') === 'throttled') return { answer: failed() };
          const stands = weather().staleIndex() ? createMemoryLedger(asIndexed()) : honest;
          return { answer: all(stands.dueWork(...asked)) };
        });
      },
    };
  }

  /** Each order as it stood before a write that the index has not seen yet. */
  function asIndexed(): Map<string, LedgerEntry> {
    const shown = new Map(entries);
    for (const [key, { entry, untilMs }] of lately) if (untilMs > timeline.nowMs()) shown.set(key, entry);
    return shown;
  }

  function replaceBy(others: ReadonlyMap<string, LedgerEntry>): Ledger & DueWork {
    table += 1;
    entries.clear();
    lately.clear();
    for (const [key, entry] of others) {
      entries.set(key, entry);
      onWrite(undefined, entry);
    }
    const person = { name: 'restorer', version: 'newer', begunAtMs: 0 } as const;
    return {
      ...honest,
      claim: (entry) => call(person, entry.key, () => honest.claim(entry)),
      advance: (expected, next) => call(person, next.key, () => honest.advance(expected, next)),
    };
  }

  return { portFor, replaceBy };
}

/** Made once: an error costs its stack, and these are many. */
const silence = new Error('the ledger did not answer');

/** A call of a store in which this goes wrong. */
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

/** What fits nowhere is added without a word of the layout. */
function isMoreThanWords(before: LedgerEntry | undefined, after: LedgerEntry | undefined): boolean {
  const words = (it: LedgerEntry | undefined) => (it?.surprises?.length ?? 0) + (it?.moreSurprises ?? 0);
  return before !== after && words(before) === words(after);
}

const failed = () => Promise.reject<never>(new Error('the index did not answer'));

async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const item of items) found.push(item);
  return found;
}

const tale = ({ owner, revision, failure }: LedgerEntry) =>
  `revision ${revision}, owner ${owner}${failure ? `, ${failure.code}` : ''}`;
