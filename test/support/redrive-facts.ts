// The facts about a dead letter on a day on which every gate lets it pass: a story names only what is about it.
import { newEntry } from '../../lib/payout/claim.ts';
import type { RedriveFacts } from '../../lib/dead-letters/redrive-facts.ts';
import type { Profile } from '../../lib/gateway/profile.ts';
import type { Failure, FailureCode } from '../../lib/payout/failures.ts';
import type { Passage, StopVerdict } from '../../lib/payout/gates.ts';
import type { Job } from '../../lib/payout/job.ts';
import type { LedgerEntry } from '../../lib/payout/ledger.ts';
import { someCredentials } from './fake-credentials.ts';
import { aPayoutJob, jobOf } from './jobs.ts';
import { startMs } from './time-and-chance.ts';

const hour = 3_600_000;

/** A payout that nobody has claimed, which may be sent. */
export function someFacts(changes: Partial<RedriveFacts> = {}): RedriveFacts {
  const { job = jobOf(aPayoutJob()) } = changes;
  return {
    job,
    passage: passed({}, job),
    fingerprints: ['k1.content'],
    standing: undefined,
    statusInquiry: false,
    nowMs: startMs + hour,
    ...changes,
  };
}

/** Through every gate, under this contract. */
export function passed(profile: Partial<Profile> = {}, job: Job = jobOf(aPayoutJob())): Passage {
  const slot = { kind: 'slot', atMs: startMs, untilMs: startMs, generation: 0, pressed: false } as const;
  return { kind: 'passed', job, credentials: someCredentials({ profile }), slot };
}

/** Stopped, by the gate of controls unless it says otherwise. */
export function stopped(verdict: StopVerdict, by: Extract<Passage, { kind: 'stopped' }>['by'] = 'controls'): Passage {
  return { kind: 'stopped', by, verdict, job: jobOf(aPayoutJob()) };
}

/** A failure of this code. */
export const failure = (code: FailureCode): Failure => ({ code, message: 'x' });

/** The order of the facts in the ledger: claimed by `worker-1` for the same content, then as the changes say. */
export function found(changes: Partial<LedgerEntry> = {}, { job, fingerprints } = someFacts()) {
  const claim = { job, fingerprints, owner: 'worker-1', messageId: 'm-1', nowMs: startMs, leaseMs: 100_000 };
  return { kind: 'found', entry: { ...newEntry(claim), ...changes } } as const;
}
