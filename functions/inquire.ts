// Checks queue → ask the gateway about accepted and doubtful orders. Wiring only; the journey is lib/payout/inquire-order.ts.
import { readWorkerConfig } from '../lib/aws/env-config.ts';
import { createInquireHandler, createInquirePorts, type QueueHandler } from '../lib/composition.ts';

/** Runs once per cold start, at the first event. */
let inquire: QueueHandler | undefined;

/** Called by AWS for each batch of the checks queue; answers with the records to be delivered again. */
export const handler: QueueHandler = (event, context) => {
  inquire ??= createInquireHandler(createInquirePorts(readWorkerConfig(), (line) => process.stdout.write(`${line}\n`)));
  return inquire(event, context);
};
