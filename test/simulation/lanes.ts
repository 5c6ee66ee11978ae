// The lanes of a world: the real pacing of each process over one store, whose calls are cut, frozen and refused as the
// ledger's are. Workers share it with clocks that differ.
import { createPacing, type Pacing } from '../../lib/payout/pacing.ts';
import type { LaneName, LaneState } from '../../lib/payout/lane.ts';
import { createMemoryLanes } from '../support/memory-lanes.ts';
import { type LedgerSurroundings, underFault } from './ledger.ts';
import type { Process } from './process.ts';

/** The lanes, as the pacing of each process and as seen from outside. */
export interface SimulatedLanes {
  pacingFor(process: Process): Pacing;
  /** Every lane, by "merchant/endpoint". */
  states(): ReadonlyMap<string, LaneState>;
}

type LaneSurroundings = Pick<LedgerSurroundings, 'timeline' | 'weather' | 'sabotage'>;

/** Lanes that nobody has used yet. */
export function createLanes({ timeline, weather, sabotage }: LaneSurroundings): SimulatedLanes {
  const items = new Map<string, string>();
  const honest = createMemoryLanes(items);
  const store = sabotage?.lanes?.(honest, items) ?? honest;
  let ids = 0;

  function call<T>(process: Process, { merchant, endpointId }: LaneName, perform: () => Promise<T>): Promise<T> {
    return process.effect('lane', `${merchant}/${endpointId}`, () =>
      underFault(weather().ledger('lane'), timeline, perform),
    );
  }

  return {
    pacingFor: (process) =>
      createPacing({
        lanes: {
          read: (lane) => call(process, lane, () => store.read(lane)),
          write: (lane, next) => call(process, lane, () => store.write(lane, next)),
        },
        clock: { nowMs: process.nowMs, sleep: process.sleep },
        random: { id: () => `${process.name}.lane-${(ids += 1)}` },
      }),
    states: () => new Map([...items].map(([name, text]) => [name, JSON.parse(text) as LaneState])),
  };
}
