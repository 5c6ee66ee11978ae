// `payouts-client/producer`: the exports for senders of jobs.
export type { Fault } from '../gateway/fields.ts';
export type { Money } from '../gateway/money.ts';
export { parseJob, type Job, type ParsedJob } from '../payout/message/job.ts';
export type { CardKeyStore } from '../card-data/sealed-params.ts';
export type { OperationName } from '../gateway/operations.ts';
export type { JobMessage, JobOf, JobParams } from './job-message.ts';
export { type CardKeySet, sealJob, type SealOptions } from './jose-seal-job.ts';
export {
  type JobQueueUrls,
  type NotSentJob,
  type NotSentReason,
  type SendOptions,
  type SendReport,
  sendJobs,
  type SentJob,
} from './sqs-send-jobs.ts';
