// An order as people and results see it: concluded from its facts each time, never stored.
import { type Failure, isFailureCode } from '../message/failures.ts';
import { type Attempt, attemptsOf, type Facts, type TransactionReports, type Reversal, type Reason } from './facts.ts';
import { amountFields } from '../../gateway/money.ts';
import { operations } from '../../gateway/operations.ts';
import type { Result, ResultStatus } from '../message/result.ts';
import { whereSet } from '../where-set.ts';
import { reasonOf } from './ends.ts';
import { type HistoryLine, historyOf } from './history.ts';
import { fold, maySend, type Status } from './fold.ts';
import type { Content, Order } from './order.ts';
import { type HoldReason, type Standing, standingOfStatus, standings } from './standing.ts';
import { heardOf, strangersOf, unknownAlive } from './signs.ts';

/** What an order waits for. Times are epoch ms. */
export interface OrderWait {
  readonly for: 'its sender' | 'its message' | 'the gateway' | 'a person';
  /** When the gateway is asked next. */
  readonly nextAtMs?: number;
  /** The wait ends by then at the latest; after it a person decides. */
  readonly untilMs?: number;
  /** From then on a person can decide that it is not paid. */
  readonly decidableAtMs?: number;
}

/** An order as people see it. Times are epoch milliseconds. */
export interface OrderView extends Omit<Content, 'fingerprint' | 'digest'> {
  readonly key: string;
  /** The digest of what is shown to a person who may decide about it. */
  readonly seen?: string;
  /** What it waits for; only in a view for a person. */
  readonly waits?: OrderWait;
  readonly merchant: string;
  readonly orderId: string;
  /** What became of its payment. */
  readonly standing: Standing;
  /** The status of its result; nothing is published without one. */
  readonly result?: ResultStatus;
  /** The revision that was published last; 0 while none was. */
  readonly revision: number;
  /** True if nothing follows by itself. */
  readonly final: boolean;
  /** POSTs made so far, the one under way included. */
  readonly attempts: number;
  /** True if there may be more attempts: a restore may have lost some, or the gateway has an unknown transaction. */
  readonly mayHaveMore?: true;
  readonly failure?: Failure;
  /** The person who decided, and the reason. */
  readonly note?: string;
  /** The id that opens its end again. */
  readonly endId?: string;
  readonly createdAtMs: number;
  /** When the last revision came to be. */
  readonly updatedAtMs: number;
  readonly history: readonly HistoryLine[];
  /** True if its result could not be published yet. */
  readonly unpublished?: true;
  /** Digest of the account that its last attempt was sent to. */
  readonly account?: string;
  /** The gateway's id of the attempt that the status is about; its alias if the gateway gave no id. */
  readonly gatewayOrderId?: string;
  readonly gatewayAlias?: string;
  /** The other attempts of which money may have moved, or that the gateway has named. */
  readonly earlierAttempts?: readonly { readonly account?: string; readonly gatewayOrderId?: string }[];
  readonly gatewayAmount?: string;
  readonly reversal?: Reversal;
  /** Callbacks that fit no attempt. */
  readonly surprises?: readonly string[];
  /** True if no job of it has come: only a person, a restore or a callback has named the order. */
  readonly beforehand?: true;
  /** Inquiries made so far. */
  readonly looks: number;
}

/** The view of an order as it is now. */
export function viewOf(order: Order): OrderView {
  const { content, facts, published, key, merchant, orderId } = order;
  const { fingerprint: _, digest: _digest, ...asked } = content ?? contentUnknown;
  const status = fold(facts);
  const attempts = attemptsOf(facts);
  const present = presentOf(status, attempts);
  const heard = present && heardOf(present, facts);
  const failure = failureOf(status, attempts, facts);
  const { movesMoney } = operations[asked.operation];
  const standing = standingOfStatus(status, movesMoney);
  const others = attempts.filter((it) => it !== present && (it.ids.length > 0 || it.lost || it.lapsed));
  return whereSet<OrderView>({
    key,
    merchant,
    orderId,
    ...asked,
    standing,
    // The result of an approved check is `approved`, although its standing is `checked`.
    result: status.kind === 'approved' ? 'approved' : standings[standing].result,
    revision: published.revision,
    final: standings[standing].isFinal,
    attempts: attempts.filter(({ lost }) => !lost).length + facts.dropped.believed + facts.dropped.proven,
    mayHaveMore: facts.dropped.lost || attempts.some(({ lost }) => lost) || strangersOf(facts).length > 0 || undefined,
    failure,
    note: noteOf(status),
    endId: endIdOf(status, facts),
    createdAtMs: order.createdAtMs,
    updatedAtMs: published.revision > 0 ? published.atMs : order.updatedAtMs,
    history: historyOf(order, { standing, reason: failure?.code ?? standing, movesMoney }),
    unpublished: order.unpublished,
    account: present?.lost ? undefined : present?.accounts[0],
    ...(present ? idsOf(present) : { gatewayOrderId: unknownAlive(facts).find(({ id }) => id !== undefined)?.id }),
    earlierAttempts: others.length > 0 ? others.map(shownOf) : undefined,
    gatewayAmount: heard && amountOf(heard),
    reversal: heard?.reversal,
    surprises: facts.surprises.length > 0 ? facts.surprises : undefined,
    beforehand: content ? undefined : true,
    looks: order.looks,
  });
}

/** The result of an order; undefined while there is none to publish (being sent, or to be sent again). */
export function resultOf(view: OrderView): Result | undefined {
  const { key, merchant, operation, endpointId, orderId, result: status, money, reversal, gatewayOrderId } = view;
  if (status === undefined) return undefined;
  const { atMs = 0, ...said } = reversal ?? {};
  return whereSet<Result>({
    version: 1,
    resultId: `${key}/${view.revision}`,
    operation,
    merchant,
    // An order that was cancelled before any job of it came has none.
    endpointId: endpointId || undefined,
    orderId,
    status,
    final: view.final,
    // The id that the operation's contract names, and the gateway's identity of the order; often they are one.
    [operations[operation].resultIdField]: view.gatewayAlias ?? gatewayOrderId,
    gatewayOrderId,
    ...(money && amountFields(money)),
    gatewayAmount: view.gatewayAmount,
    reversal: reversal && { type: reversal.type, status: reversal.status, ...said, at: new Date(atMs).toISOString() },
    attempts: view.attempts,
    revision: view.revision,
    failure: view.failure,
    endId: view.endId,
    occurredAt: new Date(view.updatedAtMs).toISOString(),
    batchId: view.batchId,
    context: view.context,
  });
}

/** An order whose job has not come counts as one that moves money. */
const contentUnknown: Content = { operation: 'payout', endpointId: '', fingerprint: '' };

/** The id of the end, if it still opens the order. */
function endIdOf(status: Status, facts: Facts): string | undefined {
  if (status.kind !== 'over' || !status.end) return undefined;
  const { id } = status.end;
  return maySend(facts, { resends: id }) ? id : undefined;
}

/** The attempt that the order's status is about. */
function presentOf(status: Status, attempts: readonly Attempt[]): Attempt | undefined {
  if ('attempt' in status && status.attempt) return status.attempt;
  if (status.kind === 'held') return status.attempts[0] ?? attempts.at(-1);
  // The decision "paid" is about an attempt that the gateway knows, if there is one.
  if (status.kind === 'approved') return attempts.findLast(({ ids }) => ids.length > 0) ?? attempts.at(-1);
  return attempts.at(-1);
}

function idsOf({ ids: [id], aliases: [alias] }: Attempt) {
  return { gatewayOrderId: id ?? alias, gatewayAlias: alias === id ? undefined : alias };
}

const shownOf = ({ accounts: [account], ids: [gatewayOrderId] }: Attempt) => whereSet({ account, gatewayOrderId });

/** The amount that differs from the order's, unless the gateway has reported the end with the right one. */
const amountOf = ({ reports, amounts }: TransactionReports): string | undefined =>
  reports.includes('approved') || reports.includes('declined') ? undefined : amounts.at(-1);

const failureFrom = (reason: Reason): Failure => ({
  ...reasonOf(reason),
  code: isFailureCode(reason.code) ? reason.code : 'UNCLEAR_ANSWER',
});

function failureOf(status: Status, attempts: readonly Attempt[], facts: Facts): Failure | undefined {
  switch (status.kind) {
    case 'in-doubt':
      return doubtOf(status.attempt);
    case 'held':
      return holdOf(status.reason, status.attempts[0] ?? attempts.at(-1), facts);
    case 'sending':
    case 'verifying':
    case 'ready':
      return refusalOf(attempts.at(-1));
    case 'over':
      return status.end && status.reason !== 'cancelled' ? failureFrom(status.end) : undefined;
    case 'new':
    case 'accepted':
    case 'approved':
      return undefined;
    default:
      return status satisfies never;
  }
}

function refusalOf(attempt: Attempt | undefined): Failure | undefined {
  const refusal = attempt?.answer?.kind === 'refused' ? attempt.answer : attempt?.lapsed;
  return refusal && failureFrom(refusal);
}

function doubtOf(attempt: Attempt | undefined): Failure {
  if (attempt?.lost)
    return { code: 'LEDGER_RESTORED', message: 'the ledger was restored and may have lost that it was sent' };
  return (
    refusalOf(attempt) ?? {
      code: 'UNCLEAR_ANSWER',
      message: 'the gateway has an order of this id that fits no attempt known here',
    }
  );
}

/** Why it is held: the code of the hold, and the attempt's own refusal if it explains the hold. */
function holdOf(reason: HoldReason, attempt: Attempt | undefined, facts: Facts): Failure {
  const ids = idsIn(facts);
  const amount = attempt && heardOf(attempt, facts).amounts.at(-1);
  const refusal = refusalOf(attempt);
  const holds: Readonly<Record<HoldReason, Failure>> = {
    unproven: { ...doubtOf(attempt), code: 'HELD_UNPROVEN' },
    'not-at-gateway': {
      code: 'HELD_NOT_AT_GATEWAY',
      message: 'the gateway was asked over the quiet period and knows no such order',
    },
    several: { code: 'HELD_SEVERAL', message: `the gateway has several transactions (${ids}): it may be paid twice` },
    'unknown-transaction': {
      code: 'HELD_UNKNOWN_TRANSACTION',
      message: `the gateway has a transaction${ids && ` (${ids})`} of this order id that was not sent from here`,
    },
    'unclear-decline': {
      code: 'HELD_UNCLEAR_DECLINE',
      message: 'the gateway declined a transaction of this order id without naming the attempt',
    },
    inconclusive: {
      message: 'the gateway reports a status that proves nothing',
      ...(attempt?.unclear ?? attempt?.declined),
      code: 'HELD_INCONCLUSIVE',
    },
    'amount-differs': {
      code: 'HELD_AMOUNT_DIFFERS',
      message: `the gateway has it with ${amount ?? 'another amount'}`,
    },
    'no-end': { code: 'HELD_NO_END', message: 'the gateway took it, and has not said how it ended' },
    'card-data': {
      ...refusal,
      code: 'HELD_CARD_DATA',
      message: `${refusal?.code ?? 'NOT_SENT'}; seal the card data anew and send the order again`,
    },
    'too-many': {
      code: 'HELD_TOO_MANY',
      message: 'it has as many attempts as an order may have: cancel it, and give it a new id',
    },
  };
  return holds[reason];
}

/** The ids of the transactions that may have moved money. */
const idsIn = (facts: Facts): string =>
  [...attemptsOf(facts).flatMap(({ ids }) => ids), ...strangersOf(facts).flatMap(({ id }) => id ?? [])].join(', ');

/** The person who decided, and the reason. */
function noteOf(status: Status): string | undefined {
  if (status.kind === 'approved' && status.decision) return `${status.decision.by}: ${status.decision.reason}`;
  const isCancelled = status.kind === 'over' && status.reason === 'cancelled';
  return isCancelled && status.end && status.end.message !== '' ? status.end.message : undefined;
}

/** True if the order is held for card data: it was never processed, and a job with newly sealed card data sends it. */
export const waitsForCardData = ({ failure }: Pick<OrderView, 'failure'>): boolean =>
  failure?.code === 'HELD_CARD_DATA';

/** True if the order was cancelled before any job of it came. */
export const isCancelledBeforehand = ({ standing, beforehand }: Pick<OrderView, 'standing' | 'beforehand'>): boolean =>
  standing === 'cancelled' && beforehand === true;
