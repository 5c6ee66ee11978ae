// Rules about queues and what Lambda does with them.
import { defaultLimits } from '../payout/limits.ts';
import { statementsOfRole } from './policy.ts';
import { type Rule, unless } from './rule.ts';
import { listOf, numberOf, ofType, type Resource, recordOf, type Stack, targetOf } from './stack.ts';
import { type Mapping, variablesOf, type WorkerStack } from './worker-stack.ts';

/** SQS keeps a message four days and hides it for 30 s unless told otherwise. */
const defaultRetentionSeconds = 345_600;
const defaultVisibilitySeconds = 30;
const longestRetentionSeconds = 1_209_600;
/** A job's 14 days of waits by visibility are 800 receives (payout/retry-policy.ts). */
const isOfJobs = (it: Resource, { queues }: WorkerStack) => it === queues.jobs || it === queues.batchJobs;

const retentionOf = (it: Resource) => numberOf(it.properties['MessageRetentionPeriod']) ?? defaultRetentionSeconds;
const redriveOf = ({ properties }: Resource) => recordOf(properties['RedrivePolicy']);

/** The queues that functions are fed by. */
const fed = ({ queues }: WorkerStack) =>
  [queues.jobs, queues.batchJobs, queues.checks, queues.callbacks].filter((queue) => queue !== undefined);

/** Each queue with the queue that its failed messages go to. */
export function deadLetterPairs({ stack }: WorkerStack): { readonly source: Resource; readonly target: Resource }[] {
  return ofType(stack, 'AWS::SQS::Queue').flatMap((source) => {
    const target = targetOf(stack, redriveOf(source)['deadLetterTargetArn']);
    return target ? [{ source, target }] : [];
  });
}

function ofMappings(check: (mapping: Mapping) => ReturnType<Rule['check']>): Rule['check'] {
  return ({ mappings }) => mappings.flatMap(check);
}

/** True where the function's role lets it send to the queue. */
function feeds(stack: Stack, worker: Resource, queue: Resource): boolean {
  const role = targetOf(stack, worker.properties['Role']);
  const statements = role ? statementsOfRole(stack, role) : [];
  return statements.some(
    ({ allows, actions, resources }) =>
      allows && actions.includes('sqs:SendMessage') && resources.includes(`\${${queue.logicalId}.Arn}`),
  );
}

/** The rules; each is a row. */
export const queueRules: readonly Rule[] = [
  {
    name: 'visibility-outlasts-work',
    danger: 'Lambda may hold a message that long; it is delivered a second time while the first is still at work',
    check: ofMappings(({ mapping, queue, worker }) => {
      if (!queue || !worker) return [];
      const timeoutSeconds = numberOf(worker.properties['Timeout']) ?? 3;
      const windowSeconds = numberOf(mapping.properties['MaximumBatchingWindowInSeconds']) ?? 0;
      const least = 6 * timeoutSeconds + windowSeconds;
      const is = numberOf(queue.properties['VisibilityTimeout']) ?? defaultVisibilitySeconds;
      const sum = `6 × ${timeoutSeconds} s of ${worker.logicalId} + ${windowSeconds} s of batching window`;
      return unless(is >= least, `${queue.logicalId}.VisibilityTimeout`, `is ${is}, below ${least} (${sum})`);
    }),
  },
  {
    name: 'dead-letter-queue',
    danger: 'a message that fails for ever is thrown away when its retention ends, and with it a payout or an answer',
    check: ({ queues, stack }) =>
      [queues.jobs, queues.batchJobs, queues.results, queues.checks, queues.callbacks].flatMap((queue) =>
        queue
          ? unless(
              targetOf(stack, redriveOf(queue)['deadLetterTargetArn'])?.type === 'AWS::SQS::Queue',
              `${queue.logicalId}.RedrivePolicy`,
              'names no dead-letter queue of this stack',
            )
          : [],
      ),
  },
  {
    name: 'dead-letters-where-the-worker-looks',
    danger: 'half of the failed jobs lie where nobody looks: alarms, `payouts dlq` and redrive see the other queue',
    check: ({ queues, stack }) =>
      [queues.jobs, queues.batchJobs].flatMap((queue) => {
        const target = queue && targetOf(stack, redriveOf(queue)['deadLetterTargetArn']);
        return target && queues.deadLetters
          ? unless(
              target === queues.deadLetters,
              `${queue.logicalId}.RedrivePolicy`,
              `names ${target.logicalId}, DEAD_LETTER_QUEUE_URL names ${queues.deadLetters.logicalId}`,
            )
          : [];
      }),
  },
  {
    name: 'receives-before-dead-letter',
    danger: "Lambda's own throttling of a burst, or waiting itself, brings jobs to the dead-letter queue",
    check: (worker) =>
      deadLetterPairs(worker).flatMap(({ source }) => {
        const [least, is] = [isOfJobs(source, worker) ? 900 : 5, numberOf(redriveOf(source)['maxReceiveCount'])];
        const where = `${source.logicalId}.RedrivePolicy.maxReceiveCount`;
        return unless((is ?? 0) >= least, where, `is ${is}, should be at least ${least}`);
      }),
  },
  {
    name: 'dead-letter-retention',
    danger: 'what waits for a person is gone before the person has come back from holidays',
    check: (worker) =>
      [...new Set(deadLetterPairs(worker).map(({ target }) => target))].flatMap((target) =>
        unless(
          retentionOf(target) === longestRetentionSeconds,
          `${target.logicalId}.MessageRetentionPeriod`,
          `is ${retentionOf(target)} s, should be ${longestRetentionSeconds} s (14 days)`,
        ),
      ),
  },
  {
    name: 'dead-letter-outlives-source',
    danger: 'a message keeps its age when it moves: it expires in the dead-letter queue at the moment it arrives',
    check: (worker) =>
      deadLetterPairs(worker).flatMap(({ source, target }) =>
        unless(
          isOfJobs(source, worker) || retentionOf(target) > retentionOf(source),
          `${source.logicalId}.MessageRetentionPeriod`,
          `is ${retentionOf(source)} s, not shorter than the ${retentionOf(target)} s of ${target.logicalId}`,
        ),
      ),
  },
  {
    name: 'standard-jobs-queue',
    danger: "a merchant's payouts wait behind one that can't be sent, and five minutes of de-duplication hide a retry",
    check: (worker) =>
      fed(worker).flatMap((queue) =>
        unless(queue.properties['FifoQueue'] !== true, `${queue.logicalId}.FifoQueue`, 'is true'),
      ),
  },
  {
    name: 'partial-batch-response',
    danger: 'one job that must come back brings the whole batch back, and paid orders reach the dead-letter queue',
    check: ofMappings(({ mapping }) =>
      unless(
        listOf(mapping.properties['FunctionResponseTypes']).includes('ReportBatchItemFailures'),
        `${mapping.logicalId}.FunctionResponseTypes`,
        'lacks ReportBatchItemFailures',
      ),
    ),
  },
  {
    name: 'no-filter',
    danger: 'Lambda deletes each message that fits no filter, unread: the job is gone and nobody is told',
    check: ofMappings(({ mapping }) =>
      unless(mapping.properties['FilterCriteria'] === undefined, `${mapping.logicalId}.FilterCriteria`, 'is set'),
    ),
  },
  {
    name: 'mapping-concurrency',
    danger:
      'a backlog opens as many connections to the gateway as Lambda likes, and what is throttled counts as received',
    check: ofMappings(({ mapping }) => {
      const is = numberOf(recordOf(mapping.properties['ScalingConfig'])['MaximumConcurrency']);
      const where = `${mapping.logicalId}.ScalingConfig.MaximumConcurrency`;
      return unless(
        is !== undefined && is >= 2 && is <= 1000,
        where,
        `is ${is ?? 'not set'}, should be from 2 to 1000`,
      );
    }),
  },
  {
    name: 'may-feed-itself',
    danger:
      'the seventeenth round of a waiting job is an endless loop to Lambda, which takes the message off the queue',
    check: ({ mappings, stack }) =>
      mappings.flatMap(({ queue, worker }, at) => {
        const isFirst = mappings.findIndex((it) => it.worker === worker) === at;
        if (!isFirst || !queue || !worker || !feeds(stack, worker, queue)) return [];
        const is = worker.properties['RecursiveLoop'] ?? 'not set';
        const fault = `is ${String(is)}, should be Allow: it puts messages on ${queue.logicalId}, which it is fed by`;
        return unless(is === 'Allow', `${worker.logicalId}.RecursiveLoop`, fault);
      }),
  },
  {
    name: 'mapping-on',
    danger: 'jobs wait until they expire',
    check: ofMappings(({ mapping }) =>
      unless(mapping.properties['Enabled'] !== false, `${mapping.logicalId}.Enabled`, 'is false'),
    ),
  },
  {
    name: 'queues-are-worked-off',
    danger: 'messages are taken by nobody: payouts stand still, or doubt is never asked about',
    check: (worker) =>
      fed(worker)
        .filter((queue) => !worker.mappings.some((mapping) => mapping.queue === queue))
        .map(({ logicalId }) => ({ where: logicalId, fault: 'has no event source mapping' })),
  },
  {
    name: 'batch-at-once',
    danger: 'the jobs beyond those wait inside the invocation, and its time-out may end them right after their POST',
    check: ofMappings(({ mapping, worker }) => {
      const atOnce = numberOf(worker && variablesOf(worker)['CONCURRENCY']) ?? defaultLimits.concurrency;
      const is = numberOf(mapping.properties['BatchSize']) ?? 10;
      const fault = `is ${is}, more than the ${atOnce} jobs worked on at once (CONCURRENCY)`;
      return unless(is <= atOnce, `${mapping.logicalId}.BatchSize`, fault);
    }),
  },
];
