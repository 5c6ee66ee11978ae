// What stops new submissions of a merchant without losing a job: an operator's pause, a batch called off, and more money
// in doubt than the merchant allows. The jobs wait; what was sent already goes on being asked about.
import type { Job } from './job.ts';
import { type LedgerEntry, wasNeverSent } from './ledger.ts';
import { minorUnitsOf } from '../gateway/money.ts';
import type { Profile } from '../gateway/profile.ts';

/** The sweeper measures doubt every minute; sums older than this are no longer true, as it names only who has any. */
export const doubtServesMs = 180_000;

/** What the operators and the sweeper have said of a merchant. */
export interface Control {
  readonly paused: boolean;
  /** The job's batch was called off: what of it is not claimed yet never will be. */
  readonly batchCancelled: boolean;
  /** Money in doubt at the last sweep, in minor units per currency; empty where there is none. */
  readonly doubt: Readonly<Record<string, bigint>>;
}

/** Why new submissions must wait now; undefined when they need not. */
export function reasonToWait(job: Job, control: Control, profile: Profile | undefined): 'paused' | 'doubt' | undefined {
  if (control.paused) return 'paused';
  return job.money && profile && isAboveDoubtLimit(control, profile) ? 'doubt' : undefined;
}

/** True when the merchant has more money in doubt, in any currency, than its profile allows. */
export function isAboveDoubtLimit({ doubt }: Control, { doubtLimits }: Profile): boolean {
  return Object.entries(doubtLimits).some(
    ([currency, limit]) => (doubt[currency] ?? 0n) > minorUnitsOf(limit, currency),
  );
}

/** True when money of this order may have moved and nobody knows. */
export function hasMoneyInDoubt(entry: Pick<LedgerEntry, 'state' | 'failure'>): boolean {
  return entry.state === 'in-doubt' || (entry.state === 'held' && !wasNeverSent(entry));
}
