// The queues as batches use them: the rows of a file go out as jobs, the states of whole batches as results.
import { SendMessageBatchCommand, type SQSClient, SQSServiceException } from '@aws-sdk/client-sqs';
import { sendResults, type SqsResultsOptions } from '../aws/sqs-queues.ts';
import { messageText } from '../payout/message/json-text.ts';
import type { BatchResults, JobSender } from './batch-ports.ts';

/** The sender over one queue. The client has made its own retries before anything is reported here. */
export function createSqsJobSender({
  client,
  queueUrl,
}: {
  readonly client: SQSClient;
  readonly queueUrl: string;
}): JobSender {
  return {
    async send(jobs) {
      const Entries = jobs.map(({ body, groupId }, index) => ({
        Id: String(index),
        MessageBody: body,
        MessageGroupId: groupId,
      }));
      try {
        const { Failed = [] } = await client.send(new SendMessageBatchCommand({ QueueUrl: queueUrl, Entries }));
        return Failed.map(({ Id, SenderFault, Code = 'unknown' }) => ({
          index: Number(Id),
          again: !SenderFault,
          code: Code,
        }));
      } catch (error) {
        // A person must correct a missing permission or an unknown queue. All else passes by itself.
        if (error instanceof SQSServiceException && error.$fault === 'client' && !error.$retryable) throw error;
        const code = error instanceof Error ? error.name : 'unknown';
        return jobs.map((_, index) => ({ index, again: true, code }));
      }
    },
  };
}

/** Batch results over the results queue. */
export function createSqsBatchResults(options: SqsResultsOptions): BatchResults {
  return {
    async sendBatchResult(result) {
      const notTaken = await sendResults([result], messageText, options);
      if (notTaken.size > 0) throw new Error('the results queue did not take the batch result');
    },
  };
}
