// The composition root: settings to adapters to handler, once per cold start. The only file that names concrete
// adapters, so that swapping one is a change here and nowhere else.
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { SQSClient } from '@aws-sdk/client-sqs';
import type { Context, SQSBatchResponse, SQSEvent } from 'aws-lambda';
import { createDynamoDbLedger } from './adapters/dynamodb-ledger.ts';
import type { WorkerConfig } from './adapters/env-config.ts';
import { createHttpGateway } from './adapters/http-gateway.ts';
import { createJsonLogger } from './adapters/json-logger.ts';
import { createSecretsManagerCredentials } from './adapters/secrets-manager-credentials.ts';
import { createSqsJobsQueue } from './adapters/sqs-jobs-queue.ts';
import { createSqsResults } from './adapters/sqs-results.ts';
import { systemClock, systemRandom } from './adapters/system.ts';
import { type BatchPorts, runBatch } from './app/sqs-batch.ts';

/** A Lambda handler for a batch of the jobs queue. */
export type SubmitHandler = (
  event: SQSEvent,
  context: Pick<Context, 'getRemainingTimeInMillis'>,
) => Promise<SQSBatchResponse>;

/**
 * Times of one AWS call. A call that hangs must fail while there is still time to try again: the SDK's default waits
 * without end, and an answer from the gateway would wait with it.
 */
const awsClient = { maxAttempts: 3, requestHandler: { connectionTimeout: 1_000, requestTimeout: 2_000 } };

/** The handler over the given ports. */
export function createSubmitHandler(ports: BatchPorts): SubmitHandler {
  return (event, context) => runBatch(event.Records, ports.clock.nowMs() + context.getRemainingTimeInMillis(), ports);
}

/** The shipped adapters, over whatever AWS endpoints the standard environment names. */
export function createPorts(config: WorkerConfig, writeLog: (line: string) => void): BatchPorts {
  const { limits, ledgerTableName, secretPrefix } = config;
  const clock = systemClock;
  const log = createJsonLogger({ write: writeLog, nowMs: clock.nowMs });
  const sqs = new SQSClient(awsClient);
  const secrets = createSecretsManagerCredentials({
    client: new SecretsManagerClient(awsClient),
    prefix: secretPrefix,
    ttlMs: limits.credentialsTtlMs,
    clock,
    log,
  });
  return {
    ledger: createDynamoDbLedger({
      client: new DynamoDBClient(awsClient),
      tableName: ledgerTableName,
      itemLifeDays: limits.ledgerItemLifeDays,
    }),
    credentials: secrets,
    fingerprinting: secrets,
    gateway: createHttpGateway({ limits, nowMs: clock.nowMs }),
    results: createSqsResults({ client: sqs, queueUrl: config.resultsQueueUrl }),
    jobsQueue: createSqsJobsQueue({
      client: sqs,
      jobsQueueUrl: config.jobsQueueUrl,
      deadLetterQueueUrl: config.deadLetterQueueUrl,
    }),
    clock,
    random: systemRandom,
    log,
    limits,
  };
}
