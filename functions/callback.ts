// Callbacks, as the door hands them on → facts of their orders. Wiring only. The journey is lib/payout/inquire/handle-callback.ts; what a
// callback proves is in callback-facts.ts beside it. Then lib/payout/order/reports.ts and record.ts join the facts, and mark the result
// as unpublished; lib/payout/inquire/run-own-work.ts publishes it.
import { compose, provenOrders } from './compose.ts';
import { readWorkerConfig, type WorkerConfig } from '../lib/aws/env-config.ts';
import {
  type CallbackHandler,
  incomingCallback,
  logOfInvocation,
  type WarmUp,
  whileStarting,
  type WriteLine,
  writeLine,
} from '../lib/aws/lambda-handler.ts';
import { createSecretsManagerCredentials } from '../lib/aws/secrets-manager-credentials.ts';
import { createSecretsManagerControlKeys } from '../lib/aws/secrets-manager-control-keys.ts';
import { registeredCredentials } from '../lib/batches/safeguards.ts';
import { payneteasyCallbacks } from '../lib/gateway/payneteasy-callbacks.ts';
import { type CallbackPorts, handleCallback } from '../lib/payout/inquire/handle-callback.ts';

/** The handler over the given ports. */
export function createCallback(ports: CallbackPorts): CallbackHandler {
  return async (message, context) => {
    const log = logOfInvocation(ports.log, context?.awsRequestId);
    return { answer: await handleCallback(incomingCallback(message), { ...ports, log }) };
  };
}

/** The shipped adapters. The warm-up reads the control keys and compares the tables with their record. */
export function callbackPorts(config: WorkerConfig, write: WriteLine): CallbackPorts & WarmUp {
  const shared = compose(config, write);
  const { secrets, known, clock, random, metrics, log } = shared;
  const controlKeys = createSecretsManagerControlKeys(secrets);
  const credentials = createSecretsManagerCredentials(secrets);
  return {
    callbacks: payneteasyCallbacks,
    controlKeys,
    credentials: registeredCredentials({ credentials, ...shared.guards }),
    orders: provenOrders(shared),
    warmUp: () => Promise.allSettled([controlKeys.all(), known.verdict()]),
    clock,
    random,
    metrics,
    log,
  };
}

/** Invoked by the door. */
export const handler: Promise<CallbackHandler> = whileStarting(() => {
  const ports = callbackPorts(readWorkerConfig(), writeLine);
  return { handle: createCallback(ports), warmUp: ports.warmUp };
});
