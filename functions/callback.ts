// Function URL ← the gateway's callback. Wiring only; what a callback may do is lib/payout/handle-callback.ts.
import { readWorkerConfig } from '../lib/aws/env-config.ts';
import { type CallbackHandler, createCallbackHandler, createCallbackPorts } from '../lib/composition.ts';

/** Runs once per cold start, at the first request. */
let callback: CallbackHandler | undefined;

/** Called by AWS for each request to the function URL. */
export const handler: CallbackHandler = (event, context) => {
  callback ??= createCallbackHandler(
    createCallbackPorts(readWorkerConfig(), (line) => process.stdout.write(`${line}\n`)),
  );
  return callback(event, context);
};
