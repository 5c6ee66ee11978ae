// `payouts/consumer`: all that is published for those who read results.
export type { BatchOutcome, BatchResult, BatchTotal } from '../domain/batch-result.ts';
export type { FailureCode } from '../domain/failures.ts';
export type { Fault } from '../domain/job-params.ts';
export type { Failure } from '../domain/ledger.ts';
export type { OperationName } from '../domain/operations.ts';
export type { Result, ResultStatus } from '../domain/result.ts';
export { type ParsedResult, parseResult, type Place, placeOf } from './read-result.ts';
