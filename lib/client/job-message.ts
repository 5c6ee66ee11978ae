// The job message as a type for its senders. Its params follow from the table of operations, so that a misspelt
// field is found by the compiler and not in the dead-letter queue.
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
  /** The sender's own id. Merchant and order id are the order's identity: the same id is the same order for ever. */
  readonly orderId: string;
  readonly params: JobParams<Name>;
  /** Card fields of `params`, which `sealJob` seals for this one order. */
  readonly sealedParams?: string;
  /** ISO 8601: not started before this moment, at most seven days ahead. */
  readonly notBefore?: string;
  /** ISO 8601: not started after this moment. */
  readonly expiresAt?: string;
  /** The `endId` of a result `declined` or `failed`: sends that order again. Nothing else does. */
  readonly resends?: string;
  /** Returned on the result. */
  readonly batchId?: string;
  /** At most 192 bytes as JSON: returned on every result byte for byte. */
  readonly context?: Readonly<Record<string, unknown>>;
  /** Written by `payouts submit` for batches that two persons release. */
  readonly approval?: string;
}

/** One message on the jobs queue. */
export type JobMessage = { readonly [Name in OperationName]: JobOf<Name> }[OperationName];
