// Rules beyond the comparison with the stack that ships, which can't see numbers that an owner may choose and that must fit each
// other, values of parameters, or anything beside the template.
import { ConfigurationError, readWorkerConfig } from '../aws/env-config.ts';
import { defaultLimits } from '../payout/limits.ts';
import { numberOf, ofType, type Resource, recordOf } from './stack.ts';
import { entriesOf, valueOf } from './with-values.ts';
import { variablesOf, type WorkerStack, type Rule, type StackFinding, unless } from './worker-stack.ts';

/** The settings of a function as they will be at run time; what is only known when deployed is a mark. */
function environmentOf(worker: Resource): Record<string, string> {
  const variables = Object.entries(variablesOf(worker));
  return Object.fromEntries(variables.map(([name, it]) => [name, typeof it === 'string' ? it : '<known later>']));
}

/** The worker's own check of its settings, as it runs at its start; its sentence where it refuses. */
function configOf(worker: Resource) {
  try {
    return readWorkerConfig(environmentOf(worker));
  } catch (error) {
    if (error instanceof ConfigurationError) return error.message;
    throw error;
  }
}

type Config = Exclude<ReturnType<typeof configOf>, string>;

/** For each function that starts. */
const ofFunctions =
  (check: (worker: Resource, config: Config, all: WorkerStack) => readonly StackFinding[]): Rule['check'] =>
  (all) =>
    all.functions.flatMap((worker) => {
      const config = configOf(worker);
      return typeof config === 'string' ? [] : check(worker, config, all);
    });

const ofMappings =
  (check: (mapping: WorkerStack['mappings'][number]) => readonly StackFinding[]): Rule['check'] =>
  ({ mappings }) =>
    mappings.flatMap(check);

const redriveOf = (queue: Resource) => recordOf(queue.properties['RedrivePolicy']);
/** Lambda's and SQS's own, where nothing is said. */
const timeoutSecondsOf = ({ properties }: Resource) => numberOf(properties['Timeout']) ?? 3;
const visibilitySecondsOf = ({ properties }: Resource) => numberOf(properties['VisibilityTimeout']) ?? 30;
/** The two that bring jobs. */
const jobsQueuesOf = ({ queues }: WorkerStack) => [queues.jobs, queues.batchJobs].filter((it) => it !== undefined);
const mostAtOnce = ({ properties }: Resource) =>
  numberOf(recordOf(properties['ScalingConfig'])['MaximumConcurrency']) ?? 1000;

/** A role or user of one account, by name or by the beginning of its name. */
const somebody = /^arn:aws[a-z-]*:iam::\d{12}:(role|user)\/[A-Za-z0-9+=,.@_/-]{3,}\*?$/;

function named(parameter: string, danger: string): Rule {
  return {
    name: `${parameter.replaceAll(/(?!^)[A-Z]/g, (it) => `-${it}`).toLowerCase()}-are-somebody`,
    danger,
    check: ({ stack }) =>
      entriesOf(stack, parameter).flatMap((it) =>
        unless(somebody.test(it), `Parameters.${parameter}`, `names ${it}, which is not a role or user of one account`),
      ),
  };
}

/** The rules; each is a row. */
export const rules: readonly Rule[] = [
  {
    name: 'worker-functions',
    danger: 'there is nothing here that the doctor could judge, or nothing that takes jobs',
    check: ({ functions, submit }) => [
      ...unless(functions.length > 0, 'Resources', 'hold no function with the setting LEDGER_TABLE_NAME'),
      ...unless(
        functions.length === 0 || submit !== undefined,
        'Resources',
        'hold no function that takes the jobs queue',
      ),
    ],
  },
  {
    name: 'settings',
    danger: 'the worker refuses to start, and jobs wait until they expire',
    check: ({ functions }) =>
      functions.flatMap((worker) => {
        const config = configOf(worker);
        return unless(typeof config !== 'string', `${worker.logicalId}.Environment`, String(config));
      }),
  },
  {
    name: 'timeout-as-set',
    danger: 'the worker plans with another end than Lambda sets: sends are killed and their answers lost',
    check: ofFunctions((worker, { limits }, { submit }) => {
      const [is, stated] = [timeoutSecondsOf(worker) * 1000, limits.functionTimeoutMs];
      const fault = `is ${is} ms, FUNCTION_TIMEOUT_MS says ${stated}`;
      return unless(worker !== submit || is === stated, `${worker.logicalId}.Timeout`, fault);
    }),
  },
  {
    name: 'timeout-covers-gateway',
    danger: 'Lambda ends the invocation between a POST and its answer: doubt that nobody needed',
    check: ofFunctions((worker, { limits }, { mappings }) => {
      const least = 2 * limits.gatewayTotalTimeoutMs + limits.settleReserveMs;
      const is = timeoutSecondsOf(worker) * 1000;
      const isFed = mappings.some((mapping) => mapping.worker === worker);
      const sum = `two gateway deadlines of ${limits.gatewayTotalTimeoutMs} ms and ${limits.settleReserveMs} ms to settle`;
      return unless(!isFed || is >= least, `${worker.logicalId}.Timeout`, `is ${is} ms, below ${least} (${sum})`);
    }),
  },
  {
    name: 'receives-as-set',
    danger: 'the worker believes that a job has receives left when it has none, and its sender is never told',
    check: ofFunctions((worker, { limits }, all) =>
      (worker === all.submit ? jobsQueuesOf(all) : []).flatMap((queue) => {
        const [is, stated] = [numberOf(redriveOf(queue)['maxReceiveCount']), limits.maxReceiveCount];
        const where = `${queue.logicalId}.RedrivePolicy.maxReceiveCount`;
        return unless(is === undefined || is === stated, where, `is ${is}, MAX_RECEIVE_COUNT says ${stated}`);
      }),
    ),
  },
  {
    name: 'receives-before-dead-letter',
    danger: "Lambda's own throttling of a burst, or waiting itself, brings jobs to the dead-letter queue",
    check: (all) =>
      ofType(all.stack, 'AWS::SQS::Queue').flatMap((queue) => {
        const is = numberOf(redriveOf(queue)['maxReceiveCount']);
        // A job's 14 days of waits by visibility are 800 receives (payout/retry-policy.ts).
        const least = jobsQueuesOf(all).includes(queue) ? 900 : 5;
        const where = `${queue.logicalId}.RedrivePolicy.maxReceiveCount`;
        return unless(is === undefined || is >= least, where, `is ${is}, should be at least ${least}`);
      }),
  },
  {
    name: 'visibility-outlasts-work',
    danger: 'Lambda may hold a message that long; it is delivered a second time while the first is still at work',
    check: ofMappings(({ mapping, queue, worker }) => {
      if (!queue || !worker) return [];
      const timeout = timeoutSecondsOf(worker);
      const window = numberOf(mapping.properties['MaximumBatchingWindowInSeconds']) ?? 0;
      const [is, least] = [visibilitySecondsOf(queue), 6 * timeout + window];
      const sum = `6 × ${timeout} s of ${worker.logicalId} + ${window} s of batching window`;
      return unless(is >= least, `${queue.logicalId}.VisibilityTimeout`, `is ${is}, below ${least} (${sum})`);
    }),
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
  {
    name: 'reserved-concurrency',
    danger: 'what is throttled counts as received: jobs reach the dead-letter queue without ever being looked at',
    check: ({ mappings }) =>
      [...new Set(mappings.map(({ worker }) => worker))].flatMap((worker) => {
        const reserved = numberOf(worker?.properties['ReservedConcurrentExecutions']);
        const its = mappings.filter((it) => it.worker === worker);
        const most = its.reduce((sum, { mapping }) => sum + mostAtOnce(mapping), 0);
        const where = `${worker?.logicalId}.ReservedConcurrentExecutions`;
        const fault = `is ${reserved}, below the ${most} of ${its.length === 1 ? 'its mapping' : 'its mappings together'}`;
        return unless(reserved === undefined || reserved >= most, where, fault);
      }),
  },
  {
    name: 'code-is-its-own',
    danger: 'the function that pays runs the code of another one, under its own rights',
    check: ({ functions }) =>
      functions.flatMap(({ logicalId, properties }) => {
        const key = JSON.stringify(recordOf(properties['Code'])['S3Key'] ?? '');
        const [, name = ''] = /-([a-z]+)"?\}?$/.exec(JSON.stringify(properties['FunctionName'])) ?? [];
        const isOwn = new RegExp(`["/}]${name}-[0-9a-f]{12}\\.zip"`).test(key);
        // The template that is compared with bears no code.
        return unless(isOwn || key === '""', `${logicalId}.Code.S3Key`, `is ${key}, which is no ${name}-<digest>.zip`);
      }),
  },
  named('ApproverArns', 'whoever may put on any of these roles approves batches, and one person is two'),
  named('ProducerArns', 'everybody in that account who may use SQS can pay'),
  named('ConsumerArns', 'everybody in that account who may use SQS reads who is paid what, and takes results away'),
  {
    name: 'callbacks-with-a-reserve',
    danger: 'strangers who call the public door take the concurrency of what pays: jobs wait, or count as received',
    check: ({ stack }) =>
      unless(
        valueOf(stack, 'Callbacks') !== 'ENABLED' || valueOf(stack, 'CallbackConcurrency') !== '',
        'Parameters.CallbackConcurrency',
        'reserves nothing, and callbacks are enabled',
      ),
  },
];
