// The coverage of a world: how often each fault was injected, and in which state of an order.
import type { SeenOrder, SeenOrders } from './seen.ts';
import type { Fault } from './fault-kinds.ts';

/** The counts of one world. */
export interface Coverage {
  /** The world begins, with this ledger. */
  enters(entries: SeenOrders): void;
  /** The next questions to the weather are about this order, or about many ('' then). */
  about(order: string): void;
  witness(fault: Fault): void;
  readonly faults: ReadonlyMap<Fault, number>;
  /** "state × fault". */
  readonly pairs: ReadonlySet<string>;
}

/** Nothing seen yet. */
export function createCoverage(): Coverage {
  const faults = new Map<Fault, number>();
  const pairs = new Set<string>();
  let entries: SeenOrders = new Map();
  let order = '';
  const pairOf = (fault: Fault) => `${order === '' ? 'many' : standingOf(entries.get(order))} × ${fault}`;
  return {
    faults,
    pairs,
    enters(ledger) {
      entries = ledger;
      order = '';
    },
    about: (it) => void (order = it),
    witness(fault) {
      faults.set(fault, (faults.get(fault) ?? 0) + 1);
      pairs.add(pairOf(fault));
    },
  };
}

/** The part of an order that a fault may meet: its state, whether it was sent more than once, whether its result was published. */
function standingOf(entry: SeenOrder | undefined): string {
  if (!entry) return 'none';
  const { state, attempts, unpublished } = entry;
  return `${state}${attempts > 1 ? ', sent again' : ''}${unpublished ? ', untold' : ''}`;
}
