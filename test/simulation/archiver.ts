// The archiver of a world: the real one over the memory ledger of the world and an archive, both of which fail in every way
// that a store can: calls are refused, are done and never answered, or are done long after everybody has given up.
import { type ArchivableLedger, archiveOrders, type ArchiveStore } from '../../lib/archive/archive-orders.ts';
import { createMemoryArchivable, createMemoryArchive } from '../support/memory-archive.ts';
import type { Chance } from './chance.ts';
import { underFault } from './ledger.ts';
import type { LedgerFault } from './weather.ts';
import type { World } from './world.ts';

const faults: readonly [LedgerFault, ...LedgerFault[]] = [
  'none',
  'none',
  'none',
  'throttled',
  'answer lost',
  'lands late',
];
const runLastsMs = 3_600_000;

/** Runs the archiver a few times within so long; what ended so many days ago is due. */
export function archiverRuns(world: World, chance: Chance, given: { withinMs: number; afterDays: number }): void {
  const { timeline, entries, truth, story } = world;
  const objects = new Map<string, readonly string[]>();
  const inMemory = { ledger: createMemoryArchivable(entries, 4), archive: createMemoryArchive(objects) };

  /** A call in an event of its own, in bad weather. */
  function call<T>(run: () => Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      timeline.after(chance.between(1, 60_000), () => {
        world.onTurn();
        const { answer, afterMs = 0 } = underFault(chance.pick(faults), timeline, run);
        answer.catch(() => {});
        timeline.after(afterMs, () => {
          world.onTurn();
          answer.then(resolve, reject);
        });
      });
    });
  }

  const ledger: ArchivableLedger = {
    ...inMemory.ledger,
    page: (after) => call(() => inMemory.ledger.page(after)),
    cutDown: (order, remainder) =>
      call(() => {
        const { key } = order.entry;
        const before = entries.get(key);
        const written = inMemory.ledger.cutDown(order, remainder);
        const after = entries.get(key);
        if (before !== after) {
          const lines = objects.get(remainder.archive?.id ?? '') ?? [];
          const isStored = lines.some((line) => line.includes(`"${key}/${after?.revision}"`));
          if (!isStored) truth.breaks('an order was cut down that the archive has not');
          world.coverage.about(key);
          world.coverage.witness('an ended order is cut down to what must not be forgotten');
          story.tell('archiver', key, () => 'archived');
          truth.writes(before, after);
        }
        return written;
      }),
  };
  const archive: ArchiveStore = { store: (lines) => call(() => inMemory.archive.store(lines)) };
  const clock = {
    nowMs: () => timeline.nowMs(),
    sleep: (ms: number) => new Promise<void>((resolve) => timeline.after(ms, () => (world.onTurn(), resolve()))),
  };
  const { afterDays, withinMs } = given;
  const ports = { ledger, archive, isLedger: async () => true, afterDays, clock, log: { write: () => {} } };
  for (let runs = chance.between(1, 4); runs > 0; runs -= 1)
    timeline.after(chance.between(0, withinMs), () => {
      world.onTurn();
      void archiveOrders(timeline.nowMs() + runLastsMs, ports).catch(() => {});
    });
}
