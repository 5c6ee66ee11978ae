// Schedule → bring dead letters back that it is safe and useful to send again. Wiring only; the rules are
// lib/dead-letters/redrive-due.ts. Off until somebody switches its schedule on.
import { readWorkerConfig } from '../lib/aws/env-config.ts';
import { createDeadLetterPorts, createRedriveHandler, type SweepHandler } from '../lib/composition.ts';

/** Runs once per cold start, at the first event. */
let redrive: SweepHandler | undefined;

/** Called by AWS as its schedule says. */
export const handler: SweepHandler = (event, context) => {
  redrive ??= createRedriveHandler(
    createDeadLetterPorts(readWorkerConfig(), (line) => process.stdout.write(`${line}\n`)),
  );
  return redrive(event, context);
};
