// `payouts-client/consumer`: the exports for readers of results.
export type { BatchOutcome, BatchResult, BatchTotal } from '../batches/batch-result.ts';
export type { Failure, FailureCode } from '../payout/message/failures.ts';
export type { Fault } from '../gateway/fields.ts';
export type { OperationName } from '../gateway/operations.ts';
export type { ReadResult as Result, ResultStatus } from '../payout/message/result.ts';
export { type ParsedResult, parseResult, type Place, placeOf } from './read-result.ts';
