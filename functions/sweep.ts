// Schedule → set moving again whatever stands still. Wiring only; the rule is lib/payout/sweep.ts.
import { readWorkerConfig } from '../lib/aws/env-config.ts';
import { createSweepHandler, createSweepPorts, type SweepHandler } from '../lib/composition.ts';

/** Runs once per cold start, at the first event. */
let sweep: SweepHandler | undefined;

/** Called by AWS every minute. */
export const handler: SweepHandler = (event, context) => {
  sweep ??= createSweepHandler(createSweepPorts(readWorkerConfig(), (line) => process.stdout.write(`${line}\n`)));
  return sweep(event, context);
};
