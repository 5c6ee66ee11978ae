// How full the queues are. SQS tells the age of a queue's oldest message to CloudWatch alone, so the alarms take it
// from there; here are the counts, messages that somebody works on included.
import { GetQueueAttributesCommand, type SQSClient } from '@aws-sdk/client-sqs';
import type { QueueDepths } from '../payout/due-work.ts';

const AttributeNames: ('ApproximateNumberOfMessages' | 'ApproximateNumberOfMessagesNotVisible')[] = [
  'ApproximateNumberOfMessages',
  'ApproximateNumberOfMessagesNotVisible',
];

/** Depths of the queues by name. */
export function createSqsQueueDepths({
  client,
  queueUrls,
}: {
  readonly client: SQSClient;
  readonly queueUrls: Readonly<Partial<Record<'jobsDepth' | 'checksDepth' | 'deadLettersDepth', string>>>;
}): QueueDepths {
  return {
    async measure() {
      const depths = Object.entries(queueUrls).map(async ([name, QueueUrl]) => {
        const { Attributes = {} } = await client.send(new GetQueueAttributesCommand({ QueueUrl, AttributeNames }));
        return [name, AttributeNames.reduce((sum, it) => sum + Number(Attributes[it] ?? 0), 0)] as const;
      });
      return Object.fromEntries(await Promise.all(depths));
    },
  };
}
