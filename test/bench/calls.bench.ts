// AWS calls per job on the happy path, counted at the sockets of the bundle that ships and of its peers.
import assert from 'node:assert/strict';
import { channel } from 'node:diagnostics_channel';
import type { ClientRequest } from 'node:http';
import { type Benchmark, type Measurement } from './harness.ts';
import { lambdaContext, newBatch } from './payout-batches.ts';
import { type Handler, handlersWith } from './shipped-handlers.ts';
import { startServers } from './surroundings/start-servers.ts';

/** All benchmarks of this file. */
export const callsBenchmarks: readonly Benchmark[] = [
  {
    name: 'calls',
    description: 'AWS calls per job on the happy path, batches of ten',
    run: calls,
  },
];

const batches = 50;
const jobsPerBatch = 10;

async function calls(): Promise<Measurement> {
  const servers = await startServers('instant');
  try {
    const figures: Record<string, number> = {};
    for (const [name, handler] of Object.entries(await handlersWith(servers.environment, 10))) {
      await takeBatch(handler); // the secrets are read once, by the first batch
      const counts = await countCalls(async () => {
        for (let batch = 0; batch < batches; batch++) await takeBatch(handler);
      });
      const perJob = (...targets: string[]) =>
        targets.reduce((sum, target) => sum + (counts.get(target) ?? 0), 0) / (batches * jobsPerBatch);
      const writes = perJob('PutItem', 'UpdateItem');
      // Lambda's poller makes two more for each batch: ReceiveMessage and DeleteMessageBatch.
      const sqs = perJob('SendMessage', 'SendMessageBatch', 'ChangeMessageVisibilityBatch') + 2 / jobsPerBatch;
      figures[`${name}TableWritesPerJob`] = writes;
      figures[`${name}TableReadsPerJob`] = perJob('GetItem', 'BatchGetItem', 'Query');
      figures[`${name}SqsCallsPerJob`] = sqs;
      figures[`${name}SecretReadsPerJob`] = perJob('GetSecretValue');
    }
    return {
      figures,
      bounds: [
        // Three writes are the job's own: claim, answer, and the mark of its result taken away. The lane's are by time and rate: a fifth at most. The reads of controls are too.
        { kind: 'most', figure: 'oursTableWritesPerJob', most: 3.2 },
        // Less would mean that the jobs were not sent at all.
        { kind: 'least', figure: 'oursTableWritesPerJob', least: 3 },
        { kind: 'most', figure: 'oursTableReadsPerJob', most: 0.1 },
        { kind: 'most', figure: 'oursSqsCallsPerJob', most: 0.35 },
        // A slow machine outlasts the time for which a secret is kept.
        { kind: 'most', figure: 'oursSecretReadsPerJob', most: 0.01 },
      ],
    };
  } finally {
    await servers.stop();
  }
}

async function takeBatch(handler: Handler): Promise<void> {
  const { batchItemFailures } = await handler(newBatch(jobsPerBatch), lambdaContext);
  assert.deepEqual(batchItemFailures, []);
}

/** By operation; every AWS client of ours and of the peers goes through node:http. */
async function countCalls(work: () => Promise<void>): Promise<Map<string, number>> {
  const counts = new Map<string, number>();
  const count = (message: unknown) => {
    const target = (message as { request: ClientRequest }).request.getHeader('x-amz-target');
    if (typeof target !== 'string') return;
    const operation = target.split('.').at(-1) ?? '';
    counts.set(operation, (counts.get(operation) ?? 0) + 1);
  };
  const started = channel('http.client.request.start');
  started.subscribe(count);
  try {
    await work();
  } finally {
    started.unsubscribe(count);
  }
  return counts;
}
