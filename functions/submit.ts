// Jobs queue → submit each job. Wiring only; the journey is lib/payout/submit-job.ts.
import { readWorkerConfig } from '../lib/aws/env-config.ts';
import { createPorts, createSubmitHandler, type QueueHandler } from '../lib/composition.ts';

/** Runs once per cold start, at the first event: a wrong setting then fails the batch, which stays on the queue. */
let submit: QueueHandler | undefined;

/** Called by AWS for each batch of the jobs queue; answers with the records to be delivered again. */
export const handler: QueueHandler = (event, context) => {
  submit ??= createSubmitHandler(createPorts(readWorkerConfig(), (line) => process.stdout.write(`${line}\n`)));
  return submit(event, context);
};
