// AWS's list prices, and what the calls of a million payouts cost by them. The whole bill is price-model.ts.

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
  /** DynamoDB on demand, per million read units of 4 KB. */
  dynamoDbMillionReads: 0.125,
  /** DynamoDB storage, and its backups of every second, per GB and month. */
  dynamoDbGbMonth: 0.25,
  dynamoDbBackupGbMonth: 0.2,
  /** CloudWatch Logs: taken in, and kept, per GB (and month). */
  logsGb: 0.5,
  logsGbMonth: 0.03,
  /** CloudWatch: a metric, an alarm, a dashboard, per month. */
  metricMonth: 0.3,
  alarmMonth: 0.1,
  dashboardMonth: 3,
  /** A NAT gateway, per hour and per GB. */
  natHour: 0.045,
  natGb: 0.045,
  /** A public IPv4 address, and an interface endpoint in one zone, per hour. */
  publicAddressHour: 0.005,
  endpointHour: 0.01,
  /** Secrets Manager, a secret, per month. */
  secretMonth: 0.4,
  /** A key of one's own in KMS, per month. */
  kmsKeyMonth: 1,
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
