// Jobs queues, and references to parked jobs → submit each job. Wiring only. The journey is lib/payout/submit/submit-job.ts.
import { compose, provenOrders } from './compose.ts';
import { createDynamoDbControls } from '../lib/aws/dynamodb-controls.ts';
import { createDynamoDbDayTotals } from '../lib/aws/dynamodb-day-totals.ts';
import { createDynamoDbLanes } from '../lib/aws/dynamodb-lanes.ts';
import { createDynamoDbWaiting } from '../lib/aws/dynamodb-waiting.ts';
import { readWorkerConfig, type WorkerConfig } from '../lib/aws/env-config.ts';
import { createKmsDataKeys } from '../lib/aws/kms-data-keys.ts';
import {
  deadlineOf,
  logOfInvocation,
  type QueueHandler,
  type WarmUp,
  whileStarting,
  type WriteLine,
  writeLine,
} from '../lib/aws/lambda-handler.ts';
import { createSecretsManagerCredentials } from '../lib/aws/secrets-manager-credentials.ts';
import {
  createSqsJobsQueue,
  createSqsOwnQueue,
  createSqsResults,
  isSameQueue,
  newSqsClient,
  newSqsClientSendingOnce,
} from '../lib/aws/sqs-queues.ts';
import { later } from '../lib/aws/system.ts';
import { approvalGate, createApprovals } from '../lib/batches/approval.ts';
import { createDynamoDbApprovals } from '../lib/batches/dynamodb-approvals.ts';
import { wakingBatches } from '../lib/batches/closed-batches.ts';
import { createDynamoDbClosedBatches } from '../lib/batches/dynamodb-closed-batches.ts';
import { guardedCredentials } from '../lib/batches/safeguards.ts';
import { createDynamoDbCardKeyStore } from '../lib/card-data/dynamodb-card-key-store.ts';
import { cardDataGate, createSingleUseCode } from '../lib/card-data/open-card-data.ts';
import { createJoseCardDecrypter } from '../lib/card-data/jose-card-decrypter.ts';
import { createSecretsManagerCardKeys } from '../lib/card-data/secrets-manager-card-keys.ts';
import { createHttpGateway } from '../lib/gateway/http-gateway.ts';
import { kernelGates } from '../lib/payout/gates.ts';
import { countedTogether } from '../lib/payout/operate/caps.ts';
import { createPacing } from '../lib/payout/pace/pacing.ts';
import { type JobsPorts, runJobs, runReferences } from '../lib/payout/submit/run-jobs.ts';
import { createKnownLanes } from '../lib/payout/wait/park.ts';
import { controlsWhileKnown } from '../lib/restore/while-known.ts';

/** The ports of the function. */
interface SubmitFunctionPorts extends JobsPorts {
  /** True for the queue of references. Default: never. */
  readonly isReferencesQueue?: (eventSourceArn: string) => boolean;
}

/** The handler over the given ports. */
export function createSubmit(ports: SubmitFunctionPorts): QueueHandler {
  return async (event, context) => {
    const log = logOfInvocation(ports.log, context.awsRequestId);
    const source = event.Records[0]?.eventSourceARN ?? '';
    const deadlineMs = deadlineOf(ports.clock, context);
    if (ports.isReferencesQueue?.(source)) {
      await runReferences(event.Records, deadlineMs, { ...ports, log });
      return { batchItemFailures: [] };
    }
    return runJobs(event.Records, deadlineMs, { ...ports, log });
  };
}

/**
 * The shipped adapters, over the AWS endpoints of the standard environment. The warm-up reads the worker's own secret, compares the
 * tables with their record, and reads the pause of all merchants.
 */
export function submitPorts(config: WorkerConfig, write: WriteLine): SubmitFunctionPorts & WarmUp {
  const shared = compose(config, write);
  const { aws, tables, secrets, guards, known, clock, random, metrics, log, limits } = shared;
  const sqs = newSqsClient(aws);
  const sqsSendingOnce = newSqsClientSendingOnce(aws);
  const orders = provenOrders(shared);
  const stored = createSecretsManagerCredentials(secrets);
  const cardDecrypter = createJoseCardDecrypter({ keys: createSecretsManagerCardKeys(secrets) });
  const controls = controlsWhileKnown(createDynamoDbControls(tables.controls), known);
  const credentials = guardedCredentials({ credentials: stored, ...guards });
  const approvals = createApprovals({
    credentials,
    batches: createDynamoDbApprovals(tables.batches),
    macs: guards.macs,
  });
  const lanes = createDynamoDbLanes(tables.controls);
  const pacing = createPacing({ lanes, clock, later });
  const gateway = createHttpGateway({ limits, ...clock });
  const spending = countedTogether(createDynamoDbDayTotals(tables.controls));
  const asking = { orders, credentials, gateway, pacing, clock, random };
  return {
    orders,
    credentials,
    fingerprinting: stored,
    gates: {
      'card-data': cardDataGate({ cardDecrypter }),
      approval: approvalGate(approvals),
      ...kernelGates({ credentials, controls, clock, pacing, orders, spending, asking }),
    },
    pacing,
    waiting: {
      jobs: createDynamoDbWaiting(tables.waiting),
      dataKeys: createKmsDataKeys({ newClient: shared.newKms, keyId: config.waitingKeyId, nowMs: clock.nowMs }),
    },
    knownLanes: createKnownLanes(lanes),
    controls,
    isReferencesQueue: (arn) => isSameQueue(arn, config.referencesQueueUrl),
    singleUse: createSingleUseCode(cardDecrypter, createDynamoDbCardKeyStore(tables.cardKeys)),
    gateway,
    jobsQueue: createSqsJobsQueue({ ...config, client: sqsSendingOnce }),
    warmUp: () => Promise.allSettled([stored.keys(), controls.of('*')]),
    results: wakingBatches(
      createSqsResults({ client: sqs, queueUrl: config.resultsQueueUrl }),
      createDynamoDbClosedBatches(tables.batches),
    ),
    ownQueue: createSqsOwnQueue({ client: sqsSendingOnce, queueUrl: config.checksQueueUrl }),
    metrics,
    clock,
    random,
    log,
    limits,
  };
}

/** Called by AWS for each batch of the jobs queue; answers with the records to be delivered again. */
export const handler: Promise<QueueHandler> = whileStarting(() => {
  const ports = submitPorts(readWorkerConfig(), writeLine);
  return { handle: createSubmit(ports), warmUp: ports.warmUp };
});
