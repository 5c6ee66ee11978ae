// The kernel's own gates: the job's time, what operators and the sweeper have said, the merchant's secret, the contract.
// None of them burns an order id: a wrong secret costs a job time, never its order.
import { type Control, reasonToWait } from './control.ts';
import type { Controls } from './control-ports.ts';
import type { Failure } from './failures.ts';
import type { Candidate, Gate, GateName, Verdict } from './gates.ts';
import type { Job } from './job.ts';
import type { Clock, Credentials } from './ports.ts';
import { fieldsOutsideContract, operations } from '../gateway/operations.ts';
import type { MerchantCredentials } from '../gateway/ports.ts';
import type { SignatureMethodName } from '../oauth1/signature-method-names.ts';
import type { Profile } from '../gateway/profile.ts';
import { missingKey } from '../gateway/signed-request.ts';

/** What the kernel's gates ask. */
export interface KernelGatePorts {
  readonly credentials: Credentials;
  readonly controls: Controls;
  readonly clock: Pick<Clock, 'nowMs'>;
}

/** Those of the list that are the kernel's. */
export function kernelGates({
  credentials,
  controls,
  clock,
}: KernelGatePorts): Record<Exclude<GateName, 'card-data' | 'approval'>, Gate['ask']> {
  return {
    expiry: async ({ job }) => refusedFor(whyTooLate(job, clock.nowMs())),
    controls: ({ job }) => askControls(job, controls, credentials),
    credentials: ({ job }) => askCredentials(job, credentials),
    contract: async (candidate) => refusedFor(whyOutsideContract(candidate)),
  };
}

function refusedFor(failure: Failure | undefined): Verdict {
  return failure ? { kind: 'refuse', failure } : { kind: 'go' };
}

/** Why the job's time is over; undefined while it is not. */
function whyTooLate({ approvedUntilMs, expiresAtMs }: Job, nowMs: number): Failure | undefined {
  if (approvedUntilMs !== undefined && nowMs >= approvedUntilMs)
    return notApproved('the approval expired before it was sent');
  if (expiresAtMs !== undefined && nowMs >= expiresAtMs)
    return { code: 'EXPIRED', message: 'the job was past its expiresAt before it was sent' };
  return undefined;
}

/** Where nobody can say that the job may start, it waits: it may be paused. */
async function askControls(job: Job, controls: Controls, credentials: Credentials): Promise<Verdict> {
  const control = await controls.of(job.merchant, job.batchId).catch(() => 'no answer' as const);
  if (control === 'no answer') return { kind: 'wait', because: 'controls-unknown' };
  if (control.batchCancelled) return { kind: 'cancel' };
  const because = reasonToWait(job, control, await profileFor(control, job, credentials));
  return because ? { kind: 'wait', because } : { kind: 'go' };
}

/** Asked for only where there is doubt to be measured by it. */
async function profileFor({ doubt }: Control, { merchant }: Job, credentials: Credentials) {
  if (Object.keys(doubt).length === 0) return undefined;
  const answer = await credentials.of(merchant);
  return answer.kind === 'credentials' ? answer.credentials.profile : undefined;
}

/**
 * A secret that can't be had, or can't sign this job, is mended by a person or by time, and the job waits for it. Only a
 * merchant that nobody knows is given up after the receives: its copies would go round for ever, and nobody would look.
 */
async function askCredentials(job: Job, { of }: Credentials): Promise<Verdict> {
  const answer = await of(job.merchant);
  if (answer.kind === 'unavailable') {
    const { failure } = answer;
    return { kind: 'wait', because: failure, ...(failure.code === 'MERCHANT_UNKNOWN' && { uncopied: true }) };
  }
  const { credentials } = answer;
  const failure = missingKey(credentials, signatureMethodOf(job, credentials.profile));
  if (failure) return { kind: 'wait', because: failure };
  // The gate of approvals could not read the secret and let it pass; now it is there, and asks for one.
  if (lacksApproval(job, credentials.profile)) return { kind: 'wait', because: 'approval-unknown' };
  return { kind: 'go', credentials };
}

function whyOutsideContract({ job, credentials }: Candidate): Failure | undefined {
  return credentials && whyNotInContract(job, credentials.profile);
}

/** A field that the contract does not know would change what is signed. */
function whyNotInContract(job: Job, profile: Profile): Failure | undefined {
  const outside = fieldsOutsideContract(profile, job);
  if (outside.length === 0) return undefined;
  const message = `name in the profile's extraFields, or leave out: ${outside.join(', ')}`;
  return { code: 'FIELD_NOT_IN_CONTRACT', message };
}

/** Asked once more right before the bytes leave: time has passed since the gates, and a fresh secret may say otherwise. */
export function whyUnsendable(job: Job, { profile }: MerchantCredentials, nowMs: number): Failure | undefined {
  if (lacksApproval(job, profile)) return notApproved('no approval was checked');
  return whyTooLate(job, nowMs) ?? whyNotInContract(job, profile);
}

/** How the merchant's contract signs this operation. */
export function signatureMethodOf({ operation }: Pick<Job, 'operation'>, profile: Profile): SignatureMethodName {
  return profile.signatureMethod[operation] ?? operations[operation].signatureMethod;
}

/** True when money of this merchant moves by two persons alone. */
export function needsApproval({ operation }: Pick<Job, 'operation'>, { twoPersonRelease }: Profile): boolean {
  return twoPersonRelease && operations[operation].movesMoney;
}

function lacksApproval(job: Job, profile: Profile): boolean {
  return needsApproval(job, profile) && job.approvedUntilMs === undefined;
}

/** The failure of a job without an approval that holds. */
export function notApproved(why: string): Failure {
  return { code: 'NOT_APPROVED', message: `two-person release: ${why}` };
}
