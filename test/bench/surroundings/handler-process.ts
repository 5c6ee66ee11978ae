// One side of a contest as a process of its own, with its own heap and its own compiled code: it takes batches when it is told
// to, and says what processor time they took. What it logs is written and dropped.
import assert from 'node:assert/strict';
import { pathToFileURL } from 'node:url';
import { lambdaContext, newBatch } from '../payout-batches.ts';
import type { Handler } from '../shipped-handlers.ts';

/** So many batches of so many jobs, one batch after the other, each of another of so many merchants. */
export interface Turn {
  readonly batches: number;
  readonly jobs: number;
  readonly merchants: number;
}

process.stdout.write = () => true;
const { handler } = (await import(pathToFileURL(process.argv[2] ?? '').href)) as { handler: Handler };

async function cpuMicrosecondsOf({ batches, jobs, merchants }: Turn): Promise<number> {
  const events = Array.from({ length: batches }, (_, at) => newBatch(jobs, `bench-${at % merchants}`));
  const before = process.cpuUsage();
  for (const event of events) assert.deepEqual(await handler(event, lambdaContext), { batchItemFailures: [] });
  const { user, system } = process.cpuUsage(before);
  return user + system;
}

process.on('message', (turn: Turn) => void cpuMicrosecondsOf(turn).then((spent) => process.send?.(spent)));
process.on('disconnect', () => process.exit(0));
process.send?.('ready');
