// `payouts worker`: the handler that ships to Lambda as a long-polling process, for containers and emulators.
import { randomUUID } from 'node:crypto';
import { SQSClient } from '@aws-sdk/client-sqs';
import { handler } from '../../functions/submit.ts';
import { ConfigurationError, readWorkerConfig, type WorkerConfig } from '../adapters/env-config.ts';
import { createJsonLogger } from '../adapters/json-logger.ts';
import { startEventSource } from '../adapters/sqs-event-source.ts';
import { systemClock } from '../adapters/system.ts';

/** How the worker polls. */
export interface WorkerOptions {
  /** Stop when the queue is empty. */
  readonly once: boolean;
  /** Records per invocation. */
  readonly batchSize: number;
  /** Invocations at once. */
  readonly maxConcurrency: number;
}

/** Runs until SIGTERM or SIGINT (or, with `once`, until the queue is empty); returns the exit code. */
export async function runWorker(options: WorkerOptions): Promise<number> {
  const config = configOrFault();
  if (typeof config === 'string') {
    process.stderr.write(`payouts worker: ${config}\n`);
    return 2;
  }
  const log = createJsonLogger({ write: (line) => process.stdout.write(`${line}\n`), nowMs: systemClock.nowMs });
  const source = startEventSource({
    client: new SQSClient({}),
    queueUrl: config.jobsQueueUrl,
    handler: (event, context) => handler(event, context),
    functionName: 'submit',
    functionTimeoutMs: config.limits.functionTimeoutMs,
    batchSize: options.batchSize,
    ...(options.batchSize > 10 && { batchingWindowMs: 500 }),
    maximumConcurrency: options.maxConcurrency,
    stopWhenDrained: options.once,
    nowMs: systemClock.nowMs,
    newRequestId: randomUUID,
    onPollingError: (error) =>
      log.write('warn', 'polling-failed', { errorName: error instanceof Error ? error.name : typeof error }),
    onBatch: ({ verdict, records, failed }) => {
      if (verdict.kind !== 'answered')
        log.write('error', `invocation-${verdict.kind}`, { records, failedRecords: failed });
    },
  });
  log.write('info', 'worker-started', {});
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => void source.stop());
  await source.stopped;
  const { received, failed } = source.counts();
  log.write('info', 'worker-stopped', { records: received, failedRecords: failed });
  return 0;
}

function configOrFault(): WorkerConfig | string {
  try {
    return readWorkerConfig();
  } catch (error) {
    if (error instanceof ConfigurationError) return error.message;
    throw error;
  }
}
