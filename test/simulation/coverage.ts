// The coverage of a walk: how often each fault was injected, and in which state of an order. A guided walk
// looks for the pairs of the two that were never seen (guided-weather.ts).
import type { SeenOrder, SeenOrders } from './seen.ts';
import type { Fault } from './fault-kinds.ts';

/** The counts of one world, or of many on end. */
export interface Coverage {
  /** A new world begins, with this ledger. */
  enters(entries: SeenOrders): void;
  /** The next questions to the weather are about this order, or about many ('' then). */
  about(order: string): void;
  witness(fault: Fault): void;
  /** The number of times that the fault was injected into an order in the present one's state. */
  timesSeen(fault: Fault): number;
  readonly faults: ReadonlyMap<Fault, number>;
  /** "state × fault". */
  readonly pairs: ReadonlySet<string>;
}

/** Nothing seen yet. */
export function createCoverage(): Coverage {
  const faults = new Map<Fault, number>();
  const pairs = new Map<string, number>();
  let entries: SeenOrders = new Map();
  let order = '';
  const pairOf = (fault: Fault) => `${order === '' ? 'many' : standingOf(entries.get(order))} × ${fault}`;
  return {
    faults,
    get pairs() {
      return new Set(pairs.keys());
    },
    enters(ledger) {
      entries = ledger;
      order = '';
    },
    about: (it) => void (order = it),
    witness(fault) {
      faults.set(fault, (faults.get(fault) ?? 0) + 1);
      const pair = pairOf(fault);
      pairs.set(pair, (pairs.get(pair) ?? 0) + 1);
    },
    timesSeen: (fault) => pairs.get(pairOf(fault)) ?? 0,
  };
}

/** The part of an order that a fault may meet: its state, whether it was sent more than once, whether its result was published. */
function standingOf(entry: SeenOrder | undefined): string {
  if (!entry) return 'none';
  const { state, attempts, unpublished } = entry;
  return `${state}${attempts > 1 ? ', sent again' : ''}${unpublished ? ', untold' : ''}`;
}
