// What a dead letter would do if it were sent again as a new message: decided beforehand, from the ledger, by the very
// rules that the worker then follows (claim.ts, settlement.ts, caps.ts, sendable.ts), in the worker's order.
import { aboveSingleCap } from '../payout/caps.ts';
import { isAskedAbout } from '../payout/inquiry-policy.ts';
import type { LedgerEntry } from '../payout/ledger.ts';
import { operations } from '../gateway/operations.ts';
import { type RedriveFacts, type Stand, standOf } from './redrive-facts.ts';
import { whyUnsendable } from '../payout/preflight.ts';
import { abandoned } from '../payout/settlement.ts';

/** What a redrive of each class does, in words; and whether it is worth doing. */
export const redriveClasses = {
  submit: { moves: true, says: 'never sent: it is sent to the gateway, once' },
  settle: { moves: true, says: 'it carries an answer that the ledger lacks: that is written, nothing is sent' },
  inquire: { moves: true, says: 'taken or in doubt: the gateway is asked, nothing is sent' },
  hold: { moves: true, says: 'held: a person decides, nothing is sent' },
  end: { moves: true, says: 'past its time or called off: it ends unsent, and a result says so' },
  nothing: { moves: true, says: 'already ended: its result is published again' },
  after: { moves: false, says: 'another dead letter of its order goes first: plan again afterwards' },
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

/** What the letter would do. */
export function redriveStep(facts: RedriveFacts): RedriveStep {
  const stand = standOf(facts);
  // What comes before the merchant's leave is asked.
  if (stand.kind === 'answered') return afterAnswer(stand, facts);
  if (stand.kind === 'closed') return unchanged('reject', stand.failure.code);
  if (facts.leave === 'wait' && !(facts.answer && stand.kind === 'unreadable')) return unchanged('wait', 'not-now');
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

function afterAnswer({ entry, next }: Extract<Stand, { kind: 'answered' }>, facts: RedriveFacts): RedriveStep {
  if (next === entry) return toldAgain(entry);
  if (next.state !== 'retryable') return { class: 'settle', because: next.failure?.code ?? next.state, changes: true };
  // Proven not sent: it comes back at once and is taken over.
  const { answer: _written, ...after } = facts;
  return redriveStep({ ...after, standing: { kind: 'found', entry: next } });
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
  'SIGNER_UNAVAILABLE',
  'FIELD_NOT_IN_CONTRACT',
  'WORKER_LOST',
]);

/** May a schedule redrive it? Only what is safe and of use; what a person or an inquiry has ended waits for a person. */
export function isRetriedUnattended(step: RedriveStep): boolean {
  if (step.class === 'submit') return retriedUnattended.has(step.because);
  return step.class === 'inquire' || step.class === 'settle';
}
