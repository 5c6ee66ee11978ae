// What the door hands on → the order's facts. Wiring only. To read what becomes of a callback: lib/payout/inquire/handle-callback.ts (the
// journey) → callback-facts.ts there (what it proves) → lib/payout/order/reports.ts → lib/payout/order/record.ts; the result is marked
// there, and leaves by the order's check (lib/payout/inquire/run-own-work.ts).
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

/** The handler over the given ports; the last part of the address names the merchant. */
export function createCallback(ports: CallbackPorts): CallbackHandler {
  return async (message, context) => {
    const log = logOfInvocation(ports.log, context?.awsRequestId);
    return { answer: await handleCallback(incomingCallback(message), { ...ports, log }) };
  };
}

/** The shipped adapters. The warm-up reads the one secret by which every callback is checked first, and compares the tables. */
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
