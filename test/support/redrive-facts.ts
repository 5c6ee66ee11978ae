// The facts about a dead letter on a day on which nothing stands in its way: a story names only what is about it.
import { newEntry } from '../../lib/payout/claim.ts';
import type { LedgerEntry } from '../../lib/payout/ledger.ts';
import { defaultProfile, type Profile } from '../../lib/gateway/profile.ts';
import type { Contract, RedriveFacts } from '../../lib/dead-letters/redrive-facts.ts';
import { aPayoutJob, jobOf } from './jobs.ts';
import { startMs } from './time-and-chance.ts';

const hour = 3_600_000;

/** A payout that nobody has claimed, which may be sent. */
export function someFacts(changes: Partial<RedriveFacts> = {}): RedriveFacts {
  return {
    job: jobOf(aPayoutJob()),
    fingerprints: ['k1.content'],
    standing: undefined,
    leave: 'start',
    contract: aContract(),
    nowMs: startMs + hour,
    ...changes,
  };
}

/** A merchant's contract with both keys. */
export function aContract(profile: Partial<Profile> = {}): Contract {
  return { kind: 'contract', profile: { ...defaultProfile, ...profile }, methods: ['HMAC-SHA1', 'RSA-SHA256'] };
}

/** The order of the facts in the ledger: claimed by `worker-1` for the same content, then as the changes say. */
export function found(changes: Partial<LedgerEntry> = {}, { job, fingerprints } = someFacts()) {
  const claim = { job, fingerprints, owner: 'worker-1', messageId: 'm-1', nowMs: startMs, leaseMs: 100_000 };
  return { kind: 'found', entry: { ...newEntry(claim), ...changes } } as const;
}
