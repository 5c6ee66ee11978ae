// Redriven messages go to two queues at once: what the one does says nothing of the other.
import type { SendMessageBatchCommand, SQSClient } from '@aws-sdk/client-sqs';
import { describe, expect, it } from 'vitest';
import { createSqsDeadLetters } from '../../lib/dead-letters/sqs-dead-letters.ts';

/** Queues of which the named ones fail whole; what each of the others took. */
function queuesWithout(...failing: readonly string[]) {
  const took = new Map<string, readonly (string | undefined)[]>();
  const send = async ({ input: { QueueUrl = '', Entries = [] } }: SendMessageBatchCommand) => {
    if (failing.includes(QueueUrl)) throw new Error(`${QueueUrl} does not answer`);
    took.set(
      QueueUrl,
      Entries.map(({ MessageBody }) => MessageBody),
    );
    return {};
  };
  const client = { send } as unknown as SQSClient;
  const urls = { jobsQueueUrl: 'jobs', batchJobsQueueUrl: 'rows', deadLetterQueueUrl: 'dead' };
  return { took, deadLetters: createSqsDeadLetters({ client, ...urls }) };
}

const job = (body: string) => ({ body, attributes: new Map() });
const row = (body: string) => ({ ...job(body), batchId: 'november' });

describe('a redrive of jobs and rows', () => {
  it('sends each to its own queue', async () => {
    const { took, deadLetters } = queuesWithout();
    expect(await deadLetters.send([job('a'), row('b'), job('c')])).toEqual(new Set());
    expect([...took]).toEqual([
      ['jobs', ['a', 'c']],
      ['rows', ['b']],
    ]);
  });

  it.each([
    ['rows', [1]],
    ['jobs', [0, 2]],
  ] as const)(
    'is told which were not taken where the queue of %s fails, and so that the others were',
    async (queue, places) => {
      const { deadLetters } = queuesWithout(queue);
      expect(await deadLetters.send([job('a'), row('b'), job('c')])).toEqual(new Set(places));
    },
  );

  it('fails where neither queue took any', async () => {
    const { deadLetters } = queuesWithout('jobs', 'rows');
    await expect(deadLetters.send([job('a'), row('b')])).rejects.toThrow('jobs does not answer');
  });
});
