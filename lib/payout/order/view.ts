// An order as people and results see it: concluded from its facts each time, never kept.
import { type Failure, type FailureCode, isFailureCode } from '../message/failures.ts';
import {
  type Attempt,
  attemptsOf,
  type Decision,
  type EndReason,
  type Facts,
  type TransactionReports,
  type Reversal,
  type Said,
} from './facts.ts';
import { fold, type HoldReason, maySend, type Status } from './fold.ts';
import type { Content, Order } from './order.ts';
import { heardOf, strangersOf, unknownAlive } from './signs.ts';

/** The states of an order. */
export const orderStates = [
  'submitting',
  /** Refused, which proves nothing before the gateway was asked since. */
  'verifying',
  'retryable',
  'in-doubt',
  'held',
  'accepted',
  'approved',
  'declined',
  'failed',
  'cancelled',
] as const;

/** The state of an order. */
export type OrderState = (typeof orderStates)[number];

/** One line of an order's history. */
export interface HistoryLine {
  readonly state: OrderState;
  readonly atMs: number;
  readonly attempts: number;
  readonly reason: string;
}

/** An order as people see it. Times are epoch milliseconds. */
export interface OrderView extends Omit<Content, 'fingerprint'> {
  readonly key: string;
  /** The digest of what is shown to a person who may decide about it. */
  readonly seen?: string;
  readonly merchant: string;
  readonly orderId: string;
  readonly state: OrderState;
  /** The revision that was published last; 0 while none was. */
  readonly revision: number;
  /** True where nothing follows by itself after this state. */
  readonly final: boolean;
  /** POSTs made so far, the one under way included. */
  readonly attempts: number;
  /** A restore of its table may have lost others, or the gateway has named an order that is none of these. */
  readonly mayHaveMore?: true;
  readonly failure?: Failure;
  /** The person who decided, and the reason. */
  readonly note?: string;
  /** The name by which its end opens again. */
  readonly endId?: string;
  readonly createdAtMs: number;
  /** When the last revision came to be. */
  readonly updatedAtMs: number;
  readonly history: readonly HistoryLine[];
  /** True where its result could not be published yet. */
  readonly unpublished?: true;
  /** Digest of the account that its last attempt was sent to. */
  readonly account?: string;
  /** The gateway's identity of the attempt that counts, or its alias where that is all it gave. */
  readonly gatewayOrderId?: string;
  readonly gatewayAlias?: string;
  /** The other attempts of which money may have moved, or that the gateway has named. */
  readonly earlierAttempts?: readonly { readonly account?: string; readonly gatewayOrderId?: string }[];
  readonly gatewayAmount?: string;
  readonly reversal?: Reversal;
  /** Callbacks that fitted nowhere. */
  readonly surprises?: readonly string[];
  /** True where no job of it has come: a person or a callback alone has named the order. */
  readonly beforehand?: true;
  /** Looks at the gateway so far. */
  readonly looks: number;
}

/** The view of an order as it is now. */
export function viewOf(order: Order): OrderView {
  const { content, facts, published, unpublished, key, merchant, orderId, createdAtMs } = order;
  const status = fold(facts);
  const attempts = attemptsOf(facts);
  const present = presentOf(status, attempts);
  const failure = failureOf(status, attempts, facts);
  const note = noteOf(status);
  const endId = nameOf(status, facts);
  const { operation, endpointId, money, batchId, context } = content ?? contentUnknown;
  const others = attempts.filter((it) => it !== present && (it.ids.length > 0 || it.lost || it.lapsed));
  const heard = present && heardOf(present, facts);
  const amount = heard && amountOf(heard);
  const mayHaveMore = attempts.some(({ lost }) => lost) || strangersOf(facts).length > 0;
  return {
    key,
    merchant,
    orderId,
    operation,
    endpointId,
    ...(money && { money }),
    ...(batchId !== undefined && { batchId }),
    ...(context !== undefined && { context }),
    state: stateOf(status),
    revision: published.revision,
    final: isFinal(status),
    attempts: attempts.filter(({ lost }) => !lost).length + facts.dropped.believed + facts.dropped.proven,
    ...(mayHaveMore && { mayHaveMore: true as const }),
    ...(failure && { failure }),
    ...(note !== undefined && { note }),
    ...(endId !== undefined && { endId }),
    createdAtMs,
    updatedAtMs: published.revision > 0 ? published.atMs : order.updatedAtMs,
    history: historyOf(facts, order.updatedAtMs),
    ...(unpublished && { unpublished }),
    ...(present && !present.lost && present.accounts[0] !== undefined && { account: present.accounts[0] }),
    ...(present ? idsOf(present) : strangerIn(facts)),
    ...(others.length > 0 && { earlierAttempts: others.map(shownOf) }),
    ...(amount !== undefined && { gatewayAmount: amount }),
    ...(heard?.reversal && { reversal: heard.reversal }),
    ...(facts.surprises.length > 0 && { surprises: facts.surprises }),
    ...(!content && { beforehand: true as const }),
    looks: order.looks,
  };
}

/** An order without a job may move money. */
const contentUnknown: Content = { operation: 'payout', endpointId: '', fingerprint: '' };

function stateOf(status: Status): OrderState {
  switch (status.kind) {
    case 'new':
    case 'sending':
      return 'submitting';
    case 'ready':
      return 'retryable';
    case 'over':
      return stateOfEnd(status.reason);
    case 'verifying':
    case 'accepted':
    case 'approved':
    case 'in-doubt':
    case 'held':
      return status.kind;
    default:
      return status satisfies never;
  }
}

const stateOfEnd = (reason: EndReason) =>
  reason === 'cancelled' || reason === 'declined' ? reason : ('failed' as const);

function isFinal(status: Status): boolean {
  if (status.kind === 'accepted') return !status.attempt.askable;
  return status.kind === 'approved' || status.kind === 'over';
}

/** The name by which the end opens, told only where it does. */
function nameOf(status: Status, facts: Facts): string | undefined {
  if (status.kind !== 'over' || !status.end) return undefined;
  const { id } = status.end;
  return maySend(facts, { resends: id }) ? id : undefined;
}

/** The attempt that the order's status is about. */
function presentOf(status: Status, attempts: readonly Attempt[]): Attempt | undefined {
  if ('attempt' in status && status.attempt) return status.attempt;
  if (status.kind === 'held') return status.attempts[0] ?? attempts.at(-1);
  // The decision "paid" is about an attempt that the gateway knows, where there is one.
  if (status.kind === 'approved') return attempts.findLast(({ ids }) => ids.length > 0) ?? attempts.at(-1);
  return attempts.at(-1);
}

function idsOf(attempt: Attempt | undefined): Pick<OrderView, 'gatewayOrderId' | 'gatewayAlias'> {
  const [id] = attempt?.ids ?? [];
  const [alias] = attempt?.aliases ?? [];
  const known = id ?? alias;
  return {
    ...(known !== undefined && { gatewayOrderId: known }),
    ...(alias !== undefined && alias !== id && { gatewayAlias: alias }),
  };
}

/** The transaction by which a person knows that an order was paid that was never sent from here. */
function strangerIn(facts: Facts): Pick<OrderView, 'gatewayOrderId'> {
  const id = unknownAlive(facts).find((it) => it.id !== undefined)?.id;
  return id === undefined ? {} : { gatewayOrderId: id };
}

const shownOf = ({ accounts: [account], ids: [gatewayOrderId] }: Attempt) => ({
  ...(account !== undefined && { account }),
  ...(gatewayOrderId !== undefined && { gatewayOrderId }),
});

/** The gateway's other amount, as long as it has not reported the end with the right one. */
const amountOf = ({ reports, amounts }: TransactionReports): string | undefined =>
  reports.includes('approved') || reports.includes('declined') ? undefined : amounts.at(-1);

const failureFrom = ({ code, message, gatewayCode, httpStatus }: Said): Failure => ({
  code: isFailureCode(code) ? code : 'UNCLEAR_ANSWER',
  message,
  ...(gatewayCode !== undefined && { gatewayCode }),
  ...(httpStatus !== undefined && { httpStatus }),
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
  const it = attempt?.answer?.kind === 'refused' ? attempt.answer : attempt?.lapsed;
  return it && failureFrom(it);
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

/** Why it is held: the code of the hold, and what its attempt was told where that explains it. */
function holdOf(reason: HoldReason, attempt: Attempt | undefined, facts: Facts): Failure {
  switch (reason) {
    case 'unproven':
      return because('HELD_UNPROVEN', doubtOf(attempt), (why) => why.message);
    case 'not-at-gateway':
      return { code: 'HELD_NOT_AT_GATEWAY', message: 'asked over the quiet period, the gateway knows no such order' };
    case 'several': {
      const ids = idsOfSeveral(facts).join(', ');
      return { code: 'HELD_SEVERAL', message: `the gateway knows of several (${ids}): it may be paid twice` };
    }
    case 'unknown-transaction': {
      const ids = idsOfSeveral(facts).join(', ');
      return {
        code: 'HELD_UNKNOWN_TRANSACTION',
        message: `the gateway has a transaction${ids && ` (${ids})`} of this order id that was not sent from here`,
      };
    }
    case 'unclear-decline':
      return {
        code: 'HELD_UNCLEAR_DECLINE',
        message: 'the gateway declined a transaction of this order id, and names no attempt',
      };
    case 'inconclusive': {
      const said = attempt?.unclear ?? attempt?.declined;
      return said
        ? because('HELD_INCONCLUSIVE', failureFrom(said), (why) => why.message)
        : { code: 'HELD_INCONCLUSIVE', message: 'the gateway reports a status that proves nothing' };
    }
    case 'amount-differs': {
      const amount = attempt && heardOf(attempt, facts).amounts.at(-1);
      return { code: 'HELD_AMOUNT_DIFFERS', message: `the gateway has it with ${amount ?? 'another amount'}` };
    }
    case 'no-end':
      return { code: 'HELD_NO_END', message: 'the gateway took it, and has not said how it ended' };
    case 'card-data': {
      const why = refusalOf(attempt) ?? { code: 'NOT_SENT' as const, message: '' };
      return because('HELD_CARD_DATA', why, ({ code }) => `${code}; seal the card data anew and send the order again`);
    }
    case 'too-many':
      return {
        code: 'HELD_TOO_MANY',
        message: 'it has as many attempts as an order may have: cancel it, and give it a new id',
      };
    default:
      return reason satisfies never;
  }
}

function because(code: FailureCode, why: Failure, words: (why: Failure) => string): Failure {
  const { gatewayCode, httpStatus } = why;
  return {
    code,
    message: words(why),
    ...(gatewayCode !== undefined && { gatewayCode }),
    ...(httpStatus !== undefined && { httpStatus }),
  };
}

const idsOfSeveral = (facts: Facts): readonly string[] => [
  ...attemptsOf(facts).flatMap(({ ids }) => ids),
  ...strangersOf(facts).flatMap(({ id }) => id ?? []),
];

const saidBy = ({ by, reason }: Decision): string => `${by}: ${reason}`;

/** The person who decided, and the reason. */
function noteOf(status: Status): string | undefined {
  if (status.kind === 'approved' && status.decision) return saidBy(status.decision);
  const isCancelled = status.kind === 'over' && status.reason === 'cancelled';
  return isCancelled && status.end && status.end.message !== '' ? status.end.message : undefined;
}

/** The order's history by time, as far as its facts have one: each line says what was so then. */
function historyOf(facts: Facts, updatedAtMs: number): readonly HistoryLine[] {
  const attempts = attemptsOf(facts);
  /** The attempt that was the last one at that time. */
  const lastAt = (atMs: number) => attempts.filter((it) => it.atMs <= atMs).length;
  const lines = attempts.flatMap((attempt, at): HistoryLine[] => {
    const { answer } = attempt;
    const { approvedAtMs, reversal } = heardOf(attempt, facts);
    const line = { attempts: at + 1 };
    // When its sender gave up is not kept: at the latest at the end of its lease, or when the order was written last.
    const lapsedAtMs = Math.min(attempt.leaseUntilMs, Math.max(updatedAtMs, attempt.atMs));
    const asked = Object.values(attempt.absent).flatMap(({ firstMs, lastMs }) => [firstMs, lastMs]);
    const askedAtMs = [...new Set(asked)].filter((atMs) => atMs !== undefined);
    return [
      { ...line, state: 'submitting', atMs: attempt.atMs, reason: attempt.lost ? 'LEDGER_RESTORED' : 'claimed' },
      ...(attempt.lapsed && !attempt.lost
        ? [{ ...line, state: 'in-doubt' as const, atMs: lapsedAtMs, reason: attempt.lapsed.code }]
        : []),
      ...askedAtMs.map((atMs) => ({ ...line, state: 'in-doubt' as const, atMs, reason: 'not-known' })),
      ...(reversal ? [{ ...line, state: 'approved' as const, atMs: reversal.atMs, reason: 'reversed' }] : []),
      ...(answer?.kind === 'taken'
        ? [{ ...line, state: 'accepted' as const, atMs: answer.atMs, reason: 'accepted' }]
        : []),
      ...(approvedAtMs === undefined
        ? []
        : [{ ...line, state: 'approved' as const, atMs: approvedAtMs, reason: 'approved' }]),
      ...(answer?.kind === 'refused'
        ? [
            {
              ...line,
              state: answer.about === 'order' ? ('declined' as const) : ('retryable' as const),
              atMs: answer.atMs,
              reason: answer.code,
            },
          ]
        : []),
    ];
  });
  const decided = Object.values(facts.decisions).map((it): HistoryLine => {
    const state = it.kind === 'paid' ? 'approved' : it.kind === 'cancel' ? 'cancelled' : 'failed';
    return { state, atMs: it.atMs, attempts: lastAt(it.atMs), reason: decisionWords[it.kind] };
  });
  const ended = Object.values(facts.ends).map((end): HistoryLine => ({
    state: stateOfEnd(end.reason),
    atMs: end.atMs,
    attempts: lastAt(end.atMs),
    reason: end.code,
  }));
  return [...lines, ...decided, ...ended].toSorted((a, b) => a.atMs - b.atMs);
}

const decisionWords: Readonly<Record<Decision['kind'], string>> = {
  paid: 'released-as-paid',
  'not-paid': 'released-as-not-paid',
  cancel: 'cancelled',
};

/** The holds of an order of which no payment was sent, or none lives. */
const heldUnsent: ReadonlySet<string | undefined> = new Set(['HELD_CARD_DATA', 'HELD_TOO_MANY']);

/** True where the order is held, and proven never processed: a job with newly sealed card data sends it. */
export const waitsForCardData = ({ state, failure }: Pick<OrderView, 'state' | 'failure'>): boolean =>
  state === 'held' && failure?.code === 'HELD_CARD_DATA';

/** True for a failure that leaves no money in doubt, though the order is held. */
export const wasNeverSent = ({ failure }: Pick<OrderView, 'failure'>): boolean => heldUnsent.has(failure?.code);

/** True for an order about which the gateway is asked without a person. */
export const isAskedAbout = ({ state, final }: Pick<OrderView, 'state' | 'final'>): boolean =>
  state === 'in-doubt' || (state === 'accepted' && !final);

/** True where the order was cancelled before any job of it came. */
export const isCancelledBeforehand = ({ state, beforehand }: Pick<OrderView, 'state' | 'beforehand'>): boolean =>
  state === 'cancelled' && beforehand === true;
