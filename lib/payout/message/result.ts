// The result message: a projection of the ledger entry, so that the same revision always gives the same message.
// Version 1 is a contract: fields may be added, never changed or removed; anything else is a version 2.
import { createHash } from 'node:crypto';
import { shownIdentity } from './card-fields.ts';
import { identityOf, type Job, type JobIdentity } from './job.ts';
import { type JsonText, withinSqs, withMember } from './json-text.ts';
import type { Failure } from './failures.ts';
import type { OrderState, OrderView } from '../order/view.ts';
import type { FailureOf } from '../../gateway/gateway-outcome.ts';
import { formatMinorUnits } from '../../gateway/money.ts';
import { type OperationName, operations } from '../../gateway/operations.ts';
import type { Reversal } from '../order/facts.ts';

/** The status of a result: an order's, or `rejected`, which says of a message that it was not taken, and nothing of any order. */
export type ResultStatus = Exclude<OrderState, 'submitting' | 'verifying' | 'retryable'> | 'rejected';

/** One message on the results queue as {@link resultText} writes it. */
export interface Result {
  readonly version: 1;
  /** `<order key>/<revision>`, or `rejected/<message id>/<mark of the content>`; consumers de-duplicate on it. */
  readonly resultId: string;
  readonly operation?: OperationName;
  readonly merchant?: string;
  readonly endpointId?: string;
  readonly orderId?: string;
  readonly status: ResultStatus;
  /** True where nothing follows by itself: no inquiry is under way and no person is awaited. */
  readonly final: boolean;
  readonly transactionId?: string;
  readonly payoutId?: string;
  /** The gateway's identity of the order (`paynet-order-id`), by which it is asked about; the ids above may be aliases. */
  readonly gatewayOrderId?: string;
  readonly amount?: string;
  readonly currency?: string;
  /** Amount and currency that the gateway names, where they are not the order's. */
  readonly gatewayAmount?: string;
  /** A later transaction that undid the payment, or tries to; `status` is not touched by it. */
  readonly reversal?: Omit<Reversal, 'atMs'> & { readonly at: string };
  /** POSTs made for this order. */
  readonly attempts: number;
  /** A higher revision of the same order supersedes a lower one. 0 where the message never became an order. */
  readonly revision?: number;
  readonly failure?: Failure;
  /** The name of this end: only a job that says `resends` with it is sent again. */
  readonly endId?: string;
  readonly occurredAt: string;
  readonly batchId?: string;
  readonly context?: JsonText;
}

/**
 * A result as its reader meets it: a newer worker may send a code that this version does not know, and the context is the
 * object, not its text.
 */
export interface ReadResult extends Omit<Result, 'failure' | 'context'> {
  readonly failure?: FailureOf<string>;
  readonly context?: Readonly<Record<string, unknown>>;
}

/** The parts of an order that its result needs. */
type PublishableOrder = Pick<
  OrderView,
  | 'key'
  | 'operation'
  | 'merchant'
  | 'endpointId'
  | 'orderId'
  | 'money'
  | 'batchId'
  | 'context'
  | 'state'
  | 'revision'
  | 'final'
  | 'attempts'
  | 'failure'
  | 'updatedAtMs'
  | 'gatewayOrderId'
  | 'gatewayAlias'
  | 'gatewayAmount'
  | 'reversal'
  | 'endId'
>;

/** The result of an order; undefined while there is none to publish (being sent, or to be sent again). */
export function resultOf(entry: PublishableOrder): Result | undefined {
  if (entry.state === 'submitting' || entry.state === 'verifying' || entry.state === 'retryable') return undefined;
  const { resultIdField } = operations[entry.operation];
  return {
    version: 1,
    resultId: `${entry.key}/${entry.revision}`,
    operation: entry.operation,
    merchant: entry.merchant,
    // An order that was cancelled before any job of it came has none.
    ...(entry.endpointId !== '' && { endpointId: entry.endpointId }),
    orderId: entry.orderId,
    status: entry.state,
    final: entry.final,
    ...idsOf(entry, resultIdField),
    ...(entry.money && {
      amount: formatMinorUnits(entry.money.minorUnits, entry.money.currency),
      currency: entry.money.currency,
    }),
    ...gatewaySaysOf(entry),
    attempts: entry.attempts,
    revision: entry.revision,
    ...(entry.failure && { failure: entry.failure }),
    ...(entry.endId !== undefined && { endId: entry.endId }),
    occurredAt: new Date(entry.updatedAtMs).toISOString(),
    ...(entry.batchId !== undefined && { batchId: entry.batchId }),
    ...(entry.context && { context: entry.context }),
  };
}

/** The id that the operation's contract names, and the gateway's identity of the order; often they are one. */
function idsOf(
  { gatewayOrderId, gatewayAlias }: PublishableOrder,
  field: 'transactionId' | 'payoutId',
): Partial<Result> {
  const named = gatewayAlias ?? gatewayOrderId;
  return {
    ...(named !== undefined && { [field]: named }),
    ...(gatewayOrderId !== undefined && { gatewayOrderId }),
  };
}

function gatewaySaysOf({ gatewayAmount, reversal }: PublishableOrder): Partial<Result> {
  const { atMs = 0, ...said } = reversal ?? {};
  return {
    ...(gatewayAmount !== undefined && { gatewayAmount }),
    ...(reversal && {
      reversal: { type: reversal.type, status: reversal.status, ...said, at: new Date(atMs).toISOString() },
    }),
  };
}

/** The message that a result is about, and when it was sent. */
export interface AboutMessage {
  readonly messageId: string;
  readonly nowMs: number;
}

/**
 * The result of a message that was not taken, under an id of its content: the same content has the same id as often as the message comes,
 * and another one never has it. It says nothing of the order that the message names, which may exist and be paid. So it has revision 0, and
 * supersedes nothing.
 */
function ofMessage(
  { messageId, nowMs }: AboutMessage,
  says: Pick<Result, 'status' | 'failure' | 'amount' | 'currency'> & { readonly identity: JobIdentity },
): Result {
  const { identity, status, failure, ...money } = says;
  const content = {
    version: 1,
    ...identity,
    status,
    final: true,
    ...money,
    attempts: 0,
    revision: 0,
    ...(failure && { failure }),
    occurredAt: new Date(nowMs).toISOString(),
  } as const;
  const mark = createHash('sha256').update(JSON.stringify(content)).digest('base64url').slice(0, 16);
  return { resultId: `rejected/${messageId}/${mark}`, ...content };
}

/** The result of a refused message. A card number that was refused must not come back by the results queue. */
export const rejection = (it: AboutMessage & { readonly identity: JobIdentity; readonly failure: Failure }): Result =>
  ofMessage(it, { status: 'rejected', failure: it.failure, identity: shownIdentity(it.identity) });

/** The failure of a message whose order id has other content already. */
export const reusedOrderId: Failure = {
  code: 'ORDER_ID_REUSED',
  message: 'this order id was used before for other content',
};

/** The result of a job whose batch was called off before it was sent: about its message too. */
export function calledOffBeforehand(it: AboutMessage & { readonly job: Job }): Result {
  const { money } = it.job;
  return ofMessage(it, {
    identity: identityOf(it.job),
    status: 'cancelled',
    ...(money && { amount: formatMinorUnits(money.minorUnits, money.currency), currency: money.currency }),
    failure: { code: 'CALLED_OFF', message: 'its batch was called off before it was sent' },
  });
}

/** A result as JSON that SQS takes, its context byte for byte as the job's sender wrote it. */
export function resultText({ context, ...result }: Result): string {
  const text = JSON.stringify(result);
  return withinSqs(context === undefined ? text : withMember(text, 'context', context));
}
