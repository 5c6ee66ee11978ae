// What operators say to the worker while it runs, and the counters behind caps. Kept in the ledger's table under keys
// that no order can have.
import type { DayCap } from './caps.ts';
import type { Control } from './control.ts';

/** What is said of a merchant, of all merchants, and of a batch; at most a few seconds old. */
export interface Controls {
  of(merchant: string, batchId?: string): Promise<Control>;
}

/** Who says so, and why; kept beside what is said. */
export interface Saying {
  readonly by: string;
  readonly reason: string;
  readonly atMs: number;
}

/** The operator's and the sweeper's side of the controls. */
export interface ControlsAdmin {
  /** `undefined` means all merchants. */
  pause(merchant: string | undefined, paused: boolean, saying: Saying): Promise<void>;
  cancelBatch(batchId: string, saying: Saying): Promise<void>;
  /** Money in doubt per merchant and currency, in minor units, as the sweep found it. */
  recordDoubt(doubt: ReadonlyMap<string, Readonly<Record<string, bigint>>>): Promise<void>;
}

/** Totals of a day under a cap. */
export interface Spending {
  /** Counts the amount, unless that takes the day above its limit. */
  count(cap: DayCap, minorUnits: bigint): Promise<'counted' | 'above'>;
  giveBack(cap: DayCap, minorUnits: bigint): Promise<void>;
}

/** Totals of a day, as whoever plans ahead reads them. */
export interface DayTotals {
  /** Minor units counted under the cap so far; at most a few seconds old. */
  totalOf(cap: DayCap): Promise<bigint>;
}
