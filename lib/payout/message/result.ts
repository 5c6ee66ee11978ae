// The result message: a projection of the ledger entry, so that the same revision always gives the same message.
// Version 1 is a contract: fields may be added, never changed or removed; anything else is a version 2.
import { createHash } from 'node:crypto';
import { shownIdentity } from './card-fields.ts';
import type { JobIdentity } from './job.ts';
import { type JsonText, withinSqs, withMember } from './json-text.ts';
import type { Failure } from './failures.ts';
import type { FailureOf } from '../../gateway/gateway-outcome.ts';
import type { OperationName } from '../../gateway/operations.ts';

/** The statuses of results; `rejected` says nothing of any order. */
export const resultStatuses = [
  'in-doubt',
  'held',
  'accepted',
  'approved',
  'declined',
  'failed',
  'cancelled',
  'rejected',
] as const;

/** The status of a result. */
export type ResultStatus = (typeof resultStatuses)[number];

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
  /** True if nothing follows by itself: no inquiry is under way and no person is awaited. */
  readonly final: boolean;
  readonly transactionId?: string;
  readonly payoutId?: string;
  /** The gateway's identity of the order (`paynet-order-id`), by which it is asked about; the ids above may be aliases. */
  readonly gatewayOrderId?: string;
  readonly amount?: string;
  readonly currency?: string;
  /** Amount and currency that the gateway names, if they are not the order's. */
  readonly gatewayAmount?: string;
  /** A later transaction that undid the payment, or tries to; `status` is not touched by it. */
  readonly reversal?: { readonly type: string; readonly status: string; readonly amount?: string; readonly at: string };
  /** POSTs made for this order. */
  readonly attempts: number;
  /** A higher revision of the same order supersedes a lower one. 0 if the message never became an order. */
  readonly revision?: number;
  readonly failure?: Failure;
  /** The name of this end: only a job with it as `resends` sends the order again. */
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

/** The message that a result is about, and when it was sent. */
export interface AboutMessage {
  readonly messageId: string;
  readonly nowMs: number;
}

/**
 * The result of a refused message. Its id is made from its content: each delivery of the message gives the same id, and other content
 * another one. It says nothing of the order that the message names, which may exist and be paid: so it has revision 0, and supersedes
 * nothing.
 */
export function rejection(
  refused: AboutMessage & { readonly identity: JobIdentity; readonly failure: Failure },
): Result {
  const content = {
    version: 1,
    // A refused card number must not come out by the results queue.
    ...shownIdentity(refused.identity),
    status: 'rejected',
    final: true,
    attempts: 0,
    revision: 0,
    failure: refused.failure,
    occurredAt: new Date(refused.nowMs).toISOString(),
  } as const;
  const mark = createHash('sha256').update(JSON.stringify(content)).digest('base64url').slice(0, 16);
  return { resultId: `rejected/${refused.messageId}/${mark}`, ...content };
}

/** The failure of a message whose order id has other content already. */
export const reusedOrderId: Failure = {
  code: 'ORDER_ID_REUSED',
  message: 'this order id was used before for other content',
};

/** A result as JSON that SQS takes, its context byte for byte as the job's sender wrote it. */
export function resultText({ context, ...result }: Result): string {
  const text = JSON.stringify(result);
  return withinSqs(context === undefined ? text : withMember(text, 'context', context));
}
