// The depths of the queues. SQS gives the age of a queue's oldest message to CloudWatch alone, so the alarms take it
// from there; here are the counts, messages in flight included.
import { GetQueueAttributesCommand, type SQSClient } from '@aws-sdk/client-sqs';
import type { QueueDepthName, QueueDepths } from '../payout/inquire/due-work.ts';

const AttributeNames: ('ApproximateNumberOfMessages' | 'ApproximateNumberOfMessagesNotVisible')[] = [
  'ApproximateNumberOfMessages',
  'ApproximateNumberOfMessagesNotVisible',
];

type QueueUrlName = 'jobsQueueUrl' | 'batchJobsQueueUrl' | 'checksQueueUrl' | 'deadLetterQueueUrl';

/** The queues of these settings by the name of their depth. */
export function measuredQueues(
  it: Readonly<Record<QueueUrlName, string>>,
): Readonly<Partial<Record<QueueDepthName, string>>> {
  const { jobsQueueUrl: jobsDepth, batchJobsQueueUrl: batchJobsDepth } = it;
  return {
    jobsDepth,
    // Where rows have no queue of their own, none is counted twice.
    batchJobsDepth: batchJobsDepth === jobsDepth ? undefined : batchJobsDepth,
    checksDepth: it.checksQueueUrl,
    deadLettersDepth: it.deadLetterQueueUrl,
  };
}

/** The messages of a queue, those in flight included. */
export async function depthOf(client: SQSClient, QueueUrl: string): Promise<number> {
  const { Attributes = {} } = await client.send(new GetQueueAttributesCommand({ QueueUrl, AttributeNames }));
  return AttributeNames.reduce((sum, it) => sum + Number(Attributes[it] ?? 0), 0);
}

/** Depths of the queues by name. */
export function createSqsQueueDepths({
  client,
  queueUrls,
}: {
  readonly client: SQSClient;
  readonly queueUrls: Readonly<Partial<Record<QueueDepthName, string>>>;
}): QueueDepths {
  return {
    async measure() {
      const depths = Object.entries(queueUrls)
        .filter(([, url]) => url !== undefined)
        .map(async ([name, url = '']) => [name, await depthOf(client, url)] as const);
      return Object.fromEntries(await Promise.all(depths));
    },
  };
}
