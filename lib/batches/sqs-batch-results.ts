// Results of whole batches, onto the same queue as the results of orders.
import { messageText } from '../payout/message-text.ts';
import { sendResults, type SqsResultsOptions } from '../aws/sqs-results.ts';
import type { BatchResults } from './batch-ports.ts';

/** Batch results over the results queue. */
export function createSqsBatchResults(options: SqsResultsOptions): BatchResults {
  return {
    async tellBatch(result) {
      const notTaken = await sendResults([result], messageText, options);
      if (notTaken.size > 0) throw new Error('the results queue did not take the batch result');
    },
  };
}
