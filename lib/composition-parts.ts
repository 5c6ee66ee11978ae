// The composition root's part for what several functions share: secrets, gateway, results, log and figures.
import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { SQSClient } from '@aws-sdk/client-sqs';
import { createEmfMetrics } from './adapters/emf-metrics.ts';
import { invocationTraceId, type WorkerConfig } from './adapters/env-config.ts';
import { createHttpGateway } from './adapters/http-gateway.ts';
import { createJoseCardVault } from './adapters/jose-card-vault.ts';
import { createJsonLogger } from './adapters/json-logger.ts';
import type { createKmsSigners } from './adapters/kms-signer.ts';
import { createSecretsManagerCardKeys } from './adapters/secrets-manager-card-keys.ts';
import { createSecretsManagerCredentials } from './adapters/secrets-manager-credentials.ts';
import { createSqsChecksQueue } from './adapters/sqs-checks-queue.ts';
import { createSqsResults } from './adapters/sqs-results.ts';
import { systemClock, systemRandom } from './adapters/system.ts';
import type { Log, Metrics } from './app/ports.ts';
import { awsClient, batchRowsOf, ledgerOf } from './composition-tables.ts';

/** Takes a line of the log. */
export type WriteLine = (line: string) => void;

/** What most functions need, and the client of their queues. */
export function commonPorts(
  config: WorkerConfig,
  writeLine: WriteLine,
  signerFor?: ReturnType<typeof createKmsSigners>,
) {
  const { limits, resultsQueueUrl, checksQueueUrl } = config;
  const clock = systemClock;
  const log = logTo(writeLine);
  const sqs = new SQSClient(awsClient);
  const secretsManager = { client: new SecretsManagerClient(awsClient), ...secretOptions(config), log };
  const secrets = createSecretsManagerCredentials({ ...secretsManager, ...(signerFor && { signerFor }) });
  return {
    sqs,
    ledger: ledgerOf(config),
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

/** Figures, over the same. */
export function metricsOf({ metricsNamespace }: WorkerConfig, write: WriteLine): Metrics {
  return createEmfMetrics({ write, nowMs: systemClock.nowMs, namespace: metricsNamespace });
}

/** What it takes to judge card data, and to note rows of batches. */
export function cardAndRowPorts(config: WorkerConfig, { log }: { readonly log: Log }) {
  const client = new SecretsManagerClient(awsClient);
  const keys = createSecretsManagerCardKeys({ client, ...secretOptions(config), log });
  return { cardVault: createJoseCardVault({ keys }), rowNotes: batchRowsOf(config) };
}

function secretOptions({ secretPrefix, limits }: WorkerConfig) {
  return { prefix: secretPrefix, ttlMs: limits.credentialsTtlMs, clock: systemClock };
}

/** The log, over a line writer. */
export function logTo(write: WriteLine): Log {
  return createJsonLogger({ write, nowMs: systemClock.nowMs, traceId: () => invocationTraceId() });
}
