// What may happen to an order in the ledger, written down once more from DESIGN 4.1, so that a slip in
// lib/payout/ledger.ts does not excuse itself. Every write of every process is held against this page.
import { isDeepStrictEqual } from 'node:util';
import type { LedgerEntry, OrderState } from '../../lib/payout/ledger.ts';

const allowedMoves: Readonly<Record<OrderState, readonly OrderState[]>> = {
  submitting: ['accepted', 'declined', 'failed', 'retryable', 'in-doubt', 'held'],
  // Never sent by us, and the gateway has it all the same: it must not be sent again.
  retryable: ['submitting', 'cancelled', 'failed', 'accepted', 'approved'],
  'in-doubt': ['accepted', 'approved', 'declined', 'failed', 'retryable', 'held'],
  held: ['accepted', 'approved', 'declined', 'failed', 'retryable'],
  accepted: ['approved', 'declined', 'held'],
  // To itself where a person throws its message away.
  failed: ['submitting', 'cancelled', 'failed', 'accepted', 'approved', 'declined'],
  // Late truth: a final state that the gateway itself has changed.
  approved: ['declined'],
  declined: ['approved'],
  cancelled: [],
};

const constants = ['key', 'operation', 'merchant', 'endpointId', 'orderId', 'fingerprint', 'createdAtMs'] as const;

/** Where an order stands, as the sums of money are kept. */
export type Standing =
  | 'open'
  | 'accepted'
  | 'approved'
  | 'declined'
  | 'failed'
  | 'doubtful'
  | 'held by cap'
  | 'held for card data'
  | 'cancelled';

const standings: Readonly<Record<OrderState, Standing>> = {
  submitting: 'open',
  retryable: 'open',
  accepted: 'accepted',
  approved: 'approved',
  declined: 'declined',
  failed: 'failed',
  'in-doubt': 'doubtful',
  held: 'doubtful',
  cancelled: 'cancelled',
};

/** Which sum an order belongs to. */
export function standingOf({ state, failure }: Pick<LedgerEntry, 'state' | 'failure'>): Standing {
  if (state === 'held' && failure?.code === 'CAP_EXCEEDED') return 'held by cap';
  return state === 'held' && failure?.code === 'NEW_CARD_DATA_NEEDED' ? 'held for card data' : standings[state];
}

/** What is wrong with a write; undefined when nothing is. */
export function faultOfWrite(before: LedgerEntry | undefined, after: LedgerEntry | undefined): string | undefined {
  if (!after) return before && 'a ledger entry was deleted';
  if (!before) return faultOfFirst(after);
  const changed = constants.find((name) => before[name] !== after[name]);
  if (changed) return `the ${changed} of an order changed`;
  if (!isSameMoney(before.money, after.money)) return 'the money of an order changed';
  const words = after.surprises ?? [];
  if (words.length > 8) return 'more than eight words that fit nowhere are kept on an order';
  if (before.surprises?.some((word) => !words.includes(word))) return 'a word that fits nowhere was wiped out';
  if (after.revision === before.revision) {
    return isRemark(before, after) ? undefined : 'an order changed under the same revision';
  }
  return faultOfMove(before, after);
}

/** What may change without a new revision: the mark of an untold result, the chain of checks, and words that fit nowhere. */
const remarks: ReadonlySet<string> = new Set([
  'unpublished',
  'inquiries',
  'overdue',
  'dueAtMs',
  'surprises',
  'moreSurprises',
]);

function isRemark(before: LedgerEntry, after: LedgerEntry): boolean {
  const isKept = (name: string) =>
    remarks.has(name) || isSame(before[name as keyof LedgerEntry], after[name as keyof LedgerEntry]);
  return Object.keys(before).every(isKept) && Object.keys(after).every(isKept);
}

const isSame = (one: unknown, other: unknown) => one === other || isDeepStrictEqual(one, other);

/** What a restore may write: doubt in the place of what the ledger may have forgotten, an order as its result told it. */
const restored = '~restored';
/** Revisions that a restore leaves out at least, as results of them may have been told in the gap. */
const gapRevisions = 100;

/**
 * An answer that rides on its message although the ledger knows no claim of it (DESIGN 2, promise 2): the claim and its
 * answer are one write, beyond the revisions that may have been told; and as others may be forgotten, never a denial.
 */
function isForgottenClaim(before: LedgerEntry | undefined, after: LedgerEntry): boolean {
  const isUnsent = before === undefined || before.state === 'retryable' || before.state === 'failed';
  const isAnswered = after.state === 'accepted' || after.state === 'in-doubt' || after.state === 'held';
  const isNew = after.owner !== before?.owner;
  return isUnsent && isAnswered && isNew && after.revision >= (before?.revision ?? 0) + gapRevisions + 2;
}

function faultOfFirst(after: LedgerEntry): string | undefined {
  const { state, revision, attempts, owner } = after;
  if (owner === restored || isForgottenClaim(undefined, after)) return undefined;
  const unsent = state === 'cancelled' || state === 'failed';
  const first = revision === 1 && (unsent ? attempts === 0 : state === 'submitting' && attempts === 1);
  return first ? undefined : `an order began as ${state} at revision ${revision} with ${attempts} attempts`;
}

function faultOfMove(before: LedgerEntry, after: LedgerEntry): string | undefined {
  const move = `${before.state} → ${after.state}`;
  // In doubt, adopted, or open as before: nothing that a claim could rest on.
  const isAdopted = after.history.at(-1)?.reason === 'adopted';
  if (after.owner === restored && (before.owner !== restored || isAdopted)) return undefined;
  if (after.revision >= before.revision + gapRevisions && after.state === before.state) return undefined;
  if (isForgottenClaim(before, after)) return undefined;
  if (after.revision !== before.revision + 1) return `revision ${before.revision} was followed by ${after.revision}`;
  if (isSentElsewhere(before, after) || isWordAlone(before, after)) return undefined;
  // The one way out of "held" to a POST, or to being called off: never sent, for want of a CVV that was sealed anew since.
  const isNewStart = after.state === 'submitting' || after.state === 'cancelled';
  const isSealedAnew = isNewStart && before.failure?.code === 'NEW_CARD_DATA_NEEDED';
  const isAllowed = allowedMoves[before.state].includes(after.state) || (before.state === 'held' && isSealedAnew);
  if (!isAllowed) return `${move} is not in the table`;
  if (after.attempts < before.attempts) return 'the attempts of an order went down';
  // Called off by its batch or by a person.
  if (after.state === 'cancelled') return undefined;
  const claimed = after.state === 'submitting';
  if (claimed === (before.owner === after.owner)) return `${move} with ${claimed ? 'the same' : 'another'} owner`;
  return undefined;
}

/** A claim that goes on at another account of the gateway, after the first has refused it: one more attempt of its own. */
function isSentElsewhere(before: LedgerEntry, after: LedgerEntry): boolean {
  const goesOn = before.state === 'submitting' && after.state === 'submitting' && before.owner === after.owner;
  return goesOn && after.attempts === before.attempts + 1 && after.account !== before.account;
}

/** The gateway says another amount, a reversal or an id of an attempt: a new revision of an order that stands where it stood. */
function isWordAlone(before: LedgerEntry, after: LedgerEntry): boolean {
  const same = ['state', 'owner', 'attempts', 'final', 'failure', 'note', 'account'] as const;
  const words = ['gatewayAmount', 'reversal', 'gatewayOrderId', 'earlierAttempts'] as const;
  return (
    same.every((name) => isSame(before[name], after[name])) && words.some((name) => !isSame(before[name], after[name]))
  );
}

/** True for the same amount of the same currency, and for no money on both sides. */
export function isSameMoney(one: LedgerEntry['money'], other: LedgerEntry['money']): boolean {
  return one?.minorUnits === other?.minorUnits && one?.currency === other?.currency;
}
