// The lanes of a world: the real pacing of each process over one store, whose calls are cut, frozen and refused as the
// ledger's are. Workers share it with clocks that differ.
import type { Pacing } from '../../lib/payout/lanes/pacing.ts';
import type { LaneName, Lanes, LaneState, Slot } from '../../lib/payout/lanes/lane.ts';
import { createMemoryLanes } from '../support/memory-lanes.ts';
import { type LedgerSurroundings, underFault } from './ledger.ts';
import { faultOfSlot } from './lane-rules.ts';
import type { Process } from './process.ts';
import type { Truth } from './truth.ts';

/** The lanes, as the pacing of each process and as seen from outside. */
export interface SimulatedLanes {
  portFor(process: Process): Pick<Lanes, 'read' | 'write'>;
  /** The pacing of a process, whose POSTs are held to the slots that it was given. */
  held(process: Process, pacing: Pacing): Pacing;
  /** The lanes for a reader that only looks. */
  readonly asSeen: Pick<Lanes, 'read'>;
  /** Every lane, by "merchant/endpoint". */
  states(): ReadonlyMap<string, LaneState>;
}

type LaneSurroundings = Pick<LedgerSurroundings, 'timeline' | 'weather'> & { readonly truth: Truth };

/** Lanes that nobody has used yet. */
export function createLanes({ timeline, weather, truth }: LaneSurroundings): SimulatedLanes {
  const items = new Map<string, string>();
  const store = createMemoryLanes(timeline.nowMs, items);
  const gives = heldToSlots(truth);

  function call<T>(process: Process, { merchant, endpointId }: LaneName, perform: () => Promise<T>): Promise<T> {
    return process.effect('lane', `${merchant}/${endpointId}`, () =>
      underFault(weather().ledger('lane'), timeline, perform),
    );
  }

  return {
    asSeen: store,
    portFor: (process) => ({
      read: (lane) => call(process, lane, () => store.read(lane)),
      write: (lane, next) => call(process, lane, () => store.write(lane, next)),
    }),
    held(process, pacing) {
      const taken = new Map<Slot, string>();
      return {
        ...pacing,
        async ask(lane, ask, caps) {
          const grant = await pacing.ask(lane, ask, caps);
          if (grant.kind === 'slot' && ask.class !== 'inquiry') gives(process, ask.order);
          return grant;
        },
        async slice(lane, asks, caps) {
          const grants = await pacing.slice(lane, asks, caps);
          for (const [at, grant] of grants.entries())
            if (grant.kind === 'slot') taken.set(grant, asks[at]?.order ?? '');
          return grants;
        },
        async begin(lane, slot) {
          const begun = await pacing.begin(lane, slot);
          if (begun === 'come') gives(process, taken.get(slot) ?? '');
          return begun;
        },
      };
    },
    states: () => new Map([...items].map(([name, text]) => [name, JSON.parse(text) as LaneState])),
  };
}

/** Every POST that leaves is held to the slot that its process was given for the order, by that process's own clock. */
function heldToSlots(truth: Truth): (process: Process, order: string) => void {
  const given = new Map<string, number>();
  const { posts } = truth;
  Object.assign(truth, {
    posts: (...asked: Parameters<Truth['posts']>) => {
      const [{ order }, , process] = asked;
      const givenAtMs = given.get(`${process.name} ${order}`);
      const fault = givenAtMs === undefined ? undefined : faultOfSlot(order, process.nowMs() - givenAtMs);
      if (fault !== undefined) truth.breaks(fault);
      return posts(...asked);
    },
  });
  return (process, order) => void given.set(`${process.name} ${order}`, process.nowMs());
}
