// The embedded environment with a batch in its ledger, as an upload and the worker would have left them.
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { createDynamoDbBatches } from '../../../lib/batches/dynamodb-batches.ts';
import { createDynamoDbBatchRows } from '../../../lib/batches/dynamodb-batch-rows.ts';
import { createDynamoDbRowNotes } from '../../../lib/batches/dynamodb-row-notes.ts';
import { createDynamoDbOrders } from '../../../lib/aws/dynamodb-orders.ts';
import { silentLog } from '../../../lib/aws/cloudwatch-lines.ts';
import { systemClock } from '../../../lib/aws/system.ts';
import type { Batches } from '../../../lib/batches/batch-ports.ts';
import { settleBatch } from '../../../lib/batches/settle-batches.ts';
import type { Order } from '../../../lib/payout/order/order.ts';
import type { Orders } from '../../../lib/payout/order/orders.ts';
import { type Batch, type BatchRow, newBatch, rowsPerPart } from '../../../lib/batches/batch.ts';
import { totalsOf } from '../../../lib/batches/tally.ts';
import { type EmbeddedAws, startEmbeddedAws } from '../../../lib/local/embedded-aws.ts';
import { clientConfigOf, workerEnvironment } from '../../../lib/local/local-environment.ts';
import { localWorkerLimits } from '../../../lib/local/local-limits.ts';
import { startMs } from '../../support/time-and-chance.ts';
import { type CliEnd, runCli } from './cli.ts';
import { anOrderThatStands, type Standing } from '../../support/order-that-stands.ts';
import type { NotedRows } from '../../support/memory-batch-rows.ts';

/** The environment, and what puts things into its ledger. */
export interface LedgerWithBatch {
  readonly aws: EmbeddedAws;
  readonly env: Readonly<Record<string, string>>;
  readonly batches: Batches;
  readonly rows: NotedRows;
  readonly orders: Orders;
  /** Runs `payouts` in it. */
  payouts(...args: string[]): Promise<CliEnd>;
  /** Uploads a batch of these rows; one that has more rows than these is still being uploaded. */
  upload(batchId: string, rows: readonly BatchRow[], changes?: Partial<Batch>): Promise<Batch>;
  /** An order of the batch, as it stands. */
  order(batchId: string, orderId: string, changes: Standing): Promise<Order>;
  /** The sweeper's step: closes the batch if its rows have ended. */
  settle(batchId: string): Promise<void>;
  close(): Promise<void>;
}

/** A row of 10.42 EUR. */
export const aRow = (orderId: string, currency = 'EUR'): BatchRow => ({
  orderKey: `acme-eu/${orderId}`,
  digest: 'd',
  money: { currency, minorUnits: 1042n },
});

/** Starts the environment; nothing is in the ledger yet. */
export async function startLedgerWithBatch(): Promise<LedgerWithBatch> {
  const aws = await startEmbeddedAws();
  const client = new DynamoDBClient(clientConfigOf(aws, 'DYNAMODB'));
  const env = workerEnvironment(aws, localWorkerLimits.environment);
  const tableName = env['LEDGER_TABLE_NAME'] ?? '';
  const options = { client, tableName, itemLifeDays: 400, nowMs: () => startMs, sleep: async () => {} };
  const batches = createDynamoDbBatches({ ...options, tableName: aws.batchesTableName });
  const orders = createDynamoDbOrders(options);
  const rows = { ...createDynamoDbBatchRows(options), ...createDynamoDbRowNotes(options) };
  return {
    aws,
    env,
    batches,
    orders,
    rows,
    payouts: (...args) => runCli(args, { env }),
    async upload(batchId, rows, changes = {}) {
      const content = {
        batchId,
        fileHash: 'ab'.repeat(32),
        contentHash: '12',
        rows: rows.length,
        totals: totalsOf(rows),
      };
      const batch = { ...newBatch({ ...content, merchant: 'acme-eu', by: 'ada', nowMs: startMs }), ...changes };
      await batches.register(batch);
      for (let n = 0; n * rowsPerPart < rows.length; n += 1)
        await batches.putPart(batchId, n, rows.slice(n * rowsPerPart, (n + 1) * rowsPerPart));
      if (batch.state === 'uploading' && rows.length === batch.rows) await batches.finishUpload(batchId, startMs + 1);
      return batch;
    },
    async order(batchId, orderId, changes) {
      const order = anOrderThatStands({ batchId, orderId, ...changes });
      await orders.put(order);
      await orders.mark(order, false);
      return order;
    },
    async settle(batchId) {
      const batch = await batches.find(batchId);
      if (!batch) throw new Error(`there is no batch ${batchId}`);
      const batchResults = { tellBatch: async () => {} };
      await settleBatch(batch, Infinity, {
        batches,
        batchRows: rows,
        batchResults,
        clock: systemClock,
        log: silentLog,
      });
    },
    async close() {
      client.destroy();
      await aws.close();
    },
  };
}
