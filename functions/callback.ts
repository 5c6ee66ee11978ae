// Function URL ← the gateway's callback. Wiring only. To read what becomes of one: lib/payout/inquire/handle-callback.ts (the door) →
// resume-due.ts there (its order is due) → inquire-order.ts → inbox.ts → lib/payout/order/attribute.ts → lib/payout/order/record.ts →
// lib/payout/inquire/run-own-work.ts (the result leaves).
import { readWorkerConfig, type WorkerConfig } from '../lib/aws/env-config.ts';
import {
  type CallbackHandler,
  functionLog,
  incomingCallback,
  logOfInvocation,
  whileStarting,
  type WriteLine,
  writeLine,
} from '../lib/aws/lambda-handler.ts';
import { ledgerTable, newDynamoDbClient } from '../lib/aws/dynamodb-table.ts';
import { newSecretsManagerClient } from '../lib/aws/secrets-manager-credentials.ts';
import { createSecretsManagerControlKeys } from '../lib/aws/secrets-manager-control-keys.ts';
import { createSqsCallbacksQueue, newSqsClient } from '../lib/aws/sqs-queues.ts';
import { systemClock } from '../lib/aws/system.ts';
import { createTableClock } from '../lib/aws/table-clock.ts';
import { payneteasyCallbacks } from '../lib/gateway/payneteasy-callbacks.ts';
import { type CallbackPorts, createCallbackDoor, handleCallback } from '../lib/payout/inquire/handle-callback.ts';
import { createDynamoDbRestoration, ordersOf } from '../lib/restore/dynamodb-restoration.ts';
import { createEmfMetrics } from '../lib/aws/cloudwatch-lines.ts';

/** The handler over the given ports; the last part of the request's path names the merchant. */
export function createCallback(ports: CallbackPorts): CallbackHandler {
  return async (event, context) => {
    const log = logOfInvocation(ports.log, context?.awsRequestId);
    return { statusCode: await handleCallback(incomingCallback(event), { ...ports, log }), body: '' };
  };
}

/** The shipped adapters. This function signs nothing, so it has no client of KMS. */
export function callbackPorts(config: WorkerConfig, write: WriteLine): CallbackPorts {
  const { limits, secretPrefix: prefix } = config;
  const clock = createTableClock(systemClock);
  const log = functionLog(write);
  const aws = { limits, log };

  const sqs = newSqsClient(aws);
  const ledger = ledgerTable(config, clock.watching(newDynamoDbClient(aws)), clock);
  const client = newSecretsManagerClient(aws);
  return {
    callbacks: payneteasyCallbacks,
    controlKeys: createSecretsManagerControlKeys({ client, prefix, ttlMs: limits.credentialsTtlMs, clock, log }),
    door: createCallbackDoor(clock),
    orders: ordersOf(ledger, createDynamoDbRestoration(ledger)),
    callbacksQueue: createSqsCallbacksQueue({ client: sqs, queueUrl: config.callbacksQueueUrl }),
    clock,
    metrics: createEmfMetrics({ write, nowMs: clock.nowMs, namespace: config.metricsNamespace }),
    log,
  };
}

/** Called by AWS for each request to the function URL. */
export const handler: CallbackHandler = await whileStarting(() => {
  const ports = callbackPorts(readWorkerConfig(), writeLine);
  // The one secret by which every callback is checked. The gateway waits for the answer, and calls once or twice about an end.
  return { handle: createCallback(ports), warmUp: () => ports.controlKeys.all() };
});
