// Before the claim: may this job be started now, later, or not at all?
import { type ControlsVerdict, reasonToWait } from './control.ts';
import type { Job } from './job.ts';
import type { Controls } from './control-ports.ts';
import type { Credentials } from './ports.ts';

/** What asking leave needs. */
export interface CheckControlsPorts {
  readonly controls: Controls;
  readonly credentials: Credentials;
}

/**
 * Asks the controls. Where they were never read and can't be read now, the job waits: nobody knows that it may start.
 * A message about an order that has ended waits too, and tells its result again later: asking the ledger first would
 * cost each job a read, and what waits is lost to nobody.
 */
export async function checkControls(job: Job, { controls, credentials }: CheckControlsPorts): Promise<ControlsVerdict> {
  const control = await controls.of(job.merchant, job.batchId).catch(() => 'no answer' as const);
  if (control === 'no answer') return 'wait';
  if (control.batchCancelled) return 'call off';
  if (!control.paused && Object.keys(control.doubt).length === 0) return 'start';
  const answer = await credentials.of(job.merchant);
  const profile = answer.kind === 'credentials' ? answer.credentials.profile : undefined;
  return reasonToWait(job, control, profile) === undefined ? 'start' : 'wait';
}
