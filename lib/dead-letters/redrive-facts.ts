// What a redrive of a dead letter would meet: the gates, walked with ports that only read, and the order in the ledger.
import type { ClaimRequest } from '../payout/claim.ts';
import { afterForgottenClaim } from '../payout/forgotten-claim.ts';
import type { Passage } from '../payout/gates.ts';
import type { Job } from '../payout/job.ts';
import { takesAnswerOf } from '../payout/claim.ts';
import type { LedgerEntry } from '../payout/ledger.ts';
import type { PendingOutcome } from '../payout/outcome.ts';
import type { FoundEntry } from '../payout/ports.ts';
import { settled } from '../payout/settlement.ts';

/** The job of a letter, and the world as it stands. */
export interface RedriveFacts {
  /** As it came through the gates; its seal stays closed. */
  readonly job: Job;
  readonly passage: Passage;
  /** Current key first. */
  readonly fingerprints: readonly [string, ...string[]];
  readonly standing: FoundEntry | undefined;
  /** The answer that the letter carries. */
  readonly answer?: PendingOutcome;
  /** Could the gateway be asked about an order whose worker never reported; true where that is not known. */
  readonly statusInquiry: boolean;
  /** Minor units that the merchant's cap of the day still lets through; absent where there is none. */
  readonly dayRoom?: bigint;
  readonly nowMs: number;
}

/** Nobody's name: no claim of a worker bears it. A redrive is a new message: what failed may be taken over by it. */
const planner = '~plan';

/** The claim that a redrive would make. */
export function claimOf({ job, fingerprints, nowMs }: RedriveFacts): ClaimRequest {
  return { job, fingerprints, owner: planner, messageId: planner, nowMs, leaseMs: 0 };
}

/**
 * The order once the letter's own answer is written, which comes before anything else: the same entry where the answer
 * knows no more; undefined where there is none, or it is no answer of this order's claim.
 */
export function answered(facts: RedriveFacts): LedgerEntry | undefined {
  const { standing, answer, nowMs } = facts;
  if (!answer || standing?.kind === 'unreadable') return undefined;
  const entry = standing?.entry;
  if (!entry || !takesAnswerOf(entry, answer.owner, answer.outcome.kind === 'accepted')) {
    const { owner, messageId = planner } = answer;
    const forgotten = afterForgottenClaim(entry, { ...claimOf(facts), owner, messageId }, answer);
    return 'next' in forgotten ? forgotten.next : undefined;
  }
  const attempts = Math.max(entry.attempts, answer.attempts);
  return settled(entry, answer.outcome, { ...answer, attempts, nowMs });
}
