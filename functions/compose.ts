// The adapters that the functions share: the one clock, the tables, the secrets, and the proof of approvers. Wiring only.
import { createEmfMetrics } from '../lib/aws/cloudwatch-lines.ts';
import { newDynamoDbClient, tablesOf } from '../lib/aws/dynamodb-table.ts';
import type { WorkerConfig } from '../lib/aws/env-config.ts';
import { createKmsSigners, kmsClientOnDemand } from '../lib/aws/kms-client.ts';
import { functionLog, type WriteLine } from '../lib/aws/lambda-handler.ts';
import { newSecretsManagerClient } from '../lib/aws/secrets-manager-credentials.ts';
import { systemClock, systemRandom } from '../lib/aws/system.ts';
import { createTableClock } from '../lib/aws/table-clock.ts';
import { createDynamoDbSafeguards } from '../lib/batches/dynamodb-safeguards.ts';
import { createKmsApprovalCheck } from '../lib/batches/kms-approvals.ts';
import { ordersWithProof } from '../lib/batches/proven-decisions.ts';
import { createTablesComparison, ordersOf } from '../lib/restore/dynamodb-known-tables.ts';

/** The shared adapters, over the AWS endpoints of the standard environment. */
export function compose(config: WorkerConfig, write: WriteLine) {
  const { limits, secretPrefix: prefix } = config;
  const clock = createTableClock(systemClock);
  const log = functionLog(write);
  const random = systemRandom;
  const aws = { limits, log };
  const dynamodb = clock.watching(newDynamoDbClient(aws));
  const tables = tablesOf(config, dynamodb, clock);
  const client = newSecretsManagerClient(aws);
  const newKms = kmsClientOnDemand(aws);
  const metrics = createEmfMetrics({ write, nowMs: clock.nowMs, namespace: config.metricsNamespace });
  const macs = createKmsApprovalCheck({ newClient: newKms, keyId: config.approvalKeyId });
  const store = createDynamoDbSafeguards(tables.batches);
  const known = createTablesComparison(config, { dynamodb, secrets: client, macs, nowMs: clock.nowMs });
  return {
    aws,
    clock,
    random,
    log,
    metrics,
    limits,
    tables,
    newKms,
    known,
    /** The merchants' safeguards, which approvers write. */
    guards: { store, macs, clock, ttlMs: limits.credentialsTtlMs },
    secrets: {
      client,
      prefix,
      workerSecretId: config.workerSecretId,
      ttlMs: limits.credentialsTtlMs,
      clock,
      log,
      signerFor: createKmsSigners(newKms),
    },
  };
}

/** The orders; a person's decision counts only once it is proven. */
export const provenOrders = ({ tables, known, guards, ...sources }: ReturnType<typeof compose>) =>
  ordersWithProof(ordersOf(tables.ledger, known), { ...guards, ...sources });
