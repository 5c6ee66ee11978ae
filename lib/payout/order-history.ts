// The short history of an order: what is kept of it, whether it ever was in doubt, its attempts, and what the gateway says
// besides its end.
import type { Failure } from './failures.ts';

/** What is asked of a line here. */
interface Line {
  readonly state: string;
  readonly reason: string;
}

/** Why an order is held of which no payment was sent. */
export const heldUnsent: ReadonlySet<string | undefined> = new Set([
  'CAP_EXCEEDED',
  'NEW_CARD_DATA_NEEDED',
  'CHECK_VALIDATED',
]);

/**
 * The gateway has validated the check of a payout in two steps: it rests, and nothing follows of itself. The other way out
 * of `held` that leads to a POST, and only for the claim of its `payout-pay` (claim.ts).
 */
export function isValidated({ state, failure }: { readonly state: string; readonly failure?: Failure }): boolean {
  return state === 'held' && failure?.code === 'CHECK_VALIDATED';
}

/** A line that says: bytes of the order may have reached the gateway. */
function showsDoubt({ state, reason }: Line): boolean {
  if (state === 'held') return !heldUnsent.has(reason);
  return state === 'in-doubt' || state === 'accepted' || state === 'approved' || state === 'declined';
}

/**
 * True for an order of which the gateway may have had an attempt, though it (or a person) denied it since: it may be sent
 * again, but nobody may say of it that it never was.
 */
export function mayHaveBeenSent({ history }: { readonly history: readonly Line[] }): boolean {
  return history.some(showsDoubt);
}

/** Tries in which not a byte left, and eligibility checks, which are asked again five times at most. */
const ofNoPost = new Set(['NOT_SENT', 'SECRET_INVALID', 'SIGNER_UNAVAILABLE', 'CHECK_UNANSWERED', 'WORKER_LOST']);
/** A line that says: the gateway refused a POST, and took nothing. */
export const isRefusedPost = ({ state, reason }: Line): boolean => state === 'retryable' && !ofNoPost.has(reason);

const keptLast = 3;

/** Cut in the middle: how it began (or was in doubt) and ended, and when its last two POSTs were refused (due-work.ts). */
export function cutHistory<T extends Line>(history: readonly T[]): readonly T[] {
  const older = history.slice(0, -keptLast);
  const kept = new Set([older.findLast(showsDoubt) ?? older[0], ...history.filter(isRefusedPost).slice(-2)]);
  return history.filter((line, at) => at >= older.length || kept.has(line));
}

// The attempts of an order: to which account each was sent, and under which ids the gateway has it. Ids belong to attempts;
// a new attempt begins with none, and what the gateway says of an earlier one is never taken for a word about it.

/** An attempt, as far as it must be told from others. */
export interface AttemptIds {
  /** Digest of the account that it was sent to (gateway/signed-request.ts); absent until it was sent. */
  readonly account?: string;
  /** The gateway's `paynet-order-id`, or its alias where that is all it gave. */
  readonly gatewayOrderId?: string;
  /** `payout-id` or `transaction-id`. */
  readonly gatewayAlias?: string;
}

/** The attempts of an order: the present one, and those before it that still count. */
export interface Attempts extends AttemptIds {
  /** Bytes of the present attempt may have been processed, as far as its own answer proves. */
  readonly unproven?: true;
  /** Those before it that may have been processed: whatever a later one is refused for may speak of them. */
  readonly earlierAttempts?: readonly AttemptIds[];
}

/** As much of a move as its attempts depend on. */
interface AttemptMove extends Omit<AttemptIds, 'account'> {
  readonly state: string;
  readonly failure?: Failure;
  /** The attempt's own answer proves that it was not processed. */
  readonly unprocessed?: true;
}

/** The attempts after a move: a new claim archives the present one if it may have been processed, and forgets it if not. */
export function attemptsAfter(before: Attempts, move: AttemptMove): Attempts {
  const { account, unproven, earlierAttempts = [] } = before;
  const gatewayOrderId = move.gatewayOrderId ?? before.gatewayOrderId;
  const gatewayAlias = move.gatewayAlias ?? before.gatewayAlias;
  const present: AttemptIds = {
    ...(account !== undefined && { account }),
    ...(gatewayOrderId !== undefined && { gatewayOrderId }),
    ...(gatewayAlias !== undefined && { gatewayAlias }),
  };
  const isNew = move.state === 'submitting';
  const earlier = isNew && unproven ? [...earlierAttempts, present] : earlierAttempts;
  const stays = !isNew && !move.unprocessed && (unproven === true || mayBeProcessed(move));
  return {
    ...(!isNew && present),
    ...(stays && { unproven: true }),
    ...(earlier.length > 0 && { earlierAttempts: earlier }),
  };
}

/** The states that say: bytes of this attempt may have reached the gateway, and nothing of its own disproves it. */
function mayBeProcessed({ state, failure }: AttemptMove): boolean {
  if (state === 'held') return !heldUnsent.has(failure?.code);
  return state === 'in-doubt' || state === 'accepted' || state === 'approved';
}

/** True where an attempt before the present one may have been processed. */
export const earlierAttemptMayLive = ({ earlierAttempts }: Attempts): boolean => (earlierAttempts ?? []).length > 0;

/**
 * True where a restored ledger may have forgotten attempts: kept as attempts of which nothing is known. That the gateway
 * declined one of them says nothing of the others, so the order is for a person then (DESIGN 4.1 j).
 */
export const forgottenAttemptMayLive = ({ earlierAttempts }: Attempts): boolean =>
  (earlierAttempts ?? []).some((it) => Object.keys(it).length === 0);

/** With a word that there may have been attempts of which nothing is known. */
export function withForgottenAttempt<T extends Attempts>(entry: T): T {
  if (forgottenAttemptMayLive(entry)) return entry;
  return { ...entry, earlierAttempts: [...(entry.earlierAttempts ?? []), {}] };
}

/** Why an order waits for a person of which one attempt was denied, and others may be forgotten. */
export const oneOfForgotten = ({ code, message, ...said }: Failure): Failure => ({
  ...said,
  code: 'LEDGER_RESTORED',
  message: `an attempt was declined (${code}: ${message}), and the restored ledger may have forgotten others`,
});

/** Once all of them are denied: by the gateway, asked by the order id alone, or by a person. */
export function withoutForgottenAttempt<T extends Attempts>(entry: T): T {
  if (!forgottenAttemptMayLive(entry)) return entry;
  const { earlierAttempts = [], ...rest } = entry;
  const known = earlierAttempts.filter((it) => Object.keys(it).length > 0);
  return { ...(rest as T), ...(known.length > 0 && { earlierAttempts: known }) };
}

/** True where any attempt may have been processed: nobody may say of the order that it was never sent. */
export const anyAttemptMayLive = (attempts: Attempts): boolean =>
  attempts.unproven === true || earlierAttemptMayLive(attempts);

// What the gateway says of an order besides where it stands: another amount, a transaction that undid it, an id that it
// learned late. Each is published as a new revision of the order's result and moves it nowhere.

/** A later transaction that undoes the payment, or tries to. The order's own end stays what it is. */
export interface Reversal {
  /** What the gateway calls it: reversal, chargeback and others. */
  readonly type: string;
  /** How it stands, in the gateway's own word. */
  readonly status: string;
  /** Undone so far in all, in the order's currency, where the gateway says it: less than the order's for a partial one. */
  readonly amount?: string;
  /** When we learned it. */
  readonly atMs: number;
}

/** Such words, as they are kept on the order. */
export interface ToldWords {
  /** Amount and currency of the gateway's, where they are not the order's; as it wrote them. */
  readonly gatewayAmount?: string;
  readonly reversal?: Reversal;
}

/** A word that is new. */
export type NewWord = ToldWords & Omit<AttemptIds, 'account'>;

/** The word as it may be kept: packed and printed, so without blanks and signs. */
const plainWord = (text: string): string => text.toLowerCase().replaceAll(/[^\w.+-]/g, '?');

/** The reversal, where it is not the one that was told last. */
export function newReversal(
  { reversal: before }: ToldWords,
  { type, status, amount }: Omit<Reversal, 'atMs'>,
  nowMs: number,
): NewWord | undefined {
  const it = { type: plainWord(type), status: plainWord(status), ...(amount !== undefined && { amount }) };
  const isSame = before?.type === it.type && before.status === it.status && before.amount === it.amount;
  return isSame ? undefined : { reversal: { ...it, atMs: nowMs } };
}

/** The entry with the word, as its next revision. State, history and chain of checks stay as they are. */
export function withWord<T extends ToldWords & { readonly revision: number; readonly updatedAtMs: number }>(
  entry: T,
  word: NewWord,
  nowMs: number,
): T {
  return { ...entry, ...word, revision: entry.revision + 1, updatedAtMs: nowMs };
}

/** The same without the other amount, which the gateway has taken back. */
export function withoutAmount<T extends ToldWords>(entry: T): T {
  const { gatewayAmount: _, ...rest } = entry;
  return rest as T;
}
