// `payouts/producer`: all that is published for those who send jobs.
export type { Fault } from '../domain/job-params.ts';
export { parseJob, type Job, type Money, type ParsedJob } from '../domain/job.ts';
export type { CardKeyDepot } from '../app/card-ports.ts';
export type { OperationName } from '../domain/operations.ts';
export type { JobMessage, JobOf, JobParams } from './job-message.ts';
export { type CardKeySet, sealJob, type SealOptions } from './seal-job.ts';
export {
  type NotSentJob,
  type NotSentReason,
  type SendOptions,
  type SendReport,
  sendJobs,
  type SentJob,
} from './send-jobs.ts';
