// What stops new submissions of a merchant without losing a job: an operator's pause, a batch called off, and more money
// in doubt than the merchant allows. The jobs wait; what was sent already goes on being asked about.
import type { Job } from './job.ts';
import { minorUnitsOf } from './money.ts';
import type { Profile } from './profile.ts';

/** What the operators and the sweeper have said of a merchant. */
export interface Control {
  readonly paused: boolean;
  /** The job's batch was called off: what of it is not claimed yet never will be. */
  readonly batchCancelled: boolean;
  /** Money in doubt at the last sweep, in minor units per currency. */
  readonly doubt: Readonly<Record<string, bigint>>;
}

/** Nothing said. */
export const noControl: Control = { paused: false, batchCancelled: false, doubt: {} };

/** Why new submissions must wait now; undefined when they need not. */
export function reasonToWait(job: Job, control: Control, profile: Profile | undefined): 'paused' | 'doubt' | undefined {
  if (control.paused) return 'paused';
  for (const [currency, limit] of Object.entries(profile?.doubtLimits ?? {})) {
    if ((control.doubt[currency] ?? 0n) > minorUnitsOf(limit, currency) && job.money) return 'doubt';
  }
  return undefined;
}
