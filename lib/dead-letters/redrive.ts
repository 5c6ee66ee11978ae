// What a dead letter would do if it were sent again as a new message: the gates that the worker would ask have answered,
// and the rules that it would follow (claim.ts, stopped-order.ts, settlement.ts, control.ts) are asked beforehand.
import { aboveSingleCap } from '../payout/control.ts';
import { endsForGood } from '../payout/failures.ts';
import type { StopVerdict } from '../payout/gates.ts';
import { type LedgerEntry, isAskedAbout } from '../payout/ledger.ts';
import { abandoned } from '../payout/settlement.ts';
import { decideStopped, decideUnopened } from '../payout/stopped-order.ts';
import { answered, claimOf, type RedriveFacts } from './redrive-facts.ts';

/** What a redrive of each class does, in words; and whether it is worth doing. */
export const redriveClasses = {
  submit: { moves: true, says: 'never sent: it is sent to the gateway, once' },
  settle: { moves: true, says: 'it carries an answer that the ledger lacks: that is written, nothing is sent' },
  inquire: { moves: true, says: 'taken or in doubt: the gateway is asked, nothing is sent' },
  hold: { moves: true, says: 'held: a person decides, nothing is sent' },
  end: { moves: true, says: 'past its time or called off: it ends unsent, and a result says so' },
  nothing: { moves: true, says: 'already ended: its result is published again' },
  after: { moves: false, says: 'another dead letter of its order goes first: plan again afterwards' },
  wait: {
    moves: false,
    says: 'its merchant is paused, stopped or has no secret, its secret must be mended, or a worker is at it: not now',
  },
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
  const { standing } = facts;
  if (standing?.kind === 'unreadable') return unchanged('reject', 'LEDGER_ENTRY_UNREADABLE');
  const next = answered(facts);
  if (next) return afterAnswer(standing?.entry, next, facts);
  return standing ? withOrder(standing.entry, facts) : withoutOrder('new', facts);
}

function afterAnswer(entry: LedgerEntry | undefined, next: LedgerEntry, facts: RedriveFacts): RedriveStep {
  if (next.revision === entry?.revision) return toldAgain(next);
  if (next.state !== 'retryable') return { class: 'settle', because: next.failure?.code ?? next.state, changes: true };
  // Proven not sent: it comes back at once and is taken over.
  return withOrder(next, facts);
}

function withOrder(entry: LedgerEntry, facts: RedriveFacts): RedriveStep {
  const { passage } = facts;
  const request = claimOf(facts);
  const decision =
    passage.kind === 'passed'
      ? decideUnopened(entry, request)
      : decideStopped(entry, request, inTheEnd(passage.verdict));
  switch (decision.kind) {
    case 'take-over':
    case 'message':
      return withoutOrder(entry.failure?.code ?? entry.state, facts);
    case 'end':
      return ended(decision.next);
    case 'busy':
      // What may hold card data in the clear does not wait as a copy.
      return unchanged(passage.kind === 'stopped' && passage.by === 'card-data' ? 'reject' : 'wait', 'busy');
    case 'reused':
      return unchanged('nothing', 'ORDER_ID_REUSED');
    case 'unreadable':
      return unchanged('reject', 'LEDGER_ENTRY_UNREADABLE');
    case 'ours':
    case 'stands':
      return toldAgain(entry);
    case 'abandoned':
      return afterAbandoned(entry, facts);
  }
}

/** What may not be copied comes back until its last receive refuses it; that of a merchant nobody knows waits for a day. */
function inTheEnd(verdict: StopVerdict): StopVerdict {
  if (verdict.kind !== 'wait' || !verdict.uncopied || typeof verdict.because === 'string') return verdict;
  if (verdict.because.code === 'MERCHANT_UNKNOWN') return verdict;
  return { kind: 'refuse', failure: verdict.because };
}

/** Nothing was ever sent: what becomes of the message alone. */
function withoutOrder(because: string, { passage, job, dayRoom }: RedriveFacts): RedriveStep {
  if (passage.kind === 'passed') {
    const { money } = job;
    const { profile } = passage.credentials;
    const capped = money && (aboveSingleCap(money, profile) !== undefined || money.minorUnits > (dayRoom ?? Infinity));
    return { class: capped ? 'hold' : 'submit', because: capped ? 'CAP_EXCEEDED' : because, changes: true };
  }
  const verdict = inTheEnd(passage.verdict);
  switch (verdict.kind) {
    case 'cancel':
      return { class: 'end', because: 'called-off', changes: true };
    case 'refuse':
      return unchanged(verdict.failure.code === 'EXPIRED' ? 'end' : 'reject', verdict.failure.code);
    case 'wait':
      return unchanged('wait', typeof verdict.because === 'string' ? verdict.because : verdict.because.code);
  }
}

function ended({ state, failure }: LedgerEntry): RedriveStep {
  if (state === 'cancelled') return { class: 'end', because: 'called-off', changes: true };
  const because = failure?.code ?? state;
  return { class: because === 'EXPIRED' ? 'end' : 'reject', because, changes: true };
}

function toldAgain(entry: LedgerEntry): RedriveStep {
  const because = entry.failure?.code ?? entry.state;
  if (entry.state === 'held') return unchanged('hold', because);
  // Its failure is told again, and the message is kept again.
  if (entry.state === 'failed') return unchanged(endsForGood.has(because) ? 'nothing' : 'reject', because);
  return unchanged(isAskedAbout(entry) ? 'inquire' : 'nothing', because);
}

function unchanged(kind: RedriveClass, because: string): RedriveStep {
  return { class: kind, because, changes: false };
}

/** Its lease is over: the first to find it calls it lost. A check that moves no money is simply sent again. */
function afterAbandoned(entry: LedgerEntry, facts: RedriveFacts): RedriveStep {
  const lost = abandoned(entry, facts);
  return lost.state === 'retryable' ? withOrder(lost, facts) : { ...toldAgain(lost), changes: true };
}
