// AWS as the commands use it: on files that are submitted and approved, and on batches that are there.
import { createDynamoDbAllOrders } from '../../aws/dynamodb-all-orders.ts';
import { createDynamoDbControls } from '../../aws/dynamodb-controls.ts';
import { createDynamoDbDayTotals } from '../../aws/dynamodb-day-totals.ts';
import { createDynamoDbDrainRights } from '../../aws/dynamodb-drain-rights.ts';
import { createDynamoDbLanes } from '../../aws/dynamodb-lanes.ts';
import { createDynamoDbWaiting } from '../../aws/dynamodb-waiting.ts';
import { newDynamoDbClient } from '../../aws/dynamodb-client.ts';
import { batchesTable, cardKeysTable, controlsTable, ledgerTable, waitingTable } from '../../aws/dynamodb-table.ts';
import { readWorkerConfig, type WorkerConfig } from '../../aws/env-config.ts';
import { kmsClientOnDemand } from '../../aws/kms-client.ts';
import { newSecretsManagerClient } from '../../aws/secrets-manager-client.ts';
import { createSecretsManagerCredentials } from '../../aws/secrets-manager-credentials.ts';
import { newStsClient } from '../../aws/sts-client.ts';
import { systemClock, systemRandom } from '../../aws/system.ts';
import type { Batches, Identity, JobSender } from '../../batches/batch-ports.ts';
import type { KnownOrders } from '../../batches/known-orders.ts';
import {
  createDynamoDbBatchRows,
  createDynamoDbKnownOrders,
  createDynamoDbOrderChanges,
} from '../../batches/dynamodb-batch-rows.ts';
import { createDynamoDbBatches } from '../../batches/dynamodb-batches.ts';
import { createDynamoDbSafeguards } from '../../batches/dynamodb-safeguards.ts';
import { createKmsApprovalCheck, createKmsApprovalMaker } from '../../batches/kms-approvals.ts';
import { guardedCredentials } from '../../batches/safeguards.ts';
import { createSqsBatchResults, createSqsJobSender } from '../../batches/sqs-batch-queues.ts';
import { createStsIdentity } from '../../batches/sts-identity.ts';
import type { CardKeyStore } from '../../card-data/sealed-params.ts';
import { createDynamoDbCardKeyStore } from '../../card-data/dynamodb-card-key-store.ts';
import { patientAwsCalls } from '../../payout/limits.ts';
import type { DayTotals } from '../../payout/operate/control.ts';
import type { Clock, Fingerprinting, Random } from '../../payout/ports.ts';
import { type Balances, createGatewayBalances } from '../gateway-question.ts';
import { configured } from '../command-line.ts';
import { createSqsDeadLetters } from '../../dead-letters/sqs-dead-letters.ts';
import type { ApprovalMaker } from '../../batches/approval.ts';
import { silentLog } from '../../aws/cloudwatch-lines.ts';
import type { Credentials, MerchantCredentials } from '../../gateway/ports.ts';
import { newSqsClient } from '../../aws/sqs-queues.ts';

/** All that a file needs on its way to the queue. */
export interface SubmissionPorts {
  readonly batches: Batches;
  readonly credentials: Credentials<MerchantCredentials>;
  readonly sender: JobSender;
  /** Where the keys of CVVs are left. */
  readonly cardKeys: CardKeyStore;
  readonly identity: Identity;
  /** For approvers alone. */
  readonly maker: ApprovalMaker;
  readonly clock: Clock;
  readonly random: Random;
  /** The keys of digests by which the same payment is found in another batch. */
  readonly fingerprinting: Fingerprinting;
  readonly dayTotals: DayTotals;
  readonly balances: Balances;
  /** The ledger's orders of the rows. */
  readonly knownOrders: KnownOrders;
  /** The prefix of the names of merchants' secrets. */
  readonly secretPrefix: string;
}

/** The ports by the worker's settings. Throws ConfigurationError where they are missing. */
export function createSubmitPorts(): SubmissionPorts {
  const config = readWorkerConfig();
  const { limits, secretPrefix: prefix } = config;
  const clock = systemClock;
  const aws = { limits: patientAwsCalls };
  const dynamodb = newDynamoDbClient(aws);
  const { workerSecretId } = config;
  const secrets = { prefix, workerSecretId, ttlMs: limits.credentialsTtlMs, clock, log: silentLog };
  const stored = createSecretsManagerCredentials({ ...secrets, client: newSecretsManagerClient(aws) });
  const batches = batchesTable(config, dynamodb);
  const approvalKey = { newClient: kmsClientOnDemand(aws), keyId: config.approvalKeyId };
  const credentials = guardedCredentials({
    credentials: stored,
    store: createDynamoDbSafeguards(batches),
    macs: createKmsApprovalCheck(approvalKey),
    clock,
    ttlMs: limits.credentialsTtlMs,
  });
  return {
    batches: createDynamoDbBatches(batches),
    // Profiles are read, and no order is signed: the one request is that for a balance.
    credentials,
    fingerprinting: stored,
    dayTotals: createDynamoDbDayTotals(controlsTable(config, dynamodb)),
    balances: createGatewayBalances(limits),
    knownOrders: createDynamoDbKnownOrders(ledgerTable(config, dynamodb)),
    sender: createSqsJobSender({ client: newSqsClient(aws), queueUrl: config.batchJobsQueueUrl }),
    cardKeys: createDynamoDbCardKeyStore(cardKeysTable(config, dynamodb)),
    identity: createStsIdentity(newStsClient(aws)),
    maker: createKmsApprovalMaker(approvalKey),
    clock,
    random: systemRandom,
    secretPrefix: prefix,
  };
}

/** Batches, their rows, and every order. */
export type BatchCommandPorts = ReturnType<typeof createBatchPorts>;

function createBatchPorts(config: WorkerConfig) {
  const aws = { limits: config.limits };
  const dynamodb = newDynamoDbClient(aws);
  const table = ledgerTable(config, dynamodb);
  return {
    batches: createDynamoDbBatches(batchesTable(config, dynamodb)),
    batchRows: createDynamoDbBatchRows(table),
    orderChanges: createDynamoDbOrderChanges(table),
    batchResults: createSqsBatchResults({ client: newSqsClient(aws), queueUrl: config.resultsQueueUrl }),
    knownOrders: createDynamoDbKnownOrders(table),
    allOrders: createDynamoDbAllOrders(table),
    lanes: createDynamoDbLanes(controlsTable(config, dynamodb)),
    drainRights: createDynamoDbDrainRights(controlsTable(config, dynamodb)),
    waiting: createDynamoDbWaiting(waitingTable(config, dynamodb)),
    controls: createDynamoDbControls(controlsTable(config, dynamodb)),
    deadLetters: createSqsDeadLetters({ ...config, client: newSqsClient(aws) }),
    clock: systemClock,
    log: silentLog,
    /** The prefix of the names of merchants' secrets. */
    secretPrefix: config.secretPrefix,
  };
}

/** The ports by the worker's settings; a usage error where they are missing. */
export const batchPorts = (): BatchCommandPorts => configured(createBatchPorts);
