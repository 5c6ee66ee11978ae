// How the order of a dead letter stands towards a new claim by it: asked in the worker's order, decided by the worker's
// own rules (claim.ts, settlement.ts).
import { type ClaimRequest, decideClaim } from '../payout/claim.ts';
import { keyIdOf } from '../payout/fingerprint.ts';
import type { ControlsVerdict } from '../payout/control.ts';
import type { Job } from '../payout/job.ts';
import type { Failure } from '../payout/failures.ts';
import { type LedgerEntry, takesAnswerOf, waitsForCardData } from '../payout/ledger.ts';
import type { SignatureMethodName } from '../oauth1/signature-method-names.ts';
import type { Outcome } from '../payout/outcome.ts';
import type { Profile } from '../gateway/profile.ts';
import { settled } from '../payout/settlement.ts';

/** An answer that a message carries, and who made it. */
interface CarriedOutcome {
  readonly owner: string;
  readonly attempts: number;
  readonly statusInquiry: boolean;
  readonly outcome: Outcome;
}

/** The job of a letter, and the world as it stands. */
export interface RedriveFacts {
  readonly job: Job;
  /** Current key first. */
  readonly fingerprints: readonly [string, ...string[]];
  readonly standing: StandingEntry | undefined;
  readonly answer?: CarriedOutcome;
  /** Why the job's card data can't be had, or must not be as it is; then nothing is claimed. */
  readonly closed?: { readonly failure: Failure; readonly forGood: boolean };
  readonly leave: ControlsVerdict;
  readonly contract: Contract;
  /** Minor units that the merchant's cap of the day still lets through; absent where there is none. */
  readonly dayRoom?: bigint;
  readonly nowMs: number;
}

/** The order in the ledger, or that this version can't read it. */
type StandingEntry =
  | { readonly kind: 'found'; readonly entry: LedgerEntry }
  | { readonly kind: 'unreadable'; readonly reason: string };

/** What the merchant's secret says, or why it can't be had. */
export type Contract =
  | { readonly kind: 'contract'; readonly profile: Profile; readonly methods: readonly SignatureMethodName[] }
  | { readonly kind: 'unavailable'; readonly failure: Failure };

/** How the order of a letter stands towards a new claim. */
export type Stand =
  | { readonly kind: 'unclaimed' }
  | { readonly kind: 'unreadable'; readonly reason: string }
  /** Its card data can't be taken as it is, or (not for good) can't be opened now. */
  | { readonly kind: 'closed'; readonly failure: Failure; readonly forGood: boolean }
  /** The letter's own answer comes before anything else; `next` is the order with it, the same where it knows no more. */
  | { readonly kind: 'answered'; readonly entry: LedgerEntry; readonly next: LedgerEntry }
  | { readonly kind: 'take-over' | 'busy' | 'abandoned' | 'stands' | 'reused'; readonly entry: LedgerEntry };

/** Nobody's name: no claim of a worker bears it, so no order is taken for one that the plan itself claimed. */
const planner = '~plan';

/** How the order stands towards this letter, were it a new message; asked in the worker's order. */
export function standOf(facts: RedriveFacts): Stand {
  const { standing, answer, closed } = facts;
  if (answer && standing?.kind === 'unreadable') return standing;
  const answered = answer && standing?.kind === 'found' ? answeredBy(answer, standing.entry, facts.nowMs) : undefined;
  if (answered) return answered;
  if (closed) return { kind: 'closed', ...closed };
  if (!standing) return { kind: 'unclaimed' };
  return standing.kind === 'unreadable' ? standing : towardsClaim(standing.entry, facts);
}

function answeredBy(answer: CarriedOutcome, entry: LedgerEntry, nowMs: number): Stand | undefined {
  if (!takesAnswerOf(entry, answer.owner, answer.outcome.kind === 'accepted')) return undefined;
  const attempts = Math.max(entry.attempts, answer.attempts);
  const next = settled(entry, answer.outcome, { ...answer, attempts, nowMs, lastReceive: false });
  return { kind: 'answered', entry, next };
}

function towardsClaim(entry: LedgerEntry, facts: RedriveFacts): Stand {
  const { job } = facts;
  const isSealed = job.sealedParams !== undefined;
  // Whether it was sealed anew, under the key that lies beside the order, only the worker sees: then it is sent.
  if (isSealed && waitsForCardData(entry) && entry.cardKeyId !== undefined) return { kind: 'take-over', entry };
  const fingerprints = isSealed && isVisiblyOf(entry, facts) ? ([entry.fingerprint] as const) : facts.fingerprints;
  const { kind } = decideClaim(entry, requestOf({ ...facts, fingerprints }));
  switch (kind) {
    case 'unreadable':
      return { kind, reason: 'its fingerprint was made under a key that is not among the keys' };
    case 'ours':
      throw new RangeError('a plan claims nothing');
    case 'take-over':
    case 'busy':
    case 'abandoned':
    case 'stands':
    case 'reused':
      return { kind, entry };
  }
}

/**
 * True for a sealed job whose open part is the order's. What it holds under its seal is taken for the order's own; should
 * it be other content, the worker refuses it.
 */
function isVisiblyOf(entry: LedgerEntry, { job, fingerprints }: RedriveFacts): boolean {
  const { operation, endpointId, money } = job;
  return (
    fingerprints.some((it) => keyIdOf(it) === keyIdOf(entry.fingerprint)) &&
    entry.operation === operation &&
    entry.endpointId === endpointId &&
    entry.money?.currency === money?.currency &&
    entry.money?.minorUnits === money?.minorUnits
  );
}

/** A redrive is a new message: what failed may be taken over by it. */
function requestOf({ job, fingerprints, leave, nowMs }: RedriveFacts): ClaimRequest {
  const callOff = leave === 'call off';
  return { job, fingerprints, owner: planner, messageId: planner, nowMs, leaseMs: 0, callOff };
}
