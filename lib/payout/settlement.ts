// From outcome to the ledger's next entry: the one place that says what each outcome makes of an order.
import type { Failure } from './failures.ts';
import { type GatewayIds, gatewayIdentityOf } from '../gateway/reply-words.ts';
import { type LedgerEntry, moved } from './ledger.ts';
import { type AttemptIds, withWord } from './order-history.ts';
import { operations } from '../gateway/operations.ts';
import type { Outcome } from './outcome.ts';
import { waitedTooLong } from './disposition.ts';

/** What settling needs to know besides the outcome. */
export interface SettleContext {
  readonly nowMs: number;
  /** POSTs made for this order so far. */
  readonly attempts: number;
  /** The merchant's gateway answers status inquiries, so acceptance is not the end and doubt can be asked about. */
  readonly statusInquiry: boolean;
  /** How long its message has waited by now; absent where nobody gives the order up. */
  readonly waited?: Waited;
}

/** What it has cost the message of an order that is not sent yet. */
export interface Waited {
  /** As long as a queue would keep it. */
  readonly tooLong: boolean;
  /** Deliveries of the message, those of its copies counted. */
  readonly deliveries: number;
}

/** The entry after the outcome of an attempt. */
export function settled(entry: LedgerEntry, outcome: Outcome, given: SettleContext): LedgerEntry {
  // A claim that was written anew for another account, unheard, counts one more than its owner knows of.
  const context = { ...given, attempts: Math.max(entry.attempts, given.attempts) };
  const { nowMs, attempts, statusInquiry } = context;
  // A late answer that knows no more than the ledger already says changes nothing; ids that it brings are kept.
  if (outcome.kind === 'in-doubt' && entry.state !== 'submitting')
    return withLateIds(entry, ofPresent(entry, outcome), nowMs);
  // Called lost meanwhile and held for a person already: it stays with that person.
  if (outcome.kind === 'capped' && entry.state === 'held') return entry;
  const base = { nowMs, attempts };
  switch (outcome.kind) {
    case 'accepted':
      return moved(withOtherIdArchived(entry, outcome), {
        ...base,
        state: 'accepted',
        final: !statusInquiry,
        reason: 'accepted',
        ...idOf(outcome),
      });
    case 'declined':
      return moved(entry, {
        ...base,
        state: 'declined',
        final: true,
        reason: outcome.failure.code,
        failure: outcome.failure,
        unprocessed: true,
      });
    case 'check-unanswered':
      return unansweredCheck(entry, outcome.failure, context);
    case 'not-processed':
    case 'retryable':
      return waitsOrFails(entry, outcome, context);
    case 'unsendable':
      return failed(entry, outcome.failure, base);
    case 'capped': {
      const { failure } = outcome;
      return moved(entry, { ...base, state: 'held', final: false, reason: failure.code, failure, unprocessed: true });
    }
    case 'spent': {
      const { failure } = outcome;
      // Called lost meanwhile and held as doubt: it is none, and by this answer nobody else will learn so.
      if (entry.state === 'held') return failed(entry, failure, base);
      return moved(entry, { ...base, state: 'held', final: false, reason: failure.code, failure, unprocessed: true });
    }
    case 'in-doubt':
      return doubtful(entry, outcome.failure, context, idOf(outcome));
  }
}

/** The ids of an attempt, and whether it is the order's present one: the one of the claim that the entry stands under. */
export interface LateIds {
  readonly ids: AttemptIds;
  readonly isPresent: boolean;
}

/** The ids of the present attempt, as its own late answer gives them. */
const ofPresent = ({ account }: LedgerEntry, ids: GatewayIds): LateIds => ({
  ids: { ...(account !== undefined && { account }), ...idOf(ids) },
  isPresent: true,
});

/**
 * Ids that come too late to move the order are kept with their attempt (DESIGN 4.1 k), and told as its next revision: by them
 * alone what the gateway says of it later is recognised. The same entry where they are known, or there are none.
 */
export function withLateIds(entry: LedgerEntry, { ids, isPresent }: LateIds, nowMs: number): LedgerEntry {
  const { earlierAttempts = [] } = entry;
  const isKnown = [entry, ...earlierAttempts].some((it) => it.gatewayOrderId === ids.gatewayOrderId);
  if (ids.gatewayOrderId === undefined || isKnown) return entry;
  if (isPresent && entry.gatewayOrderId === undefined) return withWord(entry, idOf(ids), nowMs);
  return { ...withWord(entry, {}, nowMs), earlierAttempts: [...earlierAttempts, ids] };
}

/** The gateway took it under another id than the one that is known: that one stays among those of the attempts before. */
function withOtherIdArchived(entry: LedgerEntry, { gatewayOrderId }: GatewayIds): LedgerEntry {
  const known = gatewayIdentityOf(entry);
  if (known === undefined || gatewayOrderId === undefined || known === gatewayOrderId) return entry;
  return { ...entry, earlierAttempts: [...(entry.earlierAttempts ?? []), ofPresent(entry, entry).ids] };
}

function idOf({ gatewayOrderId, gatewayAlias }: GatewayIds): GatewayIds {
  return {
    ...(gatewayOrderId !== undefined && { gatewayOrderId }),
    ...(gatewayAlias !== undefined && { gatewayAlias }),
  };
}

interface Base {
  readonly nowMs: number;
  readonly attempts: number;
}

/** As often a check is asked; it moves no money, and one that is never answered is for a person. */
const checkAttemptsAtMost = 5;

function unansweredCheck(entry: LedgerEntry, failure: Failure, context: SettleContext): LedgerEntry {
  const { nowMs, attempts } = context;
  const state = attempts >= checkAttemptsAtMost ? 'held' : 'retryable';
  return moved(entry, { nowMs, attempts, state, final: false, reason: failure.code, failure, unprocessed: true });
}

/** Refusals of the credentials after which somebody must say whether they are the right ones. */
const refusalsAtMost = 20;

/** What is proven not processed waits unharmed; it is given up for its time, and where its login is refused for good. */
function waitsOrFails(
  entry: LedgerEntry,
  outcome: Extract<Outcome, { kind: 'not-processed' | 'retryable' }>,
  { nowMs, attempts, waited }: SettleContext,
): LedgerEntry {
  const { failure } = outcome;
  if (waited?.tooLong) return failed(entry, waitedTooLong(failure), { nowMs, attempts });
  const isRefused = outcome.kind === 'not-processed' && outcome.reason === 'credentials-refused';
  // Both: an order that a person brought back is tried as often again.
  const isOften = attempts >= refusalsAtMost && (waited?.deliveries ?? 0) >= refusalsAtMost;
  if (isRefused && isOften && wasRefusedBefore(entry)) return failed(entry, failure, { nowMs, attempts });
  const base = { nowMs, attempts, reason: failure.code, failure };
  return moved(entry, { ...base, state: 'retryable', final: false, unprocessed: true });
}

/** By what its last attempt came to: an outage of hours is no refusal. */
const wasRefusedBefore = ({ history }: LedgerEntry) =>
  history.findLast(({ state }) => state === 'retryable')?.reason === 'AUTHENTICATION';

/** The order ends without ever having been sent. */
function failed(entry: LedgerEntry, failure: Failure, base: Base): LedgerEntry {
  return moved(entry, { ...base, state: 'failed', final: true, reason: failure.code, failure, unprocessed: true });
}

/** Doubt waits for an inquiry where the gateway offers one, else for a person. */
function doubtful(
  entry: LedgerEntry,
  failure: Failure,
  context: Pick<SettleContext, 'nowMs' | 'attempts' | 'statusInquiry'>,
  ids: GatewayIds = {},
): LedgerEntry {
  const { nowMs, attempts, statusInquiry } = context;
  const state = statusInquiry ? 'in-doubt' : 'held';
  return moved(entry, { nowMs, attempts, state, final: false, reason: failure.code, failure, ...ids });
}

/** The entry of an order whose worker never reported: money may have moved, unless the operation moves none. */
export function abandoned(entry: LedgerEntry, context: Pick<SettleContext, 'nowMs' | 'statusInquiry'>): LedgerEntry {
  const { attempts } = entry;
  const failure: Failure = { code: 'WORKER_LOST', message: 'the worker that held the claim never reported an answer' };
  if (operations[entry.operation].movesMoney) return doubtful(entry, failure, { ...context, attempts });
  const base = { nowMs: context.nowMs, attempts, reason: failure.code, failure };
  return moved(entry, { ...base, state: 'retryable', final: false });
}
