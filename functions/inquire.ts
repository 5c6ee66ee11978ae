// Checks queue → ask the gateway about accepted and doubtful orders. Wiring only.
// The journey is lib/payout/inquire/inquire-order.ts.
import { createDynamoDbDueWork } from '../lib/aws/dynamodb-due-work.ts';
import { createDynamoDbLanes } from '../lib/aws/dynamodb-lanes.ts';
import { createDynamoDbWaiting } from '../lib/aws/dynamodb-waiting.ts';
import {
  batchesTable,
  controlsTable,
  ledgerTable,
  newDynamoDbClient,
  waitingTable,
} from '../lib/aws/dynamodb-table.ts';
import { readWorkerConfig, type WorkerConfig } from '../lib/aws/env-config.ts';
import { createKmsSigners, kmsClientOnDemand } from '../lib/aws/kms-client.ts';
import {
  deadlineOf,
  functionLog,
  logOfInvocation,
  type QueueHandler,
  type WarmUp,
  whileStarting,
  type WriteLine,
  writeLine,
} from '../lib/aws/lambda-handler.ts';
import { createSecretsManagerCredentials, newSecretsManagerClient } from '../lib/aws/secrets-manager-credentials.ts';
import { createSqsResults, newSqsClient } from '../lib/aws/sqs-queues.ts';
import { later, systemClock, systemRandom } from '../lib/aws/system.ts';
import { createTableClock } from '../lib/aws/table-clock.ts';
import { createDynamoDbSafeguards } from '../lib/batches/dynamodb-safeguards.ts';
import { registeredCredentials } from '../lib/batches/safeguards.ts';
import { createKmsApprovalCheck } from '../lib/batches/kms-approvals.ts';
import { ordersWithProof } from '../lib/batches/proven-decisions.ts';
import { createHttpInquiries } from '../lib/gateway/http-gateway.ts';
import { createPacing } from '../lib/payout/pace/pacing.ts';
import { type OwnWorkPorts, runOwnWork } from '../lib/payout/inquire/run-own-work.ts';
import { createTablesComparison } from '../lib/restore/dynamodb-known-tables.ts';
import { createDynamoDbRestoration, ordersOf } from '../lib/restore/dynamodb-restoration.ts';
import { createEmfMetrics } from '../lib/aws/cloudwatch-lines.ts';

/** The handler over the given ports. */
export function createInquire(ports: OwnWorkPorts): QueueHandler {
  return (event, context) => {
    const log = logOfInvocation(ports.log, context.awsRequestId);
    return runOwnWork(event.Records, deadlineOf(ports.clock, context), { ...ports, log });
  };
}

/** The shipped adapters. The warm-up compares the tables with their record, which also opens the connection to them. */
export function inquirePorts(config: WorkerConfig, write: WriteLine): OwnWorkPorts & WarmUp {
  const { limits, secretPrefix: prefix } = config;
  const clock = createTableClock(systemClock);
  const log = functionLog(write);
  const aws = { limits, log };

  const sqs = newSqsClient(aws);
  const dynamodb = clock.watching(newDynamoDbClient(aws));
  const ledger = ledgerTable(config, dynamodb, clock);
  const lanesAndControls = controlsTable(config, dynamodb, clock);
  const client = newSecretsManagerClient(aws);
  const secrets = { client, prefix, ttlMs: limits.credentialsTtlMs, clock, log };
  const newKms = kmsClientOnDemand(aws);
  const signerFor = createKmsSigners(newKms);
  const metrics = createEmfMetrics({ write, nowMs: clock.nowMs, namespace: config.metricsNamespace });
  const macs = createKmsApprovalCheck({ newClient: newKms, keyId: config.approvalKeyId });
  const store = createDynamoDbSafeguards(batchesTable(config, dynamodb, clock));
  const guards = { store, macs, clock, ttlMs: limits.credentialsTtlMs };
  const known = createTablesComparison(config, { dynamodb, secrets: client, macs, nowMs: clock.nowMs });
  const restoration = createDynamoDbRestoration(ledger, known);
  const stored = createSecretsManagerCredentials({ ...secrets, signerFor });
  return {
    orders: ordersWithProof(ordersOf(ledger, restoration), { ...guards, random: systemRandom, log, metrics }),
    warmUp: () => restoration.role(),
    credentials: registeredCredentials({ credentials: stored, ...guards }),
    pacing: createPacing({ lanes: createDynamoDbLanes(lanesAndControls), clock, later }),
    waiting: { jobs: createDynamoDbWaiting(waitingTable(config, dynamodb, clock)) },
    dueWork: createDynamoDbDueWork(ledger),
    gateway: createHttpInquiries({ limits, ...clock }),
    results: createSqsResults({ client: sqs, queueUrl: config.resultsQueueUrl }),
    metrics,
    clock,
    random: systemRandom,
    log,
    limits,
  };
}

/** Called by AWS for each batch of the checks queue; answers with the records to be delivered again. */
export const handler: QueueHandler = await whileStarting(() => {
  const ports = inquirePorts(readWorkerConfig(), writeLine);
  return { handle: createInquire(ports), warmUp: ports.warmUp };
});
