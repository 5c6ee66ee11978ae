// What stops new submissions of a merchant: an operator's pause, a batch called off, and more money in doubt than the merchant allows.
// Orders that were sent already are still asked about.
import { minorUnitsOf } from '../../gateway/money.ts';
import { clockSkewMs } from '../order/time.ts';
import type { Failure } from '../message/failures.ts';
import { notBeforeLimitDays } from '../message/job-fields.ts';
import type { Job } from '../message/job.ts';

/** Sums of doubt older than three minutes are stale: the sweeper writes them each minute. The skew is added, as two clocks are compared. */
export const doubtServesMs = 180_000 + clockSkewMs;

/** The part of a merchant's profile that stops it: amounts as decimal texts, per currency. */
interface StoppingAmounts {
  readonly doubtLimits: Readonly<Record<string, string>>;
}

/** The controls of a merchant, set by operators and the sweeper. */
export interface Control {
  readonly paused: boolean;
  /** The job's batch was called off: its jobs that are not claimed yet never will be. */
  readonly batchCancelled: boolean;
  /** Money in doubt at the last sweep, in minor units per currency; empty if there is none. */
  readonly doubt: Readonly<Record<string, bigint>>;
}

/**
 * Why `notBefore` is too far ahead; undefined if it is not. A job waits two weeks at most, and must not spend them waiting for its own
 * moment.
 */
export function whyTooFarAhead({ notBeforeMs }: Job, nowMs: number): Failure | undefined {
  if (notBeforeMs === undefined || notBeforeMs - nowMs <= notBeforeLimitDays * 86_400_000) return undefined;
  const message = `notBefore is more than ${notBeforeLimitDays} days ahead; send the job nearer to its time`;
  return { code: 'INVALID_MESSAGE', message };
}

/** True if the merchant has more money in doubt, in any currency, than its profile allows. */
export function isAboveDoubtLimit({ doubt }: Pick<Control, 'doubt'>, { doubtLimits }: StoppingAmounts): boolean {
  return Object.entries(doubtLimits).some(
    ([currency, limit]) => (doubt[currency] ?? 0n) > minorUnitsOf(limit, currency),
  );
}

// The operators' commands to the worker while it runs, kept in the table of controls under keys that
// no order can have.

/** The controls of a merchant, of all merchants, and of a batch; at most a few seconds old. */
export interface Controls {
  of(merchant: string, batchId?: string): Promise<Control>;
}

/** The person behind a control, and the reason; kept beside it. */
export interface Saying {
  readonly by: string;
  readonly reason: string;
  readonly atMs: number;
}

/** The operator's and the sweeper's side of the controls. */
export interface ControlsAdmin {
  /** `undefined` means all merchants. */
  pause(merchant: string | undefined, paused: boolean, saying: Saying): Promise<void>;
  /** The person who paused it, and the reason; undefined if it is not paused. A pause of all merchants does not count as its own. */
  pauseOf(merchant: string | undefined): Promise<Saying | undefined>;
  cancelBatch(batchId: string, saying: Saying): Promise<void>;
  /** True if the batch was called off; that is for good. */
  isCalledOff(batchId: string): Promise<boolean>;
  /**
   * Money in doubt per merchant and currency, in minor units, as the sweep found it. If it is not the whole (by default it is), a
   * merchant's earlier sum still counts: doubt too large to be counted must still stop the merchant.
   */
  recordDoubt(doubt: ReadonlyMap<string, Readonly<Record<string, bigint>>>, isWhole?: boolean): Promise<void>;
}
