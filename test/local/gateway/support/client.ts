// What a merchant does to the simulator in these stories, over a real socket, with the evidence it is left with.
import { request as httpRequest } from 'node:http';
import type { IncomingHttpHeaders } from 'node:http';
import type { GatewaySimulator } from '../../../../lib/local/gateway/simulator.ts';
import { signedPost } from './signer.ts';
import type { SigningChoices } from './signer.ts';

/** What the socket left the client with. */
export type Evidence =
  | { readonly kind: 'answer'; readonly status: number; readonly headers: IncomingHttpHeaders; readonly text: string }
  | { readonly kind: 'broken'; readonly code: string; readonly text: string };

/** A raw POST, with nothing added but what Node adds. */
export interface RawPost {
  readonly url: string;
  readonly method?: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** The client hangs up after this; the evidence is then `broken` with code GAVE-UP. */
  readonly patienceMs?: number;
}

/** Sends one request on a fresh connection and tells what came of it; never throws. */
export async function sendRaw({ url, method = 'POST', headers, body, patienceMs = 5_000 }: RawPost): Promise<Evidence> {
  return new Promise((resolve) => {
    let text = '';
    const call = httpRequest(url, { method, headers, agent: false }, (response) => {
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => (text += chunk));
      response.on('end', () =>
        resolve({ kind: 'answer', status: response.statusCode ?? 0, headers: response.headers, text }),
      );
      response.on('error', broken);
    });
    const broken = (error: NodeJS.ErrnoException): void =>
      resolve({ kind: 'broken', code: error.code ?? error.message, text });
    call.on('error', broken);
    setTimeout(() => call.destroy(Object.assign(new Error('gave up'), { code: 'GAVE-UP' })), patienceMs).unref();
    call.end(body);
  });
}

/** Fields of a request by name. */
export type FieldRecord = Readonly<Record<string, string>>;

/** A payout of 10.42 EUR under this order id. */
export function payoutFields(orderId: string, changes: FieldRecord = {}): FieldRecord {
  const fields = { 'client-order-id': orderId, amount: '10.42', currency: 'EUR', order_desc: 'Invoice 42' };
  return { ...fields, account_number: 'DE89370400440532013000', bank_name: 'Cool bank', ...changes };
}

/** How a story sends. */
export interface Sending extends SigningChoices {
  readonly json?: boolean;
  readonly patienceMs?: number;
}

/** Signs and posts fields to an operation path such as `v4/payout/39915`. */
export async function post(
  simulator: Pick<GatewaySimulator, 'apiUrl'>,
  path: string,
  fields: FieldRecord,
  how: Sending = {},
): Promise<Evidence> {
  const url = `${simulator.apiUrl}/${path}`;
  const { authorization, body } = signedPost(url, Object.entries(fields), how);
  const headers = {
    authorization,
    'content-type': 'application/x-www-form-urlencoded',
    ...(how.json === true && { accept: 'application/vnd.pay+json' }),
  };
  return sendRaw({ url, headers, body, ...(how.patienceMs !== undefined && { patienceMs: how.patienceMs }) });
}

/** Posts a payout for an order id, in form mode unless asked otherwise. */
export async function postPayout(
  simulator: Pick<GatewaySimulator, 'apiUrl'>,
  orderId: string,
  how: Sending = {},
): Promise<Evidence> {
  return post(simulator, 'v4/payout/39915', payoutFields(orderId), how);
}

/** Asks for the status of a money order by client order id, and by gateway order id where given. */
export async function askStatus(
  simulator: Pick<GatewaySimulator, 'apiUrl'>,
  orderId: string,
  more: FieldRecord = {},
  how: Sending = {},
): Promise<Evidence> {
  return post(simulator, 'v4/status/39915', { login: 'acme', client_orderid: orderId, ...more }, how);
}

/** The fields of a form answer, line feeds taken off; empty when there was no answer. */
export function formFields(evidence: Evidence): FieldRecord {
  if (evidence.kind === 'broken') return {};
  const pairs = evidence.text.split('&').map((pair) => pair.replace(/\n$/, '').split('='));
  return Object.fromEntries(pairs.map(([name = '', value = '']) => [name, decodeURIComponent(value)]));
}
