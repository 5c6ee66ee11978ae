// A batch of the queue of callbacks: those that the door could not put into the inboxes of orders are put there now. A callback
// that can't be read or put comes back, and lies among the dead letters of its queue in the end, where `dlq` reaches it.
import type { SQSBatchResponse, SQSRecord } from 'aws-lambda';
import * as v from 'valibot';
import { errorFields } from '../log-fields.ts';
import { callbackSchema } from '../order/fact-schemas.ts';
import type { Orders } from '../order/orders.ts';
import { createMetricsRecorder } from '../metrics-recorder.ts';
import type { Clock, Log, Metrics } from '../ports.ts';
import { observeReturning } from '../run-records.ts';

/** The ports of the batch. */
interface CallbacksBatchPorts {
  readonly orders: Pick<Orders, 'note'>;
  readonly clock: Pick<Clock, 'nowMs'>;
  readonly log: Log;
  readonly metrics: Metrics;
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
  { orders, clock, log, metrics }: CallbacksBatchPorts,
): Promise<SQSBatchResponse> {
  const recorder = createMetricsRecorder();
  observeReturning(records, 'callbackReceives', recorder);
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
  metrics.publish(recorder.taken());
  return { batchItemFailures: failed.flat() };
}
