// Before the claim: may this job be started now, later, or not at all?
import { type Control, noControl, reasonToWait } from '../domain/control.ts';
import type { Job } from '../domain/job.ts';
import type { Controls } from './control-ports.ts';
import type { Credentials } from './ports.ts';

/** What asking leave needs. */
export interface LeavePorts {
  readonly controls: Controls;
  readonly credentials: Credentials;
}

/** Start it, wait as a copy, or end it as called off. */
export type Leave = 'start' | 'wait' | 'call off';

/** Waiting jobs look again after this long: a resumed merchant's queue moves within half a minute. */
export const leaveRetrySeconds = 30;

/** Asks the controls. Where they can't be read the ledger can't be written either, and the claim will say so. */
export async function askLeave(job: Job, { controls, credentials }: LeavePorts): Promise<Leave> {
  const control: Control = await controls.of(job.merchant, job.batchId).catch(() => noControl);
  if (control.batchCancelled) return 'call off';
  if (!control.paused && Object.keys(control.doubt).length === 0) return 'start';
  const answer = await credentials.of(job.merchant);
  const profile = answer.kind === 'credentials' ? answer.credentials.profile : undefined;
  return reasonToWait(job, control, profile) === undefined ? 'start' : 'wait';
}
