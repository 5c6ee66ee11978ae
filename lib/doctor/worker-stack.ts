// Which resource of a stack plays which part for the worker, and the shape of a rule about them. The parts are known by how they are
// wired, not by their names: a fork may call them what it likes.
import { ofType, type Resource, recordOf, type Stack, targetOf } from './stack.ts';

/** The queues by the setting that names them. */
const queueSettings = {
  jobs: 'JOBS_QUEUE_URL',
  batchJobs: 'BATCH_JOBS_QUEUE_URL',
  deadLetters: 'DEAD_LETTER_QUEUE_URL',
  results: 'RESULTS_QUEUE_URL',
  checks: 'CHECKS_QUEUE_URL',
  callbacks: 'CALLBACKS_QUEUE_URL',
} as const;

/** A queue and the function that it feeds. */
interface Mapping {
  readonly mapping: Resource;
  readonly queue: Resource | undefined;
  readonly worker: Resource | undefined;
}

/** The stack, and the parts that the rules speak of. */
export interface WorkerStack {
  readonly stack: Stack;
  /** The functions that have the worker's settings. */
  readonly functions: readonly Resource[];
  readonly queues: Readonly<Partial<Record<keyof typeof queueSettings, Resource>>>;
  readonly mappings: readonly Mapping[];
  /** The function that is fed by the jobs queue: the one that sends money. */
  readonly submit: Resource | undefined;
}

/** A function's environment variables as they stand in the template. */
export function variablesOf(worker: Resource): Readonly<Record<string, unknown>> {
  return recordOf(recordOf(worker.properties['Environment'])['Variables']);
}

/** Finds the parts. */
export function workerStackOf(stack: Stack): WorkerStack {
  const functions = ofType(stack, 'AWS::Lambda::Function').filter(
    (worker) => variablesOf(worker)['LEDGER_TABLE_NAME'] !== undefined,
  );
  const named = (setting: string): Resource | undefined => {
    for (const worker of functions) {
      const target = targetOf(stack, variablesOf(worker)[setting]);
      if (target) return target;
    }
    return undefined;
  };
  const queues: Partial<Record<keyof typeof queueSettings, Resource>> = {};
  for (const [part, setting] of Object.entries(queueSettings)) {
    const queue = named(setting);
    if (queue) queues[part as keyof typeof queueSettings] = queue;
  }
  const mappings = ofType(stack, 'AWS::Lambda::EventSourceMapping').map((mapping) => ({
    mapping,
    queue: targetOf(stack, mapping.properties['EventSourceArn']),
    worker: targetOf(stack, mapping.properties['FunctionName']),
  }));
  const submit = mappings.find(({ queue }) => queue !== undefined && queue === queues.jobs)?.worker;
  return { stack, functions, queues, mappings, submit };
}

/** A fault and its place. */
export interface StackFinding {
  /** Logical id, with the property where there is one: `JobsQueue.VisibilityTimeout`. */
  readonly where: string;
  /** The present value and the right one: "is 30, should be at least 721". */
  readonly fault: string;
}

/** One relation that must hold in a stack. */
export interface Rule {
  readonly name: string;
  /** The danger to money, answers or secrets where it does not hold; ends a sentence that begins with the fault. */
  readonly danger: string;
  readonly check: (worker: WorkerStack) => readonly StackFinding[];
}

/** One finding, or none. */
export function unless(holds: boolean, where: string, fault: string): readonly StackFinding[] {
  return holds ? [] : [{ where, fault }];
}
