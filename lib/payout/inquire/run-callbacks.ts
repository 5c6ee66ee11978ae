// A batch of the queue of callbacks: what the door could not put into the inboxes of orders is put there now. What can't be read, or
// can't be put, comes back, and lies among the dead letters of its queue in the end, where `dlq` reaches it.
import type { SQSBatchResponse, SQSRecord } from 'aws-lambda';
import * as v from 'valibot';
import { errorFields } from '../log-fields.ts';
import { callbackSchema } from '../order/fact-schemas.ts';
import type { Orders } from '../order/orders.ts';
import type { Clock, Log } from '../ports.ts';

/** What it needs. */
interface CallbacksBatchPorts {
  readonly orders: Pick<Orders, 'note'>;
  readonly clock: Pick<Clock, 'nowMs'>;
  readonly log: Log;
}

const schema = v.object({
  version: v.literal(1),
  key: v.pipe(v.string(), v.regex(/^[^/]+\/./)),
  place: v.pipe(v.string(), v.regex(/^[\w-]{1,32}$/)),
  callback: callbackSchema,
});

/** Puts each callback into its order's inbox. */
export async function runCallbacks(
  records: readonly SQSRecord[],
  { orders, clock, log }: CallbacksBatchPorts,
): Promise<SQSBatchResponse> {
  const failed = await Promise.all(
    records.map(async ({ body, messageId }) => {
      try {
        const { key, place, callback } = v.parse(schema, JSON.parse(body));
        await orders.note(key, place, callback, clock.nowMs());
        return [];
      } catch (error) {
        log.write('error', 'check-failed', { messageId, ...errorFields(error) });
        return [{ itemIdentifier: messageId }];
      }
    }),
  );
  return { batchItemFailures: failed.flat() };
}
