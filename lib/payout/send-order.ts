// One attempt under a claim: credentials, signed request, one POST, evidence, outcome. A refused signature is answered
// by one more send with fresh credentials, as a 401 or 403 proves that nothing was processed.
import { sendingTime } from './sending-time.ts';
import type { Job } from './job.ts';
import type { Failure } from './failures.ts';
import type { LedgerEntry } from './ledger.ts';
import { formParameters, operations } from '../gateway/operations.ts';
import type { Outcome } from './outcome.ts';
import { judge } from '../gateway/outcome.ts';
import type { Profile } from '../gateway/profile.ts';
import { whyUnsendable } from './preflight.ts';
import type { Gateway, MerchantCredentials } from '../gateway/ports.ts';
import type { Clock, Credentials, Random } from './ports.ts';
import { signedRequest, type UnsignedRequest } from '../gateway/signed-request.ts';

/** What came of the attempt. */
export interface Attempt {
  readonly outcome: Outcome;
  /** POSTs made for the order so far. */
  readonly attempts: number;
  readonly statusInquiry: boolean;
}

/** What sending needs. */
export interface SendPorts {
  readonly credentials: Credentials;
  readonly gateway: Gateway;
  readonly clock: Clock;
  readonly random: Random;
}

/** Sends the claimed order; no POST starts after `notAfterMs`. Never rejects once a POST may have left. */
export async function sendOrder(
  job: Job,
  { attempts }: Pick<LedgerEntry, 'attempts'>,
  notAfterMs: number,
  ports: SendPorts,
): Promise<Attempt> {
  const answer = await ports.credentials.of(job.merchant);
  if (answer.kind === 'unavailable') return notSent(answer.failure, attempts);
  const { credentials } = answer;
  const first = await sendOnce(job, credentials, notAfterMs, ports);
  if (first.kind !== 'credentials-refused') return attemptOf(job, first, attempts, credentials);

  const fresh = await ports.credentials.refresh(job.merchant, credentials);
  if (fresh.kind === 'unavailable') return notSent(fresh.failure, attempts);
  const second = await sendOnce(job, fresh.credentials, notAfterMs, ports);
  return attemptOf(job, second, attempts + 1, fresh.credentials);
}

/** Only money is asked about later: a check that was answered is over. */
function attemptOf(job: Job, outcome: Outcome, attempts: number, { profile }: MerchantCredentials): Attempt {
  return { outcome, attempts, statusInquiry: profile.statusInquiry && operations[job.operation].movesMoney };
}

function notSent(failure: Failure, attempts: number): Attempt {
  return { outcome: { kind: 'retryable', failure }, attempts, statusInquiry: false };
}

async function sendOnce(
  job: Job,
  credentials: MerchantCredentials,
  notAfterMs: number,
  ports: SendPorts,
): Promise<Outcome> {
  const failure = whyUnsendable(job, credentials.profile, ports.clock.nowMs());
  if (failure) return { kind: 'unsendable', failure };
  const signed = await signedRequest(operationRequest(job, credentials.profile), credentials, sendingTime(ports));
  if (signed.kind === 'unsignable') return { kind: 'retryable', failure: signed.failure };
  const evidence = await ports.gateway.post({ ...signed.request, notAfterMs });
  return judge(evidence, job, credentials.profile);
}

function operationRequest(job: Job, profile: Profile): UnsignedRequest {
  const operation = operations[job.operation];
  const orderIdField = profile.orderIdField[job.operation] ?? operation.orderIdField;
  return {
    operation,
    endpointId: job.endpointId,
    signatureMethod: profile.signatureMethod[job.operation] ?? operation.signatureMethod,
    parameters: formParameters(operation, { orderIdField, orderId: job.orderId, params: job.params }),
  };
}
