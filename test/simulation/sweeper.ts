// The schedule of the sweeper's duties beside leading: every full minute. A minute at which no sum of doubt has changed and no key of a
// CVV is to be destroyed would find nothing, so it is skipped; every other one runs, is missed, overlaps, or
// dies half-way.
import type { ScheduleHandler } from '../../lib/aws/lambda-handler.ts';
import type { SeenOrder, SeenOrders } from './seen.ts';
import { type CodeVersion, createProcess, type Process, type Surroundings } from './process.ts';

/** The surroundings of the sweeper. */
export interface SweeperSurroundings extends Surroundings {
  readonly entries: SeenOrders;
  readonly version: () => CodeVersion;
  readonly handlerOf: (process: Process) => ScheduleHandler;
  /** Merchants whose submissions wait for the sums of their doubt. */
  readonly limited: ReadonlySet<string>;
  /** The key of its CVV is still there, and may not be taken any more. */
  readonly keyOutlives: (entry: SeenOrder) => boolean;
}

/** The sweeper, as the world sees it. */
export interface Sweeper {
  /** An order was written. */
  considers(before: SeenOrder | undefined, after: SeenOrder): void;
  /** A key was left for the order. */
  looksAt(entry: SeenOrder | undefined): void;
}

const minuteMs = 60_000;
const functionTimeoutMs = 60_000;

/** A sweeper on its schedule. */
export function createSweeper(surroundings: SweeperSurroundings): Sweeper {
  const { timeline, weather, story, entries, handlerOf, limited, keyOutlives } = surroundings;
  const planned = new Set<number>();
  let sweeps = 0;
  let doubtChanged = false;

  function plan(afterMs: number): void {
    const minute = Math.floor(Math.max(afterMs, timeline.nowMs()) / minuteMs) + 1;
    if (planned.has(minute)) return;
    planned.add(minute);
    timeline.at(minute * minuteMs, () => tick(minute));
  }

  function isAnyDue(): boolean {
    for (const entry of entries.values()) if (keyOutlives(entry)) return true;
    return false;
  }

  function looksAt(entry: SeenOrder | undefined): void {
    if (entry && keyOutlives(entry)) plan(timeline.nowMs());
  }

  function tick(minute: number): void {
    planned.delete(minute);
    if (!doubtChanged && !isAnyDue()) return;
    // The next minute looks again, whatever the result.
    plan(timeline.nowMs());
    doubtChanged = false;
    const what = weather().sweep();
    if (what === 'is missed') return keepsDoubt();
    void sweep();
    if (what === 'overlaps') void sweep();
  }

  const keepsDoubt = () => void (doubtChanged = limited.size > 0);

  async function sweep(): Promise<void> {
    const name = `sweeper-${(sweeps += 1)}`;
    const traits = { name, version: surroundings.version(), skewMs: 0 };
    const process = createProcess(traits, { ...surroundings, onDeath: keepsDoubt });
    const endsAtMs = timeline.nowMs() + functionTimeoutMs;
    let over = false;
    timeline.at(endsAtMs, () => {
      if (!over) process.die('by function time-out');
    });
    story.tell(name, '', () => 'sweeps');
    surroundings.onTurn();
    process.begins();
    const context = { getRemainingTimeInMillis: () => endsAtMs - timeline.nowMs() };
    await handlerOf(process)({}, context).catch(keepsDoubt);
    over = true;
  }

  return {
    looksAt,
    considers(before, after) {
      looksAt(after);
      if (!limited.has(after.merchant) || isDoubtful(before) === isDoubtful(after)) return;
      doubtChanged = true;
      plan(timeline.nowMs());
    },
  };
}

const isDoubtful = (entry: SeenOrder | undefined) => entry?.state === 'in-doubt' || entry?.state === 'held';
