// The type of job messages, for senders. Its params come from the table of operations: the compiler finds a misspelt field before
// the dead-letter queue does.
import type { OperationName, OperationTable } from '../gateway/operations.ts';

type RequiredOf<Name extends OperationName> = OperationTable[Name]['required'][number];
type OptionalOf<Name extends OperationName> = Exclude<keyof OperationTable[Name]['fields'], RequiredOf<Name>>;

/** The request fields of an operation under the gateway's own names; every value is text, also amounts. */
export type JobParams<Name extends OperationName> = { readonly [Field in RequiredOf<Name>]: string } & {
  readonly [Field in OptionalOf<Name>]?: string;
};

/** A job of one operation. */
export interface JobOf<Name extends OperationName> {
  readonly version: 1;
  readonly operation: Name;
  /** Names the secret with the merchant's keys. */
  readonly merchant: string;
  /** Last segment of the gateway's URL; `group/<id>` for an endpoint group. */
  readonly endpointId: string;
  /** The sender's own id. Merchant and order id identify the order for ever. */
  readonly orderId: string;
  readonly params: JobParams<Name>;
  /** The card fields of `params`, sealed by `sealJob` for this one order. */
  readonly sealedParams?: string;
  /** ISO 8601: not started before this moment, at most seven days ahead. */
  readonly notBefore?: string;
  /** ISO 8601: not started after this moment. */
  readonly expiresAt?: string;
  /** The `endId` of a result `declined` or `failed`: only it sends that order again. */
  readonly resends?: string;
  /** Names the batch; returned on every result. */
  readonly batchId?: string;
  /** At most 192 bytes as JSON: returned on every result byte for byte. */
  readonly context?: Readonly<Record<string, unknown>>;
  /** Written by `payouts submit` for batches that two persons release. */
  readonly approval?: string;
}

/** One message on the jobs queue. */
export type JobMessage = { readonly [Name in OperationName]: JobOf<Name> }[OperationName];
