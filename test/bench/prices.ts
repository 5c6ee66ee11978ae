// AWS's list prices.

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
  /** CloudWatch: a metric, a metric that an alarm reads, a dashboard, per month. */
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
