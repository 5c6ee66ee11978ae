// One attempt under a claim: credentials, signed request, one POST, evidence, outcome. A refused signature is answered
// by one more send with fresh credentials, as a 401 or 403 proves that nothing was processed.
import type { Job } from '../domain/job.ts';
import type { Failure, LedgerEntry } from '../domain/ledger.ts';
import { formParameters, operations, operationUrl, type SignatureMethodName } from '../domain/operations.ts';
import { judge, type Outcome } from '../domain/outcome.ts';
import { fieldsOutsideContract } from '../domain/profile.ts';
import { OAuth1Error } from '../oauth1/errors.ts';
import { type RequestToSign, type SignedRequest, signRequest } from '../oauth1/sign-request.ts';
import type { Clock, Credentials, Gateway, MerchantCredentials, Random } from './ports.ts';

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
  if (first.kind !== 'credentials-refused') return attemptOf(first, attempts, credentials);

  const fresh = await ports.credentials.refresh(job.merchant, credentials);
  if (fresh.kind === 'unavailable') return notSent(fresh.failure, attempts);
  const second = await sendOnce(job, fresh.credentials, notAfterMs, ports);
  return attemptOf(second, attempts + 1, fresh.credentials);
}

function attemptOf(outcome: Outcome, attempts: number, credentials: MerchantCredentials): Attempt {
  return { outcome, attempts, statusInquiry: credentials.profile.statusInquiry };
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
  const unsendable = unsendableOutcome(job, credentials, ports.clock.nowMs());
  if (unsendable) return unsendable;
  const signed = await signedRequest(job, credentials, ports);
  if (signed.kind === 'unsignable') return signed.outcome;
  const evidence = await ports.gateway.post({ ...signed.request, notAfterMs });
  return judge(evidence, job, credentials.profile);
}

function unsendableOutcome(job: Job, { profile }: MerchantCredentials, nowMs: number): Outcome | undefined {
  if (job.expiresAtMs !== undefined && nowMs >= job.expiresAtMs) {
    return unsendable('EXPIRED', 'the job was past its expiresAt before it was sent');
  }
  const outside = fieldsOutsideContract(profile, job);
  if (outside.length === 0) return undefined;
  return unsendable('FIELD_NOT_IN_CONTRACT', `name in the profile's extraFields, or leave out: ${outside.join(', ')}`);
}

function unsendable(code: 'EXPIRED' | 'FIELD_NOT_IN_CONTRACT', message: string): Outcome {
  return { kind: 'unsendable', failure: { code, message } };
}

type Signed =
  | { readonly kind: 'signed'; readonly request: { url: string; headers: Record<string, string>; body: string } }
  | { readonly kind: 'unsignable'; readonly outcome: Outcome };

/** Nonce and timestamp are made here, at send time: a request that is sent again is never the same request. */
async function signedRequest(job: Job, credentials: MerchantCredentials, ports: SendPorts): Promise<Signed> {
  const operation = operations[job.operation];
  const { login, baseUrl, profile } = credentials;
  const signatureMethod = profile.signatureMethod[job.operation] ?? operation.signatureMethod;
  const key = credentials.keys[signatureMethod];
  if (!key) return { kind: 'unsignable', outcome: keyMissing(signatureMethod) };
  const orderIdField = profile.orderIdField[job.operation] ?? operation.orderIdField;
  const signed = await signedOrFault({
    method: 'POST',
    url: operationUrl(operation, { baseUrl, apiPath: profile.apiPath, endpointId: job.endpointId }),
    params: formParameters(operation, { orderIdField, orderId: job.orderId, params: job.params }),
    consumerKey: login,
    signatureMethod,
    key,
    nonce: ports.random.id(),
    timestamp: String(Math.floor(ports.clock.nowMs() / 1000)),
    ...(profile.realm !== undefined && { realm: profile.realm }),
  });
  if (signed instanceof OAuth1Error) return { kind: 'unsignable', outcome: secretInvalid(signed.message) };
  const { url, authorization, body } = signed;
  const headers = {
    'content-type': 'application/x-www-form-urlencoded',
    accept: profile.replyFormat === 'json' ? 'application/vnd.pay+json' : '*/*',
    authorization,
  };
  return { kind: 'signed', request: { url, headers, body } };
}

/** Errors of signing never hold key material, and are raised before a byte leaves. */
async function signedOrFault(request: RequestToSign): Promise<SignedRequest | OAuth1Error> {
  try {
    return await signRequest(request);
  } catch (error) {
    if (error instanceof OAuth1Error) return error;
    throw error;
  }
}

function keyMissing(signatureMethod: SignatureMethodName): Outcome {
  const field = signatureMethod === 'RSA-SHA256' ? 'privateKey' : 'controlKey';
  return secretInvalid(`the merchant's secret has no ${field}, which ${signatureMethod} needs`);
}

function secretInvalid(message: string): Outcome {
  return { kind: 'retryable', failure: { code: 'SECRET_INVALID', message } };
}
