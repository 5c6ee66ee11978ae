// A place where worker processes run, one after the other: it receives messages, calls the real handler, and deletes the
// messages that the handler reported as done, by Lambda's rule. When its process dies, a fresh one takes over.
import type { SQSBatchResponse, SQSRecord } from 'aws-lambda';
import type { QueueHandler } from '../../lib/aws/lambda-handler.ts';
import { createProcess, type Process, type Surroundings } from './process.ts';
import type { Queues } from './queues.ts';

/** A worker's nature. */
export interface WorkerTraits {
  readonly name: string;
  readonly version: 'older' | 'newer';
  readonly skewMs: number;
  /** Lambda kills an invocation that outlasts its time-out; a worker process of our own lets it run on and ignores its answer. */
  readonly host: 'lambda' | 'process';
  readonly batchSize: number;
}

/** The surroundings of a worker. */
export interface WorkerSurroundings extends Surroundings {
  /** The queue that it works off. */
  readonly queue: Pick<Queues, 'receive' | 'delete' | 'onVisible'>;
  readonly functionTimeoutMs: number;
  /** The code under test over one process's ports. */
  readonly handlerOf: (process: Process) => QueueHandler;
}

const restartAfterMs = 2_000;

/** A worker that runs. */
export interface Worker {
  /** Stops an older process, in the middle of its work if it has any; from now on the newer version runs here. */
  deployNewer(): void;
  /** Stops the process, in the middle of its work if it has any; another one takes its place. */
  restart(): void;
}

/** Starts a worker. It polls whenever it is idle and a message is visible. */
export function startWorker(traits: WorkerTraits, surroundings: WorkerSurroundings): Worker {
  const { timeline, queue, functionTimeoutMs, handlerOf, story } = surroundings;
  let generation = 0;
  let { version } = traits;
  let process = born();
  let handler = handlerOf(process);
  let busy = false;

  function born(): Process {
    generation += 1;
    return createProcess({ ...traits, version, name: `${traits.name}-${generation}` }, { ...surroundings, onDeath });
  }

  function onDeath(idsAtRisk: ReadonlySet<string>): void {
    surroundings.onDeath(idsAtRisk);
    timeline.after(restartAfterMs, () => {
      process = born();
      handler = handlerOf(process);
      busy = false;
      poll();
    });
  }

  function poll(): void {
    if (busy || !process.isAlive()) return;
    const records = queue.receive(traits.batchSize, process.name);
    if (records.length === 0) return;
    busy = true;
    surroundings.onTurn();
    void invoke(process, records);
  }

  async function invoke(host: Process, records: readonly SQSRecord[]): Promise<void> {
    const endsAtMs = timeline.nowMs() + functionTimeoutMs;
    let timedOut = false;
    let answered = false;
    host.begins();
    timeline.at(endsAtMs, () => {
      if (answered || !host.isAlive()) return;
      timedOut = true;
      if (traits.host === 'lambda') return host.die('by function time-out');
      story.tell(host.name, '', () => 'outlasts its function time-out and works on');
      idle(host);
    });
    const response = await handler(
      { Records: [...records] },
      { getRemainingTimeInMillis: () => endsAtMs - timeline.nowMs() },
    ).catch((): undefined => undefined);
    await host.effect('respond', '', () => {
      if (!timedOut) deleteDone(host, records, response);
      return { answer: Promise.resolve() };
    });
    answered = true;
    host.ends();
    if (!timedOut) idle(host);
  }

  function idle(host: Process): void {
    if (host !== process) return;
    busy = false;
    // In an event of its own, so that two invocations never share a turn.
    timeline.after(1, () => host.whenAwake(poll));
  }

  function deleteDone(host: Process, records: readonly SQSRecord[], response: SQSBatchResponse | undefined): void {
    if (!response) return story.tell(host.name, '', () => 'fails its whole batch');
    const failed = new Set(response.batchItemFailures.map(({ itemIdentifier }) => itemIdentifier));
    for (const { messageId, receiptHandle } of records) {
      if (!failed.has(messageId)) queue.delete(receiptHandle);
    }
  }

  queue.onVisible(poll);
  return {
    deployNewer() {
      if (version === 'newer') return;
      version = 'newer';
      process.die('to make room for the newer version');
    },
    restart: () => process.die('to be started anew'),
  };
}
