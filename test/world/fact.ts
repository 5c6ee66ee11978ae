// A fact about the world that the worker lives in: what a service does that no emulator shows, what it breaks in a worker
// that does not know it, and how it is made to happen here. The tables beside this file are the page infra/docs/world.md.
import type { Fault } from '../simulation/fault-kinds.ts';

/** One fact. */
export interface Fact {
  /** What the service does. */
  readonly does: string;
  /** What that breaks in a naive worker. */
  readonly breaks: string;
  /** The page that says so; absent where documentation is silent and the worst is assumed. */
  readonly source?: string;
  /** How the simulation makes it happen. */
  readonly fault?: Fault;
  /** Tests outside the simulation in which it happens, or in which what it would need is held. */
  readonly tests?: readonly string[];
  /** The planted bug that is found because of it (test/simulation/planted-bugs.ts). */
  readonly bug?: string;
}
