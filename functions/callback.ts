// What the door hands on → the order's facts. Wiring only. To read what becomes of a callback: lib/payout/inquire/handle-callback.ts (the
// journey) → callback-facts.ts there (what it proves) → lib/payout/order/reports.ts → lib/payout/order/record.ts; the result is marked
// there, and leaves by the order's check (lib/payout/inquire/run-own-work.ts).
import { readWorkerConfig, type WorkerConfig } from '../lib/aws/env-config.ts';
import {
  type CallbackHandler,
  functionLog,
  incomingCallback,
  logOfInvocation,
  type WarmUp,
  whileStarting,
  type WriteLine,
  writeLine,
} from '../lib/aws/lambda-handler.ts';
import { batchesTable, ledgerTable, newDynamoDbClient } from '../lib/aws/dynamodb-table.ts';
import { createKmsSigners, kmsClientOnDemand } from '../lib/aws/kms-client.ts';
import { createSecretsManagerCredentials, newSecretsManagerClient } from '../lib/aws/secrets-manager-credentials.ts';
import { createSecretsManagerControlKeys } from '../lib/aws/secrets-manager-control-keys.ts';
import { systemClock, systemRandom } from '../lib/aws/system.ts';
import { createTableClock } from '../lib/aws/table-clock.ts';
import { createDynamoDbSafeguards } from '../lib/batches/dynamodb-safeguards.ts';
import { registeredCredentials } from '../lib/batches/safeguards.ts';
import { createKmsApprovalCheck } from '../lib/batches/kms-approvals.ts';
import { ordersWithProof } from '../lib/batches/proven-decisions.ts';
import { payneteasyCallbacks } from '../lib/gateway/payneteasy-callbacks.ts';
import { type CallbackPorts, handleCallback } from '../lib/payout/inquire/handle-callback.ts';
import { createTablesComparison } from '../lib/restore/dynamodb-known-tables.ts';
import { createDynamoDbRestoration, ordersOf } from '../lib/restore/dynamodb-restoration.ts';
import { createEmfMetrics } from '../lib/aws/cloudwatch-lines.ts';

/** The handler over the given ports; the last part of the address names the merchant. */
export function createCallback(ports: CallbackPorts): CallbackHandler {
  return async (message, context) => {
    const log = logOfInvocation(ports.log, context?.awsRequestId);
    return { answer: await handleCallback(incomingCallback(message), { ...ports, log }) };
  };
}

/** The shipped adapters. The warm-up reads the one secret by which every callback is checked first, and compares the tables. */
export function callbackPorts(config: WorkerConfig, write: WriteLine): CallbackPorts & WarmUp {
  const { limits, secretPrefix: prefix } = config;
  const clock = createTableClock(systemClock);
  const log = functionLog(write);
  const aws = { limits, log };

  const dynamodb = clock.watching(newDynamoDbClient(aws));
  const ledger = ledgerTable(config, dynamodb, clock);
  const client = newSecretsManagerClient(aws);
  const secrets = { client, prefix, ttlMs: limits.credentialsTtlMs, clock, log };
  const newKms = kmsClientOnDemand(aws);
  const metrics = createEmfMetrics({ write, nowMs: clock.nowMs, namespace: config.metricsNamespace });
  const macs = createKmsApprovalCheck({ newClient: newKms, keyId: config.approvalKeyId });
  const store = createDynamoDbSafeguards(batchesTable(config, dynamodb, clock));
  const guards = { store, macs, clock, ttlMs: limits.credentialsTtlMs };
  const known = createTablesComparison(config, { dynamodb, secrets: client, macs, nowMs: clock.nowMs });
  const restoration = createDynamoDbRestoration(ledger, known);
  const controlKeys = createSecretsManagerControlKeys(secrets);
  const stored = createSecretsManagerCredentials({ ...secrets, signerFor: createKmsSigners(newKms) });
  return {
    callbacks: payneteasyCallbacks,
    controlKeys,
    credentials: registeredCredentials({ credentials: stored, ...guards }),
    orders: ordersWithProof(ordersOf(ledger, restoration), { ...guards, random: systemRandom, log, metrics }),
    warmUp: () => Promise.allSettled([controlKeys.all(), restoration.role()]),
    clock,
    random: systemRandom,
    metrics,
    log,
  };
}

/** Invoked by the door. */
export const handler: CallbackHandler = await whileStarting(() => {
  const ports = callbackPorts(readWorkerConfig(), writeLine);
  return { handle: createCallback(ports), warmUp: ports.warmUp };
});
