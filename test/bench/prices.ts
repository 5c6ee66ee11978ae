// What a million payouts cost at AWS's list prices. `node test/bench/prices.ts` prints the table.
import Table from 'cli-table3';

/** List prices of us-east-1 in dollars, as published in November 2026; without free tiers and discounts. */
export const prices = {
  /** Lambda on arm64, per GB-second, and per million invocations. */
  lambdaGbSecond: 0.0000133334,
  lambdaMillionRequests: 0.2,
  /** SQS standard queue, per million requests of up to 64 KB. */
  sqsMillionRequests: 0.4,
  /** DynamoDB on demand, per million write units of 1 KB. */
  dynamoDbMillionWrites: 0.625,
  /** KMS, per million requests; SQS and DynamoDB keep their data keys for five minutes, so these are few. */
  kmsMillionRequests: 3,
  /** KMS Sign with an RSA-4096 key, per million: only where a merchant's key lives in KMS. */
  kmsMillionRsaSignatures: 15,
} as const;

/** One way of running it. */
export interface Design {
  /** Table and index together. */
  readonly writeUnitsPerJob: number;
  readonly sqsCallsPerJob: number;
  readonly jobsPerBatch: number;
  /** Jobs of a batch under way at once. */
  readonly concurrency: number;
  /** The gateway's, which is nearly all of the time that is billed. */
  readonly latencyMs: number;
  readonly memoryMb?: number;
}

/** What a batch takes beside the gateway: two table writes, a send, the signing. */
const overheadMsPerTurn = 25;

/** Dollars per million payouts, by service. */
export function dollarsPerMillion(design: Design) {
  const { writeUnitsPerJob, sqsCallsPerJob, jobsPerBatch, concurrency, latencyMs, memoryMb = 512 } = design;
  const turns = Math.ceil(jobsPerBatch / concurrency);
  const batchSeconds = (turns * (latencyMs + overheadMsPerTurn)) / 1000;
  const batches = 1e6 / jobsPerBatch;
  const lambda =
    batches * batchSeconds * (memoryMb / 1024) * prices.lambdaGbSecond + (batches / 1e6) * prices.lambdaMillionRequests;
  const table = writeUnitsPerJob * prices.dynamoDbMillionWrites;
  // The sender's own call, ten messages each.
  const sqs = (sqsCallsPerJob + 0.1) * prices.sqsMillionRequests;
  return { lambda, table, sqs, total: lambda + table + sqs };
}

if (import.meta.main) {
  const heads = ['batch', 'at once', 'gateway ms', 'Lambda', 'DynamoDB', 'SQS', 'payouts $', 'Powertools $', 'middy $'];
  const table = new Table({ head: heads, colAligns: heads.map(() => 'right'), style: { head: [], border: [] } });
  for (const jobsPerBatch of [1, 10, 50]) {
    for (const concurrency of [1, 10, 50].filter((it) => it <= jobsPerBatch)) {
      for (const latencyMs of [50, 200, 1000]) {
        const running = { jobsPerBatch, concurrency, latencyMs };
        const polled = 2 / jobsPerBatch;
        const sends = 1 / Math.min(10, jobsPerBatch);
        const ours = dollarsPerMillion({ ...running, writeUnitsPerJob: 4, sqsCallsPerJob: sends + polled });
        const powertools = dollarsPerMillion({ ...running, writeUnitsPerJob: 2, sqsCallsPerJob: 1 + polled });
        const middy = dollarsPerMillion({ ...running, writeUnitsPerJob: 0, sqsCallsPerJob: 1 + polled });
        const dollars = [ours.lambda, ours.table, ours.sqs, ours.total, powertools.total, middy.total];
        table.push([jobsPerBatch, concurrency, latencyMs, ...dollars.map((it) => it.toFixed(2))]);
      }
    }
  }
  process.stdout.write(`${table.toString()}\n`);
}
