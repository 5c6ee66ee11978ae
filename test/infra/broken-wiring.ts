// Ways to break queues and functions.
import { type BrokenStack, remove, set } from './broken-edits.ts';

const jobsMapping = 'SubmitEventSourceMappingSQSJobsQueue';
const variables = 'Environment.Variables';

/** Queues and what Lambda does with them. */
export const brokenQueues: readonly BrokenStack[] = [
  {
    story: 'the visibility time-out is left at its default',
    rule: 'visibility-outlasts-work',
    says: 'JobsQueue.VisibilityTimeout is 30, below 720 (6 × 120 s of SubmitLambdaFunction + 0 s of batching window)',
    edit: set('JobsQueue', 'VisibilityTimeout', undefined),
  },
  {
    story: 'the batching window grows and nobody thinks of the visibility time-out',
    rule: 'visibility-outlasts-work',
    says: 'JobsQueue.VisibilityTimeout is 730, below 1020 (6 × 120 s of SubmitLambdaFunction + 300 s of batching window)',
    edit: set(jobsMapping, 'MaximumBatchingWindowInSeconds', 300),
  },
  {
    story: 'the jobs queue has no dead-letter queue',
    edit: set('JobsQueue', 'RedrivePolicy', undefined),
  },
  {
    story: 'the results queue has no dead-letter queue',
    edit: set('ResultsQueue', 'RedrivePolicy', undefined),
  },
  {
    story: 'jobs die into the queue of failed results',
    edit: set('JobsQueue', 'RedrivePolicy.deadLetterTargetArn', { 'Fn::GetAtt': ['ResultsDeadLetterQueue', 'Arn'] }),
  },
  {
    story: 'one receive and out',
    rule: 'receives-before-dead-letter',
    says: 'JobsQueue.RedrivePolicy.maxReceiveCount is 5, should be at least 900',
    edit: set('JobsQueue', 'RedrivePolicy.maxReceiveCount', 5),
  },
  {
    story: 'dead letters are kept for four days',
    edit: set('DeadLetterQueue', 'MessageRetentionPeriod', undefined),
  },
  {
    story: 'jobs are kept as long as dead letters',
    edit: set('ChecksQueue', 'MessageRetentionPeriod', 1_209_600),
  },
  {
    story: 'jobs are forgotten while they wait',
    edit: set('JobsQueue', 'MessageRetentionPeriod', 864_000),
  },
  {
    story: 'the jobs queue becomes a FIFO queue',
    edit: set('JobsQueue', 'FifoQueue', true),
  },
  {
    story: 'batches fail as a whole',
    edit: set(jobsMapping, 'FunctionResponseTypes', undefined),
  },
  {
    story: 'a filter lets payouts through alone',
    edit: set(jobsMapping, 'FilterCriteria', { Filters: [{ Pattern: '{"body":{"operation":["payout"]}}' }] }),
  },
  {
    story: 'the mapping has no bound',
    edit: set(jobsMapping, 'ScalingConfig', undefined),
  },
  {
    story: 'the mapping was switched off for an afternoon',
    edit: set(jobsMapping, 'Enabled', false),
  },
  {
    story: 'nothing takes the checks',
    edit: remove('InquireEventSourceMappingSQSChecksQueue'),
  },
  {
    story: 'nothing takes the callbacks that the ledger could not take',
    edit: remove('InquireEventSourceMappingSQSCallbacksQueue'),
  },
  {
    story: 'nothing works off lines',
    edit: remove('SubmitEventSourceMappingSQSLinesQueue'),
  },
  {
    story: 'the lines lost their dead letters',
    edit: set('LinesQueue', 'RedrivePolicy', undefined),
  },
  {
    story: 'the callbacks lost their dead letters',
    edit: set('CallbacksQueue', 'RedrivePolicy', undefined),
  },
  {
    story: 'submit may not go round any more',
    edit: set('SubmitLambdaFunction', 'RecursiveLoop', 'Terminate'),
  },
  {
    story: 'nobody said that inquire may go round',
    edit: set('InquireLambdaFunction', 'RecursiveLoop', undefined),
  },
  {
    story: 'batches of a hundred, still ten at once',
    rule: 'batch-at-once',
    says: `${jobsMapping}.BatchSize is 100, more than the 10 jobs worked on at once (CONCURRENCY)`,
    edit: set(jobsMapping, 'BatchSize', 100),
  },
];

/** Functions and their settings. */
export const brokenFunctions: readonly BrokenStack[] = [
  {
    story: 'nothing takes the jobs',
    rule: 'worker-functions',
    says: 'Resources hold no function that takes the jobs queue',
    edit: remove(jobsMapping),
  },
  {
    story: 'a lease longer than the function may run',
    rule: 'settings',
    says: 'SubmitLambdaFunction.Environment settings are missing or wrong: unsafe limits: functionTimeoutMs must exceed',
    edit: set('SubmitLambdaFunction', `${variables}.LEASE_MS`, '300000'),
  },
  {
    story: "the ledger of another stage's stack",
    edit: set('InquireLambdaFunction', `${variables}.LEDGER_TABLE_NAME`, 'payouts-prod-ledger'),
  },
  {
    story: 'the function gets more time and is not told',
    rule: 'timeout-as-set',
    says: 'SubmitLambdaFunction.Timeout is 121000 ms, FUNCTION_TIMEOUT_MS says 120000',
    edit: set('SubmitLambdaFunction', 'Timeout', 121),
  },
  {
    story: 'inquire gets half a minute',
    rule: 'timeout-covers-gateway',
    says: 'InquireLambdaFunction.Timeout is 30000 ms, below 80000 (two gateway deadlines of 30000 ms and 20000 ms to settle)',
    edit: set('InquireLambdaFunction', 'Timeout', 30),
  },
  {
    story: 'the queue is more patient than the worker believes',
    rule: 'receives-as-set',
    says: 'JobsQueue.RedrivePolicy.maxReceiveCount is 900, MAX_RECEIVE_COUNT says 1000',
    edit: set('JobsQueue', 'RedrivePolicy.maxReceiveCount', 900),
  },
  {
    story: 'concurrency is bounded at the wrong end',
    rule: 'reserved-concurrency',
    says: 'SubmitLambdaFunction.ReservedConcurrentExecutions is 29, below the 30 of its mappings together',
    edit: set('SubmitLambdaFunction', 'ReservedConcurrentExecutions', 29),
  },
  {
    story: 'a private key among the settings',
    edit: set('SubmitLambdaFunction', `${variables}.SIGNING_KEY`, '-----BEGIN PRIVATE KEY----- fake'),
  },
  {
    story: 'an older runtime',
    edit: set('SubmitLambdaFunction', 'Runtime', 'nodejs20.x'),
  },
  {
    story: 'logs without an end',
    edit: set('SubmitLogGroup', 'RetentionInDays', undefined),
  },
];
