// Rules about the functions and their settings.
import { ConfigurationError, readWorkerConfig } from '../aws/env-config.ts';
import { queueSettings, tableSettings, variablesOf, type WorkerStack } from './worker-stack.ts';
import { type StackFinding, type Rule, unless } from './rule.ts';
import { numberOf, ofType, type Resource, recordOf, targetOf } from './stack.ts';

/** The settings of a function as they will be at run time; what is only known when deployed is a mark. */
function environmentOf(worker: Resource): Record<string, string> {
  return Object.fromEntries(
    Object.entries(variablesOf(worker)).map(([name, value]) => [
      name,
      typeof value === 'string' ? value : '<known later>',
    ]),
  );
}

/** The worker's own check of its settings, as it runs at its start. */
function configOf(worker: Resource) {
  try {
    return readWorkerConfig(environmentOf(worker));
  } catch (error) {
    if (error instanceof ConfigurationError) return error.message;
    throw error;
  }
}

function ofFunctions(check: (worker: Resource, all: WorkerStack) => readonly StackFinding[]): Rule['check'] {
  return (all) => all.functions.flatMap((worker) => check(worker, all));
}

function ofSubmit(check: (submit: Resource, all: WorkerStack) => readonly StackFinding[]): Rule['check'] {
  return (all) => (all.submit ? check(all.submit, all) : []);
}

/** The log group of a function, by the name that Lambda gives it. */
function logGroupOf({ stack }: WorkerStack, worker: Resource): Resource | undefined {
  const name = `/aws/lambda/${String(worker.properties['FunctionName'])}`;
  return ofType(stack, 'AWS::Logs::LogGroup').find((group) => group.properties['LogGroupName'] === name);
}

const mostAtOnce = ({ properties }: Resource) =>
  numberOf(recordOf(properties['ScalingConfig'])['MaximumConcurrency']) ?? 1000;

const keyShapes = /-----BEGIN|PRIVATE KEY|[A-Za-z0-9+/]{40,}={0,2}$/;

/** The rules; each is a row. */
export const functionRules: readonly Rule[] = [
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
    check: ofFunctions((worker) => {
      const config = configOf(worker);
      return unless(typeof config !== 'string', `${worker.logicalId}.Environment`, String(config));
    }),
  },
  {
    name: 'settings-name-this-stack',
    danger: 'two stages share a queue or a ledger, and test jobs pay real money',
    check: ofFunctions((worker, { stack }) =>
      [...Object.values(queueSettings), ...tableSettings].flatMap((setting) =>
        unless(
          targetOf(stack, variablesOf(worker)[setting]) !== undefined,
          `${worker.logicalId}.Environment.${setting}`,
          'names nothing of this stack',
        ),
      ),
    ),
  },
  {
    name: 'timeout-as-told',
    danger: 'the worker plans with another end than Lambda sets: sends are killed and their answers lost',
    check: ofSubmit((submit) => {
      const config = configOf(submit);
      if (typeof config === 'string') return [];
      const is = (numberOf(submit.properties['Timeout']) ?? 3) * 1000;
      const told = config.limits.functionTimeoutMs;
      return unless(is === told, `${submit.logicalId}.Timeout`, `is ${is} ms, FUNCTION_TIMEOUT_MS says ${told}`);
    }),
  },
  {
    name: 'timeout-covers-gateway',
    danger: 'Lambda ends the invocation between a POST and its answer: doubt that nobody needed',
    check: (all) =>
      all.functions.flatMap((worker) => {
        const config = configOf(worker);
        const feeds = all.mappings.some((mapping) => mapping.worker === worker);
        if (typeof config === 'string' || !feeds) return [];
        const { gatewayTotalTimeoutMs, settleReserveMs } = config.limits;
        const least = 2 * gatewayTotalTimeoutMs + settleReserveMs;
        const is = (numberOf(worker.properties['Timeout']) ?? 3) * 1000;
        const sum = `two gateway deadlines of ${gatewayTotalTimeoutMs} ms and ${settleReserveMs} ms to settle`;
        return unless(is >= least, `${worker.logicalId}.Timeout`, `is ${is} ms, below ${least} (${sum})`);
      }),
  },
  {
    name: 'receives-as-told',
    danger: 'the worker believes that a job has receives left when it has none, and its sender is never told',
    check: ofSubmit((submit, { queues }) => {
      const config = configOf(submit);
      if (typeof config === 'string') return [];
      const told = config.limits.maxReceiveCount;
      return [queues.jobs, queues.batchJobs].flatMap((queue) => {
        const is = numberOf(recordOf(queue?.properties['RedrivePolicy'])['maxReceiveCount']);
        const where = `${queue?.logicalId}.RedrivePolicy.maxReceiveCount`;
        return unless(is === undefined || is === told, where, `is ${is}, MAX_RECEIVE_COUNT says ${told}`);
      });
    }),
  },
  {
    name: 'jobs-wait-14-days',
    danger: 'a job that waits by its visibility is forgotten by SQS before the worker lays it aside',
    check: ofSubmit((_, { queues }) =>
      [queues.jobs, queues.batchJobs].flatMap((queue) => {
        const is = numberOf(queue?.properties['MessageRetentionPeriod']) ?? 345_600;
        const where = `${queue?.logicalId}.MessageRetentionPeriod`;
        return unless(!queue || is === 1_209_600, where, `is ${is} s, should be 1209600 s (14 days)`);
      }),
    ),
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
    name: 'no-secret-in-settings',
    danger: 'whoever may look at the function reads the key; it belongs into Secrets Manager',
    check: ofFunctions((worker) =>
      Object.entries(variablesOf(worker)).flatMap(([name, value]) =>
        unless(
          typeof value !== 'string' || !keyShapes.test(value),
          `${worker.logicalId}.Environment.${name}`,
          'looks like a key',
        ),
      ),
    ),
  },
  {
    name: 'runtime',
    danger: 'the bundles are made and tested for Node 24: another one runs code that nobody has tried',
    check: ofFunctions(({ logicalId, properties }) =>
      unless(properties['Runtime'] === 'nodejs24.x', `${logicalId}.Runtime`, `is ${String(properties['Runtime'])}`),
    ),
  },
  {
    name: 'log-retention',
    danger: 'nobody can look up in a year what happened to an order, or logs are kept for ever and paid for',
    check: ofFunctions((worker, all) => {
      const group = logGroupOf(all, worker);
      const kept = numberOf(group?.properties['RetentionInDays']);
      return unless(kept !== undefined, group?.logicalId ?? worker.logicalId, 'has no log group with RetentionInDays');
    }),
  },
];
