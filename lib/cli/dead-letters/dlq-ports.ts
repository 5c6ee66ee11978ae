// AWS as the commands on dead letters use it: what judges a letter and moves it, and what it takes to end one.
import { newDynamoDbClient } from '../../aws/dynamodb-client.ts';
import { createDynamoDbControls } from '../../aws/dynamodb-controls.ts';
import { createDynamoDbDayTotals } from '../../aws/dynamodb-day-totals.ts';
import { createDynamoDbLanes } from '../../aws/dynamodb-lanes.ts';
import { batchesTable, controlsTable, ledgerTable } from '../../aws/dynamodb-table.ts';
import type { WorkerConfig } from '../../aws/env-config.ts';
import { kmsClientOnDemand } from '../../aws/kms-client.ts';
import { functionLog, type WriteLine } from '../../aws/lambda-handler.ts';
import { newSecretsManagerClient } from '../../aws/secrets-manager-client.ts';
import { createSecretsManagerCredentials } from '../../aws/secrets-manager-credentials.ts';
import { createSqsResults, newSqsClient } from '../../aws/sqs-queues.ts';
import { systemClock, systemRandom } from '../../aws/system.ts';
import { closedApprovalGate, createApprovals } from '../../batches/approval.ts';
import { createDynamoDbApprovals } from '../../batches/dynamodb-approvals.ts';
import { createDynamoDbSafeguards } from '../../batches/dynamodb-safeguards.ts';
import { createDynamoDbRowNotes } from '../../batches/dynamodb-row-notes.ts';
import { createKmsApprovalCheck } from '../../batches/kms-approvals.ts';
import { guardedCredentials } from '../../batches/safeguards.ts';
import { closedCardDataGate } from '../../card-data/open-card-data.ts';
import type { DiscardPorts } from '../../dead-letters/discard-dead-letter.ts';
import type { RedrivePorts } from '../../dead-letters/redrive-dead-letters.ts';
import { createSqsDeadLetters } from '../../dead-letters/sqs-dead-letters.ts';
import { inGateOrder, kernelGates } from '../../payout/gates.ts';
import { plannedPacing } from '../../payout/lanes/pacing.ts';
import { createDynamoDbRestoration, ordersOf } from '../../restore/dynamodb-restoration.ts';
import { controlsAfterRestore } from '../../restore/restored-orders.ts';

/** The ports by the settings; the log says who threw what away. */
export function createDeadLetterPorts(config: WorkerConfig, write: WriteLine): DiscardPorts & RedrivePorts {
  const { limits, secretPrefix: prefix } = config;
  const clock = systemClock;
  const log = functionLog(write);
  // A refusal of AWS is explained to the person.
  const aws = { limits };

  const dynamodb = newDynamoDbClient(aws);
  const table = ledgerTable(config, dynamodb);
  const lanesAndControls = controlsTable(config, dynamodb);
  const sqs = newSqsClient(aws);
  const restoration = createDynamoDbRestoration(table);
  const controls = controlsAfterRestore(createDynamoDbControls(lanesAndControls), restoration);
  const secrets = { client: newSecretsManagerClient(aws), prefix, ttlMs: limits.credentialsTtlMs, clock, log };
  const stored = createSecretsManagerCredentials({ ...secrets, workerSecretId: config.workerSecretId });
  const macs = createKmsApprovalCheck({ newClient: kmsClientOnDemand(aws), keyId: config.approvalKeyId });
  const batches = batchesTable(config, dynamodb);
  const guards = { store: createDynamoDbSafeguards(batches), macs, clock, ttlMs: limits.credentialsTtlMs };
  const credentials = guardedCredentials({ credentials: stored, ...guards });
  const approvals = createApprovals({ credentials, batches: createDynamoDbApprovals(batches), macs });
  const pacing = plannedPacing({ lanes: createDynamoDbLanes(lanesAndControls), clock });
  const orders = ordersOf(table, restoration);
  return {
    orders,
    credentials,
    fingerprinting: stored,
    // The worker's gates in the worker's order; without card keys, no seal is opened.
    gates: inGateOrder({
      'card-data': closedCardDataGate({ credentials }),
      approval: closedApprovalGate(approvals),
      ...kernelGates({ credentials, controls, clock, pacing, orders }),
    }),
    dayTotals: createDynamoDbDayTotals(lanesAndControls),
    deadLetters: createSqsDeadLetters({ ...config, client: sqs }),
    results: createSqsResults({ client: sqs, queueUrl: config.resultsQueueUrl }),
    rowNotes: createDynamoDbRowNotes(table),
    clock,
    random: systemRandom,
    log,
    limits,
  };
}
