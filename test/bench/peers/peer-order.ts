// What every peer does with one job: the form, the signature by the library most used for it, and a reading of the answer.
// Written as a team would write it today; only ever timed, never shipped.
import { createHmac } from 'node:crypto';
import OAuth from 'oauth-1.0a';
import type { Result } from '../../../lib/payout/message/result.ts';

/** A job as a peer reads it: JSON and no further questions. */
export interface PeerJob {
  readonly operation: Result['operation'];
  readonly merchant: string;
  readonly endpointId: string;
  readonly orderId: string;
  readonly params: Readonly<Record<string, string>>;
}

/** A merchant's secret, as far as a peer needs it. */
export interface PeerSecret {
  readonly login: string;
  readonly controlKey: string;
  readonly baseUrl: string;
}

/** The request of one payout. */
export interface PeerRequest {
  readonly url: string;
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** What a peer writes to the results queue. */
export interface PeerResult {
  readonly orderId: string;
  readonly status: 'accepted' | 'declined';
  readonly payoutId?: string;
}

/** Form, nonce, timestamp, signature, header. */
export function signedPayout(job: PeerJob, { login, controlKey, baseUrl }: PeerSecret): PeerRequest {
  const url = `${baseUrl}/paynet/api/v4/payout/${job.endpointId}`;
  const data = { 'client-order-id': job.orderId, ...job.params };
  const oauth = new OAuth({
    consumer: { key: login, secret: controlKey },
    signature_method: 'HMAC-SHA1',
    hash_function: (text, key) => createHmac('sha1', key).update(text).digest('base64'),
  });
  const authorized = oauth.authorize({ url, method: 'POST', data });
  const { oauth_signature: _signature, ...form } = { ...data, ...authorized };
  return {
    url,
    body: new URLSearchParams(form as unknown as Record<string, string>).toString().replaceAll('+', '%20'),
    headers: { 'content-type': 'application/x-www-form-urlencoded', ...oauth.toHeader(authorized) },
  };
}

/** 200 and an id is paid; anything else is an error, to be tried again. */
export function readAnswer(job: PeerJob, status: number, text: string): PeerResult {
  const answer = JSON.parse(text) as { readonly 'payout-id'?: string; readonly type?: string };
  if (status !== 200) throw new Error(`the gateway answered ${status}`);
  if (answer['payout-id'] === undefined) return { orderId: job.orderId, status: 'declined' };
  return { orderId: job.orderId, status: 'accepted', payoutId: answer['payout-id'] };
}
