// Checks onto the checks queue, up to ten a call, each with its delay.
import { SendMessageBatchCommand, type SQSClient } from '@aws-sdk/client-sqs';
import type { ChecksQueue } from '../payout/due-work.ts';

/** The checks queue over SQS. */
export function createSqsChecksQueue({ client, queueUrl }: { client: SQSClient; queueUrl: string }): ChecksQueue {
  return {
    async send(checks) {
      const Entries = checks.map(({ check, delaySeconds }, index) => ({
        Id: String(index),
        MessageBody: JSON.stringify({ version: 1, ...check }),
        DelaySeconds: delaySeconds,
      }));
      const { Failed } = await client.send(new SendMessageBatchCommand({ QueueUrl: queueUrl, Entries }));
      return new Set((Failed ?? []).map(({ Id }) => Number(Id)));
    },
  };
}
