// An order as people and results see it: concluded from its facts each time, never kept.
import { type Failure, type FailureCode, isFailureCode } from '../message/failures.ts';
import {
  type Attempt,
  attemptsOf,
  type Decision,
  type Facts,
  idAt,
  isNamed,
  type Reversal,
  type Said,
  unattributedPaid,
} from './facts.ts';
import { fold, type HoldReason, idsAlive, type Status } from './fold.ts';
import type { Content, Order } from './order.ts';

/** The states of an order. */
export const orderStates = [
  'submitting',
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
  /** True where it was accepted for longer than its profile's horizon. */
  readonly overdue?: true;
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
  const { operation, endpointId, money, batchId, context } = content ?? contentUnknown;
  const unattributed = unattributedOf(status, facts);
  const others = attempts.filter((it) => it !== present && (it.ids.length > 0 || it.lost || it.lapsed));
  const amount = amountOf(present);
  const mayHaveMore = attempts.some(({ lost }) => lost) || idsAlive(facts).length > 0;
  const reversal = present?.reversal ?? unattributed?.reversal;
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
    attempts: attempts.filter(({ lost }) => !lost).length + facts.dropped.connected + facts.dropped.unconnected,
    ...(mayHaveMore && { mayHaveMore: true as const }),
    ...(failure && { failure }),
    ...(note !== undefined && { note }),
    ...('end' in status && status.kind !== 'cancelled' && { endId: status.end.id }),
    createdAtMs,
    updatedAtMs: published.revision > 0 ? published.atMs : order.updatedAtMs,
    history: historyOf(facts),
    ...(unpublished && { unpublished }),
    ...(present && !present.lost && present.accounts[0] !== undefined && { account: present.accounts[0] }),
    ...(unattributed?.id === undefined ? idsOf(present) : { gatewayOrderId: unattributed.id }),
    ...(others.length > 0 && { earlierAttempts: others.map(shownOf) }),
    ...(amount !== undefined && { gatewayAmount: amount }),
    ...(reversal && { reversal }),
    ...(facts.surprises.length > 0 && { surprises: facts.surprises }),
    ...(status.kind === 'accepted' && status.attempt.overdue && { overdue: true as const }),
    ...(!content && { beforehand: true as const }),
    looks: order.looks,
  };
}

/** An order without a job may move money. */
const contentUnknown: Content = { operation: 'payout', endpointId: '', fingerprint: '' };

function stateOf(status: Status): OrderState {
  switch (status.kind) {
    case 'new':
    case 'submitting':
    case 'ending':
      return 'submitting';
    case 'ready':
      return 'retryable';
    case 'accepted':
    case 'approved':
    case 'in-doubt':
    case 'held':
    case 'declined':
    case 'failed':
    case 'cancelled':
      return status.kind;
    default:
      return status satisfies never;
  }
}

function isFinal(status: Status): boolean {
  switch (status.kind) {
    case 'accepted':
      return !status.attempt.askable;
    case 'approved':
    case 'declined':
    case 'failed':
    case 'cancelled':
      return true;
    default:
      return false;
  }
}

/** The attempt that the order's status is about. */
function presentOf(status: Status, attempts: readonly Attempt[]): Attempt | undefined {
  if ('attempt' in status && status.attempt) return status.attempt;
  if (status.kind === 'held') return status.attempts[0] ?? attempts.at(-1);
  if (status.kind !== 'approved') return attempts.at(-1);
  // The approved attempt is none of those that have ids of their own.
  if (!status.decision) return attempts.findLast(({ ids }) => ids.length === 0) ?? attempts.at(-1);
  // The decision "paid" is about an attempt that the gateway knows, where there is one.
  return attempts.findLast(({ ids }) => ids.length > 0) ?? attempts.at(-1);
}

/** What the gateway reported of the approved order, where nobody can tell which attempt that was. */
function unattributedOf(
  status: Status,
  facts: Facts,
): { readonly id?: string; readonly reversal?: Reversal } | undefined {
  if (status.kind !== 'approved' || status.attempt || status.decision) return undefined;
  const paid = unattributedPaid(facts);
  const [id, { reversal } = {}] = paid.find(([it]) => isNamed(it)) ?? paid[0] ?? [];
  return { ...(id !== undefined && isNamed(id) && { id: idAt(id) }), ...(reversal && { reversal }) };
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

const shownOf = ({ accounts: [account], ids: [gatewayOrderId] }: Attempt) => ({
  ...(account !== undefined && { account }),
  ...(gatewayOrderId !== undefined && { gatewayOrderId }),
});

/** The gateway's other amount, as long as it has not reported the end with the right one. */
function amountOf(attempt: Attempt | undefined): string | undefined {
  if (!attempt || attempt.reports.includes('approved') || attempt.reports.includes('declined')) return undefined;
  return attempt.amounts.at(-1);
}

const failureCodeOf = (code: string): FailureCode => (isFailureCode(code) ? code : 'UNCLEAR_ANSWER');

const failureFrom = ({ code, message, gatewayCode, httpStatus }: Said): Failure => ({
  code: failureCodeOf(code),
  message,
  ...(gatewayCode !== undefined && { gatewayCode }),
  ...(httpStatus !== undefined && { httpStatus }),
});

function failureOf(status: Status, attempts: readonly Attempt[], facts: Facts): Failure | undefined {
  switch (status.kind) {
    case 'in-doubt':
      return doubtOf(status.attempt);
    case 'held':
      return holdOf(status.reason, status.attempts, facts);
    case 'ready':
      return refusalOf(status.last);
    case 'submitting':
      return refusalOf(attempts.at(-1));
    case 'declined':
    case 'failed':
      return failureFrom(status.end);
    case 'new':
    case 'ending':
    case 'accepted':
    case 'approved':
    case 'cancelled':
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
  const said = attempt?.lapsed ?? (attempt?.answer?.kind === 'refused' ? attempt.answer : undefined);
  if (said) return failureFrom(said);
  return { code: 'UNCLEAR_ANSWER', message: 'the gateway has an order of this id that fits no attempt known here' };
}

function holdOf(reason: HoldReason, attempts: readonly Attempt[], facts: Facts): Failure {
  const [attempt] = attempts;
  switch (reason) {
    case 'unproven':
      return doubtOf(attempt);
    case 'not-at-gateway':
      return { code: 'NOT_AT_GATEWAY', message: 'asked over the quiet period, the gateway knows no such order' };
    case 'several-alive':
      return {
        code: 'SEVERAL_ATTEMPTS',
        message: `the gateway knows of several attempts (${idsOfSeveral(attempts, facts).join(', ')}): it may be paid twice`,
      };
    case 'inconclusive':
      return attempt?.unclear ? failureFrom(attempt.unclear) : doubtOf(attempt);
    case 'amount-differs':
      return {
        code: 'AMOUNT_DIFFERS',
        message: `the gateway has it with ${attempt?.amounts.at(-1) ?? 'another amount'}`,
      };
    case 'card-data': {
      const { code = 'NOT_SENT', gatewayCode, httpStatus } = refusalOf(attempt) ?? {};
      const said = {
        ...(gatewayCode !== undefined && { gatewayCode }),
        ...(httpStatus !== undefined && { httpStatus }),
      };
      const message = `${code}; seal the card data anew and send the order again`;
      return { code: 'NEW_CARD_DATA_NEEDED', message, ...said };
    }
    case 'too-many':
      return {
        code: 'TOO_MANY_ATTEMPTS',
        message: 'it has as many attempts or decisions as an order may have: give it a new id',
      };
    default:
      return reason satisfies never;
  }
}

const idsOfSeveral = (attempts: readonly Attempt[], facts: Facts): readonly string[] => [
  ...attempts.flatMap(({ ids }) => ids),
  ...idsAlive(facts).filter(isNamed).map(idAt),
];

const saidBy = ({ by, reason }: Decision): string => `${by}: ${reason}`;

/** The person who decided, and the reason. */
function noteOf(status: Status): string | undefined {
  if (status.kind === 'approved' && status.decision) return saidBy(status.decision);
  return status.kind === 'cancelled' && status.end.message !== '' ? status.end.message : undefined;
}

/** The order's history by time, as far as its facts have one. */
function historyOf(facts: Facts): readonly HistoryLine[] {
  const attempts = attemptsOf(facts);
  const lines = attempts.flatMap((attempt, at): HistoryLine[] => {
    const { answer } = attempt;
    const line = { attempts: at + 1 };
    return [
      { ...line, state: 'submitting', atMs: attempt.atMs, reason: attempt.lost ? 'LEDGER_RESTORED' : 'claimed' },
      ...(answer?.kind === 'taken'
        ? [{ ...line, state: 'accepted' as const, atMs: answer.atMs, reason: 'accepted' }]
        : []),
      ...(attempt.approvedAtMs === undefined
        ? []
        : [{ ...line, state: 'approved' as const, atMs: attempt.approvedAtMs, reason: 'approved' }]),
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
  // A decision that another replaced has happened too, and may have been booked.
  const decided = Object.values(facts.decisions).map((it): HistoryLine => {
    const state = it.kind === 'paid' ? 'approved' : it.kind === 'cancel' ? 'cancelled' : 'failed';
    return { state, atMs: it.atMs, attempts: attempts.length, reason: decisionWords[it.kind] };
  });
  const ended = Object.values(facts.ends).map((end): HistoryLine => {
    const state = end.reason === 'cancelled' ? 'cancelled' : end.reason === 'declined' ? 'declined' : 'failed';
    return { state, atMs: end.atMs, attempts: attempts.length, reason: end.code };
  });
  return [...lines, ...decided, ...ended].toSorted((a, b) => a.atMs - b.atMs);
}

const decisionWords: Readonly<Record<Decision['kind'], string>> = {
  paid: 'released-as-paid',
  'not-paid': 'released-as-not-paid',
  cancel: 'cancelled',
};

/** True where the order is held, and proven never processed: a job with newly sealed card data sends it. */
export const waitsForCardData = ({ state, failure }: Pick<OrderView, 'state' | 'failure'>): boolean =>
  state === 'held' && failure?.code === 'NEW_CARD_DATA_NEEDED';

/** True for a failure that came before anything was sent: an order that is held by it has no money in doubt. */
export const wasNeverSent = ({ failure }: Pick<OrderView, 'failure'>): boolean =>
  failure?.code === 'NEW_CARD_DATA_NEEDED';

/** True for an order about which the gateway is asked without a person. */
export const isAskedAbout = ({ state, final }: Pick<OrderView, 'state' | 'final'>): boolean =>
  state === 'in-doubt' || (state === 'accepted' && !final);

/** True where the order was cancelled before any job of it came. */
export const isCancelledBeforehand = ({ state, beforehand }: Pick<OrderView, 'state' | 'beforehand'>): boolean =>
  state === 'cancelled' && beforehand === true;
