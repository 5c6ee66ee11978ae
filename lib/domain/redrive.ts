// What a dead letter would do if it were sent again as a new message: decided beforehand, from the ledger, by the very
// rules that the worker then follows (claim.ts, settlement.ts, caps.ts, sendable.ts), in the worker's order.
import { aboveSingleCap } from './caps.ts';
import { type ClaimRequest, decideClaim } from './claim.ts';
import type { Leave } from './control.ts';
import { isAskedAbout } from './inquiry-step.ts';
import type { Job } from './job.ts';
import { type Failure, type LedgerEntry, takesAnswerOf } from './ledger.ts';
import { operations, type SignatureMethodName } from './operations.ts';
import type { Outcome } from './outcome.ts';
import type { Profile } from './profile.ts';
import { whyUnsendable } from './sendable.ts';
import { abandoned, settled } from './settlement.ts';

/** What a redrive of each class does, in words; and whether it is worth doing. */
export const redriveClasses = {
  submit: { moves: true, says: 'never sent: it is sent to the gateway, once' },
  settle: { moves: true, says: 'it carries an answer that the ledger lacks: that is written, nothing is sent' },
  inquire: { moves: true, says: 'taken or in doubt: the gateway is asked, nothing is sent' },
  hold: { moves: true, says: 'held: a person decides, nothing is sent' },
  end: { moves: true, says: 'past its time or called off: it ends unsent and is told so' },
  nothing: { moves: true, says: 'already ended: its result is told again' },
  after: { moves: false, says: 'another letter goes first: plan again afterwards' },
  wait: { moves: false, says: 'its merchant is paused or stopped, or a worker is at it: not now' },
  reject: { moves: false, says: 'it would come straight back: mend it, or discard it' },
} as const satisfies Record<string, { moves: boolean; says: string }>;

/** What a dead letter would do. */
export type RedriveClass = keyof typeof redriveClasses;

/** A class and what it follows from: a state of the order, a failure code, or a word of ours. */
export interface RedriveStep {
  readonly class: RedriveClass;
  readonly because: string;
  /** The order in the ledger would not stay as it is. */
  readonly changes: boolean;
}

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
  readonly leave: Leave;
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
  /** The letter's own answer comes before anything else; `next` is the order with it, the same where it knows no more. */
  | { readonly kind: 'answered'; readonly entry: LedgerEntry; readonly next: LedgerEntry }
  | { readonly kind: 'take-over' | 'busy' | 'abandoned' | 'stands' | 'reused'; readonly entry: LedgerEntry };

/** Nobody's name: no claim of a worker bears it, so no order is taken for one that the plan itself claimed. */
const planner = '~plan';

/** How the order stands towards this letter, were it a new message. */
export function standOf(facts: RedriveFacts): Stand {
  const { standing, answer } = facts;
  if (!standing) return { kind: 'unclaimed' };
  if (standing.kind === 'unreadable') return standing;
  const { entry } = standing;
  if (answer && takesAnswerOf(entry, answer.owner, answer.outcome.kind === 'accepted')) {
    const attempts = Math.max(entry.attempts, answer.attempts);
    const next = settled(entry, answer.outcome, { ...answer, attempts, nowMs: facts.nowMs, lastReceive: false });
    return { kind: 'answered', entry, next };
  }
  const { kind } = decideClaim(entry, requestOf(facts));
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

/** A redrive is a new message: what failed may be taken over by it. */
function requestOf({ job, fingerprints, leave, nowMs }: RedriveFacts): ClaimRequest {
  const callOff = leave === 'call off';
  return { job, fingerprints, owner: planner, messageId: planner, nowMs, leaseMs: 0, callOff };
}

/** What the letter would do. */
export function redriveStep(facts: RedriveFacts): RedriveStep {
  const stand = standOf(facts);
  if (stand.kind === 'answered') {
    const { entry, next } = stand;
    if (next === entry) return toldAgain(entry);
    // Proven not sent: it comes back at once and is taken over.
    if (next.state !== 'retryable')
      return { class: 'settle', because: next.failure?.code ?? next.state, changes: true };
    const { answer: _written, ...after } = facts;
    return redriveStep({ ...after, standing: { kind: 'found', entry: next } });
  }
  // An answer looks for its order before the merchant's leave is asked.
  if (facts.answer && facts.standing?.kind === 'unreadable') return unchanged('reject', 'LEDGER_ENTRY_UNREADABLE');
  if (facts.leave === 'wait') return unchanged('wait', 'not-now');
  switch (stand.kind) {
    case 'unreadable':
      return unchanged('reject', 'LEDGER_ENTRY_UNREADABLE');
    case 'unclaimed':
      return unsent(facts, 'new');
    case 'take-over':
      return unsent(facts, stand.entry.failure?.code ?? stand.entry.state);
    case 'busy':
      return unchanged('wait', 'busy');
    case 'reused':
      return unchanged('nothing', 'ORDER_ID_REUSED');
    case 'stands':
      return toldAgain(stand.entry);
    case 'abandoned':
      return afterAbandoned(stand.entry, facts);
  }
}

function toldAgain(entry: LedgerEntry): RedriveStep {
  const because = entry.failure?.code ?? entry.state;
  if (entry.state === 'held') return unchanged('hold', because);
  return unchanged(isAskedAbout(entry) ? 'inquire' : 'nothing', because);
}

function unchanged(kind: RedriveClass, because: string): RedriveStep {
  return { class: kind, because, changes: false };
}

/** Its lease is over: the first to find it calls it lost. A check that moves no money is simply sent again. */
function afterAbandoned(entry: LedgerEntry, facts: RedriveFacts): RedriveStep {
  const { contract, nowMs } = facts;
  // Without the contract at hand nobody can be asked now; a later look finds out whether inquiry is offered.
  const statusInquiry = contract.kind === 'unavailable' || contract.profile.statusInquiry;
  const lost = abandoned(entry, { nowMs, statusInquiry });
  return lost.state === 'retryable' ? unsent(facts, 'WORKER_LOST') : { ...toldAgain(lost), changes: true };
}

/** The order is proven never sent: what becomes of the claim, in the worker's order. */
function unsent({ job, leave, contract, dayRoom, nowMs }: RedriveFacts, because: string): RedriveStep {
  if (leave === 'call off') return { class: 'end', because: 'called-off', changes: true };
  if (contract.kind === 'unavailable') return unchanged('reject', contract.failure.code);
  const { profile, methods } = contract;
  const { money } = job;
  const capped = money && (aboveSingleCap(money, profile) !== undefined || money.minorUnits > (dayRoom ?? Infinity));
  if (capped) return { class: 'hold', because: 'CAP_EXCEEDED', changes: true };
  const unsendable = whyUnsendable(job, profile, nowMs);
  if (unsendable?.code === 'EXPIRED') return { class: 'end', because: 'EXPIRED', changes: true };
  if (unsendable) return unchanged('reject', unsendable.code);
  const method = profile.signatureMethod[job.operation] ?? operations[job.operation].signatureMethod;
  if (!methods.includes(method)) return unchanged('reject', 'SECRET_INVALID');
  return { class: 'submit', because, changes: true };
}

/** Failures after which a message may be sent again without a person's word: nothing was sent, and nobody decided so. */
const retriedUnattended: ReadonlySet<string> = new Set([
  'new',
  'retryable',
  'NOT_SENT',
  'RATE_LIMITED',
  'MERCHANT_UNKNOWN',
  'SECRET_INVALID',
  'CREDENTIALS_UNAVAILABLE',
  'FIELD_NOT_IN_CONTRACT',
  'WORKER_LOST',
]);

/** May a schedule redrive it? Only what is safe and of use; what a person or an inquiry has ended waits for a person. */
export function isRetriedUnattended(step: RedriveStep): boolean {
  if (step.class === 'submit') return retriedUnattended.has(step.because);
  return step.class === 'inquire' || step.class === 'settle';
}
