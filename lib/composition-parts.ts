// The composition root's part for what several functions share: secrets, gateway, results, log and figures.
import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { SQSClient } from '@aws-sdk/client-sqs';
import { createEmfMetrics } from './aws/emf-metrics.ts';
import { invocationTraceId, type WorkerConfig } from './aws/env-config.ts';
import { createHttpGateway } from './gateway/http-gateway.ts';
import { createJsonLogger } from './aws/json-logger.ts';
import type { createKmsSigners } from './aws/kms-signer.ts';
import { createSecretsManagerCredentials } from './aws/secrets-manager-credentials.ts';
import { createSqsChecksQueue } from './aws/sqs-checks-queue.ts';
import { createSqsQueueDepths } from './aws/sqs-queue-depths.ts';
import { createSqsResults } from './aws/sqs-results.ts';
import { systemClock, systemRandom } from './aws/system.ts';
import { logAwsFailures } from './aws/log-aws-failures.ts';
import type { Log, Metrics } from './payout/ports.ts';
import { awsClient, ledgerOf, tableOf } from './composition-tables.ts';

/** Takes a line of the log. */
export type WriteLine = (line: string) => void;

/** What most functions need, and the client of their queues. */
export function commonPorts(
  config: WorkerConfig,
  writeLine: WriteLine,
  signers?: (log: Log) => ReturnType<typeof createKmsSigners>,
) {
  const { limits, resultsQueueUrl, checksQueueUrl, secretPrefix: prefix } = config;
  const clock = systemClock;
  const log = logTo(writeLine);
  const sqs = sqsOf(log);
  const table = tableOf(config, log);
  const client = logAwsFailures(new SecretsManagerClient(awsClient), log);
  const secretsManager = { client, prefix, ttlMs: limits.credentialsTtlMs, clock, log };
  const secrets = createSecretsManagerCredentials({ ...secretsManager, ...(signers && { signerFor: signers(log) }) });
  return {
    sqs,
    table,
    secretsManager,
    ledger: ledgerOf(table),
    credentials: secrets,
    fingerprinting: secrets,
    gateway: createHttpGateway({ limits, nowMs: clock.nowMs }),
    results: createSqsResults({ client: sqs, queueUrl: resultsQueueUrl }),
    checksQueue: createSqsChecksQueue({ client: sqs, queueUrl: checksQueueUrl }),
    clock,
    random: systemRandom,
    log,
    metrics: metricsOf(config, writeLine),
    limits,
  };
}

/** MetricValues, over the same. */
export function metricsOf({ metricsNamespace }: WorkerConfig, write: WriteLine): Metrics {
  return createEmfMetrics({ write, nowMs: systemClock.nowMs, namespace: metricsNamespace });
}

/** The client of the queues. */
export const sqsOf = (log: Log) => logAwsFailures(new SQSClient(awsClient), log);

/** How much waits in the queues. */
export function queueDepthsOf(config: WorkerConfig, client: SQSClient) {
  const { jobsQueueUrl: jobsDepth, checksQueueUrl: checksDepth, deadLetterQueueUrl: deadLettersDepth } = config;
  return createSqsQueueDepths({ client, queueUrls: { jobsDepth, checksDepth, deadLettersDepth } });
}

/** The log, over a line writer. */
export function logTo(write: WriteLine): Log {
  return createJsonLogger({ write, nowMs: systemClock.nowMs, traceId: () => invocationTraceId() });
}
