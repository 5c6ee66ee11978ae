// The lanes of a world: one store, whose calls are cut, frozen and refused as the ledger's are. Workers with clocks that
// differ share it.
import type { LaneName, LaneState } from '../../lib/payout/pace/lane-state.ts';
import type { Lanes } from '../../lib/payout/pace/lane.ts';
import { createMemoryLanes } from '../support/memory-lanes.ts';
import { type LedgerSurroundings, underFault } from './ledger.ts';
import type { Process } from './process.ts';

/** The lanes, as the pacing of each process and as seen from outside. */
export interface SimulatedLanes {
  portFor(process: Process): Lanes;
  /** Every lane, by "merchant/endpoint". */
  states(): ReadonlyMap<string, LaneState>;
}

/** Unused lanes. */
export function createLanes({ timeline, weather }: Pick<LedgerSurroundings, 'timeline' | 'weather'>): SimulatedLanes {
  const items = new Map<string, string>();
  const store = createMemoryLanes(items);

  function call<T>(process: Process, { merchant, endpointId }: LaneName, perform: () => Promise<T>): Promise<T> {
    return process.askTable('lane', `${merchant}/${endpointId}`, () =>
      underFault(weather().ledger('lane'), timeline, perform),
    );
  }

  return {
    portFor: (process) => ({
      read: (lane) => call(process, lane, () => store.read(lane)),
      write: (lane, next) => call(process, lane, () => store.write(lane, next)),
      isNamed: (lane) => store.isNamed(lane),
      all: () => store.all(),
    }),
    states: () => new Map([...items].map(([name, text]) => [name, JSON.parse(text) as LaneState])),
  };
}
