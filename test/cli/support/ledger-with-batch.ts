// AWS in this process with batches in its ledger, as uploads and the worker would have left them.
import { createDynamoDbBatches } from '../../../lib/batches/dynamodb-batches.ts';
import { createDynamoDbBatchIndex, createDynamoDbKnownOrders } from '../../../lib/batches/dynamodb-batch-index.ts';
import { silentLog } from '../../../lib/aws/cloudwatch-lines.ts';
import { systemClock } from '../../../lib/aws/system.ts';
import { settleBatch } from '../../../lib/batches/settle-batches.ts';
import type { Order } from '../../../lib/payout/order/order.ts';
import { type Batch, type BatchRow, newBatch, rowsPerPart } from '../../../lib/batches/batch.ts';
import { totalsOf } from '../../../lib/batches/tally.ts';
import { startMs } from '../../support/time-and-chance.ts';
import type { Standing } from '../../support/order-that-stands.ts';
import { anAws } from './aws.ts';

/** A row of 10.42 EUR. */
export const aRow = (orderId: string, currency = 'EUR'): BatchRow => ({
  orderKey: `acme-eu/${orderId}`,
  digest: 'd',
  money: { currency, minorUnits: 1042n },
});

/** The environment, and what puts batches into its ledger. */
/** How the files of these batches were read. */
const asSubmitted = { merchant: 'acme-eu', operation: 'payout', endpoint: '39915' };

export function aLedgerWithBatch(choices: Parameters<typeof anAws>[0] = {}) {
  const world = anAws({ merchants: false, ...choices });
  const options = () => ({
    client: world.dynamodb(),
    tableName: world.aws().ledgerTableName,
    itemLifeDays: 400,
    nowMs: () => startMs,
    sleep: async () => {},
  });
  const batches = () => createDynamoDbBatches({ ...options(), tableName: world.aws().batchesTableName });
  return {
    ...world,
    /** Uploads a batch of these rows; one that has more rows than these is still being uploaded. */
    async upload(batchId: string, its: readonly BatchRow[], changes: Partial<Batch> = {}): Promise<Batch> {
      const content = {
        batchId,
        fileHash: 'ab'.repeat(32),
        contentHash: '12',
        rows: its.length,
        totals: totalsOf(its),
        reading: asSubmitted,
      };
      const batch = { ...newBatch({ ...content, merchant: 'acme-eu', by: 'ada', nowMs: startMs }), ...changes };
      await batches().register(batch);
      for (let n = 0; n * rowsPerPart < its.length; n += 1)
        await batches().putPart(batchId, n, its.slice(n * rowsPerPart, (n + 1) * rowsPerPart));
      if (batch.state === 'uploading' && its.length === batch.rows) await batches().finishUpload(batchId, startMs + 1);
      return batch;
    },
    /** An order of the batch in this state. */
    async order(batchId: string, orderId: string, changes: Standing): Promise<Order> {
      const order = await world.standing(orderId, { batchId, ...changes });
      await world.orders().markPublished(order);
      return order;
    },
    /** The sweeper's step: closes the batch if its rows have ended. */
    async settle(batchId: string): Promise<void> {
      const batch = await batches().find(batchId);
      if (!batch) throw new Error(`there is no batch ${batchId}`);
      const batchResults = { sendBatchResult: async () => {} };
      const reading = {
        knownOrders: createDynamoDbKnownOrders(options()),
        batchIndex: createDynamoDbBatchIndex(options()),
      };
      const ports = { batches: batches(), ...reading, batchResults, clock: systemClock, log: silentLog };
      await settleBatch(batch, Infinity, ports);
    },
  };
}
