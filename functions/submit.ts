// Jobs queues, and references to parked jobs → submit each job. Wiring only. The journey is lib/payout/submit/submit-job.ts.
import { createDynamoDbControls } from '../lib/aws/dynamodb-controls.ts';
import { createDynamoDbDayTotals } from '../lib/aws/dynamodb-day-totals.ts';
import { createDynamoDbLanes, lanesReadAhead } from '../lib/aws/dynamodb-lanes.ts';
import {
  batchesTable,
  cardKeysTable,
  controlsTable,
  ledgerTable,
  waitingTable,
  newDynamoDbClient,
} from '../lib/aws/dynamodb-table.ts';
import { createDynamoDbWaiting } from '../lib/aws/dynamodb-waiting.ts';
import { readWorkerConfig, type WorkerConfig } from '../lib/aws/env-config.ts';
import { createKmsSigners, kmsClientOnDemand } from '../lib/aws/kms-client.ts';
import { createKmsDataKeys } from '../lib/aws/kms-data-keys.ts';
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
import {
  createSqsJobsQueue,
  createSqsOwnQueue,
  createSqsResults,
  isSameQueue,
  newSqsClient,
  newSqsClientSendingOnce,
} from '../lib/aws/sqs-queues.ts';
import { later, systemClock, systemRandom } from '../lib/aws/system.ts';
import { createTableClock } from '../lib/aws/table-clock.ts';
import { ordersWithProof } from '../lib/batches/proven-decisions.ts';
import { approvalGate, createApprovals } from '../lib/batches/approval.ts';
import { createDynamoDbApprovals } from '../lib/batches/dynamodb-approvals.ts';
import { createDynamoDbSafeguards } from '../lib/batches/dynamodb-safeguards.ts';
import { createKmsApprovalCheck } from '../lib/batches/kms-approvals.ts';
import { createDynamoDbRowNotes } from '../lib/batches/dynamodb-row-notes.ts';
import { guardedCredentials } from '../lib/batches/safeguards.ts';
import { createDynamoDbCardKeyStore } from '../lib/card-data/dynamodb-card-key-store.ts';
import { cardDataGate, createSingleUseCode } from '../lib/card-data/open-card-data.ts';
import { createJoseCardDecrypter } from '../lib/card-data/jose-card-decrypter.ts';
import { createSecretsManagerCardKeys } from '../lib/card-data/secrets-manager-card-keys.ts';
import { createHttpGateway } from '../lib/gateway/http-gateway.ts';
import { inGateOrder, kernelGates } from '../lib/payout/gates.ts';
import { createAskBeforeSending } from '../lib/payout/inquire/ask-before-sending.ts';
import { createCapCounter } from '../lib/payout/operate/caps.ts';
import { createPacing } from '../lib/payout/pace/pacing.ts';
import { type JobsPorts, runJobs, runReferences } from '../lib/payout/submit/run-jobs.ts';
import { createKnownLanes } from '../lib/payout/wait/park.ts';
import { createTablesComparison } from '../lib/restore/dynamodb-known-tables.ts';
import { createDynamoDbRestoration, ordersOf } from '../lib/restore/dynamodb-restoration.ts';
import { controlsAfterRestore, rowNotesAfterRestore } from '../lib/restore/restored-orders.ts';
import { createEmfMetrics } from '../lib/aws/cloudwatch-lines.ts';

/** The ports of the function. */
interface SubmitFunctionPorts extends JobsPorts {
  /** True for the queue of references; without it, no event comes from there. */
  readonly isReferencesQueue?: (eventSourceArn: string) => boolean;
}

/** The handler over the given ports. */
export function createSubmit({ readAhead, ...ports }: SubmitFunctionPorts): QueueHandler {
  let isFirst = true;
  return async (event, context) => {
    const log = logOfInvocation(ports.log, context.awsRequestId);
    const source = event.Records[0]?.eventSourceARN ?? '';
    const deadlineMs = deadlineOf(ports.clock, context);
    if (ports.isReferencesQueue?.(source)) {
      await runReferences(event.Records, deadlineMs, { ...ports, log });
      return { batchItemFailures: [] };
    }
    // A new process has read nothing yet: it reads all at once, where the gates would ask one after the other.
    const first = isFirst && readAhead ? { readAhead } : {};
    isFirst = false;
    return runJobs(event.Records, deadlineMs, { ...ports, ...first, log });
  };
}

/**
 * The shipped adapters, over whatever AWS endpoints the standard environment names. The warm-up reads the worker's own secret,
 * compares the tables with their record, and asks whether all merchants are paused.
 */
export function submitPorts(config: WorkerConfig, write: WriteLine): SubmitFunctionPorts & WarmUp {
  const { limits, secretPrefix: prefix } = config;
  const clock = createTableClock(systemClock);
  const log = functionLog(write);
  const aws = { limits, log };
  const sqs = newSqsClient(aws);
  const sqsSendingOnce = newSqsClientSendingOnce(aws);
  const dynamodb = clock.watching(newDynamoDbClient(aws));
  const ledger = ledgerTable(config, dynamodb, clock);
  const lanesAndControls = controlsTable(config, dynamodb, clock);
  const cvvKeys = createDynamoDbCardKeyStore(cardKeysTable(config, dynamodb, clock));
  const client = newSecretsManagerClient(aws);
  const secrets = { client, prefix, ttlMs: limits.credentialsTtlMs, clock, log };
  const newKms = kmsClientOnDemand(aws);
  const signerFor = createKmsSigners(newKms);
  const stored = createSecretsManagerCredentials({ ...secrets, workerSecretId: config.workerSecretId, signerFor });
  const cardDecrypter = createJoseCardDecrypter({ keys: createSecretsManagerCardKeys(secrets) });
  const macs = createKmsApprovalCheck({ newClient: newKms, keyId: config.approvalKeyId });
  const known = createTablesComparison(config, { dynamodb, secrets: client, macs, nowMs: clock.nowMs });
  const restoration = createDynamoDbRestoration(ledger, known);
  const controls = controlsAfterRestore(createDynamoDbControls(lanesAndControls), restoration);
  const batches = batchesTable(config, dynamodb, clock);
  const guards = { store: createDynamoDbSafeguards(batches), macs, clock, ttlMs: limits.credentialsTtlMs };
  const credentials = guardedCredentials({ credentials: stored, ...guards });
  const approvals = createApprovals({ credentials, batches: createDynamoDbApprovals(batches), macs });
  const metrics = createEmfMetrics({ write, nowMs: clock.nowMs, namespace: config.metricsNamespace });
  const lanes = lanesReadAhead(createDynamoDbLanes(lanesAndControls));
  const pacing = createPacing({ lanes, clock, later });
  const gateway = createHttpGateway({ limits, ...clock });
  const caps = createCapCounter(createDynamoDbDayTotals(lanesAndControls));
  const orders = ordersWithProof(ordersOf(ledger, restoration), { ...guards, random: systemRandom, log, metrics });
  const asking = { orders, credentials, gateway, pacing, clock, random: systemRandom };
  const asksFirst = createAskBeforeSending(asking);
  return {
    orders,
    credentials,
    fingerprinting: stored,
    gates: inGateOrder({
      'card-data': cardDataGate({ cardDecrypter }),
      approval: approvalGate(approvals),
      ...kernelGates({ credentials, controls, clock, pacing, orders, caps, asksFirst }),
    }),
    pacing,
    waiting: {
      jobs: createDynamoDbWaiting(waitingTable(config, dynamodb, clock)),
      dataKeys: createKmsDataKeys({ newClient: newKms, keyId: config.waitingKeyId, nowMs: clock.nowMs }),
    },
    knownLanes: createKnownLanes(lanes),
    controls,
    isReferencesQueue: (arn) => isSameQueue(arn, config.referencesQueueUrl),
    singleUse: createSingleUseCode(cardDecrypter, cvvKeys),
    gateway,
    jobsQueue: createSqsJobsQueue({ ...config, client: sqsSendingOnce }),
    readAhead: (job) => {
      const { merchant, batchId } = job;
      return Promise.allSettled([credentials.of(merchant), controls.of(merchant, batchId), lanes.begin(job)]);
    },
    warmUp: () => Promise.allSettled([stored.keys(), controls.of('*')]),
    results: createSqsResults({ client: sqs, queueUrl: config.resultsQueueUrl }),
    ownQueue: createSqsOwnQueue({ client: sqsSendingOnce, queueUrl: config.checksQueueUrl }),
    rowNotes: rowNotesAfterRestore(createDynamoDbRowNotes(ledger), restoration),
    metrics,
    clock,
    random: systemRandom,
    log,
    limits,
  };
}

/** Called by AWS for each batch of the jobs queue; answers with the records to be delivered again. */
export const handler: QueueHandler = await whileStarting(() => {
  const ports = submitPorts(readWorkerConfig(), writeLine);
  return { handle: createSubmit(ports), warmUp: ports.warmUp };
});
