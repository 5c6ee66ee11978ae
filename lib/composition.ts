// The composition root: settings to adapters to handler, once per cold start. Only it (with its parts for the ledger's
// table and for what several functions share) names concrete adapters: swapping one is a change here and nowhere else.
import { KMSClient } from '@aws-sdk/client-kms';
import type { SQSClient } from '@aws-sdk/client-sqs';
import type { Context, SQSBatchResponse, SQSEvent } from 'aws-lambda';
import { type FunctionUrlEvent, incomingCallback } from './aws/function-url.ts';
import type { WorkerConfig } from './aws/env-config.ts';
import { silentLog } from './aws/json-logger.ts';
import { createKmsSigners } from './aws/kms-signer.ts';
import { createJoseCardDecrypter } from './card-data/jose-card-decrypter.ts';
import { rsaKeyMaker } from './merchants/rsa-key-maker.ts';
import { createSecretsManagerCardKeys } from './card-data/secrets-manager-card-keys.ts';
import { createSecretsManagerAdmin } from './merchants/secrets-manager-admin.ts';
import { createSqsChecksQueue } from './aws/sqs-checks-queue.ts';
import { createSqsDeadLetters } from './dead-letters/sqs-dead-letters.ts';
import { createSqsJobsQueue } from './aws/sqs-jobs-queue.ts';
import { createSqsBatchResults } from './batches/sqs-batch-results.ts';
import { systemClock } from './aws/system.ts';
import { logAwsFailures } from './aws/log-aws-failures.ts';
import type { DiscardPorts } from './dead-letters/discard-dead-letter.ts';
import type { RotatePorts } from './merchants/rotate-key.ts';
import { redriveDue, type RedriveDuePorts } from './dead-letters/redrive-due.ts';
import { createApprovals } from './batches/check-approval.ts';
import { type CallbackPorts, handleCallback } from './payout/handle-callback.ts';
import { type ChecksBatchPorts, runChecks } from './payout/run-inquiries.ts';
import { logOfInvocation } from './payout/log-lines.ts';
import type { Clock, Log } from './payout/ports.ts';
import { batchesRound } from './batches/sweep-batches.ts';
import { restorationRound } from './restore/sweep-restoration.ts';
import { type BatchPorts, runBatch } from './payout/run-jobs.ts';
import { sweep, type SweepPorts } from './payout/sweep.ts';
import { commonPorts, logTo, metricsOf, queueDepthsOf, sqsOf, type WriteLine } from './composition-parts.ts';
import {
  allOrdersOf,
  awsClient,
  batchesOf,
  batchRowsOf,
  controlsOf,
  grantsOf,
  openWorkOf,
  type Table,
  tableItselfOf,
  tableOf,
  workerControlsOf,
} from './composition-tables.ts';

/** A Lambda handler for a batch of a queue. */
export type QueueHandler = (
  event: SQSEvent,
  context: Pick<Context, 'getRemainingTimeInMillis'> & Partial<Pick<Context, 'awsRequestId'>>,
) => Promise<SQSBatchResponse>;

/** A Lambda handler for a function URL. */
export type CallbackHandler = (
  event: FunctionUrlEvent,
  context?: Partial<Pick<Context, 'awsRequestId'>>,
) => Promise<{ statusCode: number; body: string }>;

/** A Lambda handler for a schedule. */
export type SweepHandler = (event: unknown, context: Pick<Context, 'getRemainingTimeInMillis'>) => Promise<void>;

/** The handler of the jobs queue over the given ports. */
export function createSubmitHandler(ports: BatchPorts): QueueHandler {
  return (event, context) => {
    const log = logOfInvocation(ports.log, context.awsRequestId);
    return runBatch(event.Records, deadlineOf(ports.clock, context), { ...ports, log });
  };
}

/** The handler of the checks queue over the given ports. */
export function createInquireHandler(ports: ChecksBatchPorts): QueueHandler {
  return (event, context) => {
    const log = logOfInvocation(ports.log, context.awsRequestId);
    return runChecks(event.Records, deadlineOf(ports.clock, context), { ...ports, log });
  };
}

/** The scheduled sweeper over the given ports. */
export function createSweepHandler(ports: SweepPorts): SweepHandler {
  return async (_event, context) => {
    await sweep(deadlineOf(ports.clock, context) - sweepReserveMs, ports);
  };
}

/** The scheduled redrive over the given ports, by the rules of their limits. */
export function createRedriveHandler(ports: RedriveDuePorts & Pick<WorkerConfig, 'limits'>): SweepHandler {
  const { redriveAfterSeconds: afterSeconds, redriveBudget: budget, redriveTimes: timesAtMost } = ports.limits;
  return async (_event, context) => {
    const untilMs = deadlineOf(ports.clock, context) - sweepReserveMs;
    await redriveDue({ afterSeconds, budget, timesAtMost }, ports, { untilMs });
  };
}

/** The function URL that the gateway calls back, over the given ports; the last part of its path names the merchant. */
export function createCallbackHandler(ports: CallbackPorts): CallbackHandler {
  return async (event, context) => {
    const log = logOfInvocation(ports.log, context?.awsRequestId);
    return { statusCode: await handleCallback(incomingCallback(event), { ...ports, log }), body: '' };
  };
}

/** Kept back to send what was found and to publish the figures. */
const sweepReserveMs = 10_000;

function deadlineOf(clock: Clock, context: Pick<Context, 'getRemainingTimeInMillis'>): number {
  return clock.nowMs() + context.getRemainingTimeInMillis();
}

/** Keys that never leave KMS; only functions that sign carry its client. */
const kmsSigners = (log: Log) => createKmsSigners(() => logAwsFailures(new KMSClient(awsClient), log));

/** The shipped adapters of the submit function, over whatever AWS endpoints the standard environment names. */
export function createPorts(config: WorkerConfig, writeLine: WriteLine): BatchPorts {
  const { sqs, table, secretsManager, ...common } = commonPorts(config, writeLine, kmsSigners);
  const { jobsQueueUrl, deadLetterQueueUrl } = config;
  const controls = workerControlsOf(table);
  const jobsQueue = createSqsJobsQueue({ client: sqs, jobsQueueUrl, deadLetterQueueUrl });
  const cardDecrypter = createJoseCardDecrypter({ keys: createSecretsManagerCardKeys(secretsManager) });
  const approvals = createApprovals({ ...common, batches: grantsOf(table) });
  return { ...common, jobsQueue, controls, spending: controls, rowNotes: batchRowsOf(table), cardDecrypter, approvals };
}

/** The shipped adapters of the inquire function. */
export function createInquirePorts(config: WorkerConfig, writeLine: WriteLine): ChecksBatchPorts {
  return commonPorts(config, writeLine, kmsSigners);
}

/** The shipped adapters of the sweep function. */
export function createSweepPorts(config: WorkerConfig, writeLine: WriteLine): SweepPorts {
  const log = logTo(writeLine);
  const sqs = sqsOf(log);
  const table = tableOf(config, log);
  const clock = systemClock;
  const batches = { ...batchPortsOf(config, sqs, table), clock, log };
  return {
    dueWork: openWorkOf(table),
    checksQueue: createSqsChecksQueue({ client: sqs, queueUrl: config.checksQueueUrl }),
    queueDepths: queueDepthsOf(config, sqs),
    controlsAdmin: controlsOf(table),
    rounds: [restorationRound(table.restoration), batchesRound(batches)],
    metrics: metricsOf(config, writeLine),
    doubtAlarm: config.doubtAlarm,
    clock,
  };
}

/** The shipped adapters of the callback function. */
export function createCallbackPorts(config: WorkerConfig, writeLine: WriteLine): CallbackPorts {
  return commonPorts(config, writeLine);
}

/** Everything that the operator's tool needs. */
export function createOperatorPorts(config: WorkerConfig) {
  const { sqs, table, ...common } = commonPorts(config, () => {}, kmsSigners);
  const desks = { allOrders: allOrdersOf(table), dueWork: openWorkOf(table), controlsAdmin: controlsOf(table) };
  return { ...common, ...batchPortsOf(config, sqs, table), ...desks };
}

function batchPortsOf({ resultsQueueUrl: queueUrl }: WorkerConfig, client: SQSClient, table: Table) {
  return {
    batches: batchesOf(table),
    batchRows: batchRowsOf(table),
    batchResults: createSqsBatchResults({ client, queueUrl }),
  };
}

/** The shipped adapters of whoever looks after dead letters. */
export function createDeadLetterPorts(
  config: WorkerConfig,
  writeLine: WriteLine,
): DiscardPorts & RedriveDuePorts & Pick<WorkerConfig, 'limits'> {
  const { sqs, table, ...common } = commonPorts(config, writeLine);
  const { jobsQueueUrl, deadLetterQueueUrl } = config;
  const controls = workerControlsOf(table);
  const deadLetters = createSqsDeadLetters({ client: sqs, jobsQueueUrl, deadLetterQueueUrl });
  const approvals = createApprovals({ ...common, batches: grantsOf(table) });
  return { ...common, rowNotes: batchRowsOf(table), deadLetters, controls, dayTotals: controls, approvals };
}

/** Everything that it takes to look after merchants' keys. */
export function createKeyPorts(config: WorkerConfig): RotatePorts {
  const {
    gateway,
    clock,
    random,
    secretsManager: { client },
  } = commonPorts(config, () => {});
  const signerFor = kmsSigners(silentLog);
  const secretAdmin = createSecretsManagerAdmin({ client, prefix: config.secretPrefix, signerFor });
  return { secretAdmin, keyMaker: rsaKeyMaker, gateway, clock, random };
}

/** The table, whatever it says of itself: for whoever takes a restored one into service. */
export function createRestorePorts(config: WorkerConfig) {
  const table = tableOf(config, silentLog);
  const { restoration } = table;
  const desks = { ledger: tableItselfOf(table), dueWork: openWorkOf(table), controlsAdmin: controlsOf(table) };
  const queueDepths = queueDepthsOf(config, sqsOf(silentLog));
  return { ...desks, queueDepths, restoration, restoreAdmin: restoration, clock: systemClock };
}
