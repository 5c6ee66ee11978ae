// What is kept of a payout, measured where it is kept: the item of the handler that ships and the record of the peer's, in the
// emulated tables, by DynamoDB's rules of size; and what the handler writes to its log. price-model.ts reckons with these.
import assert from 'node:assert/strict';
import { type AttributeValue, DynamoDBClient, ScanCommand } from '@aws-sdk/client-dynamodb';
import type { SQSEvent } from 'aws-lambda';
import type { Benchmark, Bound, Measurement } from './harness.ts';
import { lambdaContext, newBatch } from './payout-batches.ts';
import { type Handler, handlersWith, loggedBytes } from './shipped-handlers.ts';
import { idempotencyTableName, startServers } from './surroundings/start-servers.ts';

/** All benchmarks of this file. */
export const sizesBenchmarks: readonly Benchmark[] = [
  {
    name: 'sizes',
    isKept: true,
    description:
      'bytes of a payout in the ledger, in the record of Powertools, and in the log, as the prices count them',
    run: sizes,
  },
];

/** Beside each item, by AWS's page on storage: https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/CapacityUnitCalculations.html */
const overheadBytes = 100;
const jobs = 10;

async function sizes(): Promise<Measurement> {
  const servers = await startServers('emulators');
  try {
    // The peer's key begins with it.
    process.env['AWS_LAMBDA_FUNCTION_NAME'] = 'payouts-prod-submit';
    const handlers = await handlersWith(servers.environment, 10);
    const context = { ...lambdaContext, awsRequestId: crypto.randomUUID() };
    const loggedBy = async (handler: Handler, together: number) => {
      const before = loggedBytes();
      assert.deepEqual(await handler(asSqsNamesThem(newBatch(together)), context), { batchItemFailures: [] });
      return loggedBytes() - before;
    };
    const figures: Record<string, number> = {};
    for (const name of ['ours', 'powertools'] as const) {
      // What a process says once is said before.
      await loggedBy(handlers[name], 1);
      const [alone, inTens] = [await loggedBy(handlers[name], 1), await loggedBy(handlers[name], jobs)];
      const ofJob = (inTens - alone) / (jobs - 1);
      figures[`${name}LogBytesOfJob`] = ofJob;
      figures[`${name}LogBytesOfBatch`] = alone - ofJob;
    }
    figures['oursItemBytes'] = await itemBytesIn(servers.environment['LEDGER_TABLE_NAME'] ?? '');
    figures['powertoolsItemBytes'] = await itemBytesIn(idempotencyTableName);
    const bounds: readonly Bound[] = [
      // Above it each write of an order is two units.
      { kind: 'most', figure: 'oursItemBytes', most: 1_024 },
      { kind: 'most', figure: 'oursLogBytesOfJob', most: 500 },
      { kind: 'most', figure: 'oursLogBytesOfBatch', most: 700 },
    ];
    return { figures, bounds };
  } finally {
    delete process.env['AWS_LAMBDA_FUNCTION_NAME'];
    await servers.stop();
  }
}

const asSqsNamesThem = ({ Records }: SQSEvent): SQSEvent => ({
  Records: Records.map((it) => ({ ...it, messageId: crypto.randomUUID() })),
});

/** Of one item on average, of those that this run has put there. */
async function itemBytesIn(tableName: string): Promise<number> {
  const { Items = [] } = await new DynamoDBClient({}).send(new ScanCommand({ TableName: tableName }));
  assert.equal(Items.length, jobs + 2);
  return Items.reduce((sum, item) => sum + bytesOf(item), 0) / Items.length + overheadBytes;
}

/** Names and values in UTF-8, a number a byte and one for each two digits, a boolean one byte, a map three and one a pair. */
const bytesOf = (item: Readonly<Record<string, AttributeValue>>): number =>
  Object.entries(item).reduce((sum, [name, value]) => sum + Buffer.byteLength(name) + valueBytes(value), 0);

function valueBytes({ S, N, M }: AttributeValue): number {
  if (S !== undefined) return Buffer.byteLength(S);
  if (N !== undefined) return Math.ceil(N.length / 2) + 1;
  return M === undefined ? 1 : 3 + Object.keys(M).length + bytesOf(M);
}
