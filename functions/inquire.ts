// Checks queue → ask the gateway about accepted and doubtful orders. Wiring only.
// The journey is lib/payout/inquire/inquire-order.ts.
import { compose, provenOrders } from './compose.ts';
import { createDynamoDbDueWork } from '../lib/aws/dynamodb-due-work.ts';
import { createDynamoDbLanes } from '../lib/aws/dynamodb-lanes.ts';
import { createDynamoDbWaiting } from '../lib/aws/dynamodb-waiting.ts';
import { readWorkerConfig, type WorkerConfig } from '../lib/aws/env-config.ts';
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
import { wakingBatches } from '../lib/batches/closed-batches.ts';
import { createDynamoDbClosedBatches } from '../lib/batches/dynamodb-closed-batches.ts';
import { createSqsResults, newSqsClient } from '../lib/aws/sqs-queues.ts';
import { later } from '../lib/aws/system.ts';
import { registeredCredentials } from '../lib/batches/safeguards.ts';
import { createHttpInquiries } from '../lib/gateway/http-gateway.ts';
import { dueWorkWhileKnown } from '../lib/restore/while-known.ts';
import { createPacing } from '../lib/payout/pace/pacing.ts';
import { type OwnWorkPorts, runOwnWork } from '../lib/payout/inquire/run-own-work.ts';

/** The handler over the given ports. */
export function createInquire(ports: OwnWorkPorts): QueueHandler {
  return (event, context) => {
    const log = logOfInvocation(ports.log, context.awsRequestId);
    return runOwnWork(event.Records, deadlineOf(ports.clock, context), { ...ports, log });
  };
}

/** The shipped adapters. The warm-up compares the tables with their record, which also opens the connection to them. */
export function inquirePorts(config: WorkerConfig, write: WriteLine): OwnWorkPorts & WarmUp {
  const shared = compose(config, write);
  const { aws, tables, secrets, known, clock, random, metrics, log, limits } = shared;
  const credentials = createSecretsManagerCredentials(secrets);
  return {
    orders: provenOrders(shared),
    warmUp: () => known.verdict(),
    credentials: registeredCredentials({ credentials, ...shared.guards }),
    pacing: createPacing({ lanes: createDynamoDbLanes(tables.controls), clock, later }),
    waiting: { jobs: createDynamoDbWaiting(tables.waiting) },
    dueWork: dueWorkWhileKnown(createDynamoDbDueWork(tables.ledger), known),
    gateway: createHttpInquiries({ limits, ...clock }),
    results: wakingBatches(
      createSqsResults({ client: newSqsClient(aws), queueUrl: config.resultsQueueUrl }),
      createDynamoDbClosedBatches(tables.batches),
    ),
    metrics,
    clock,
    random,
    log,
    limits,
  };
}

/** Called by AWS for each batch of the checks queue; answers with the records to be delivered again. */
export const handler: Promise<QueueHandler> = whileStarting(() => {
  const ports = inquirePorts(readWorkerConfig(), writeLine);
  return { handle: createInquire(ports), warmUp: ports.warmUp };
});
