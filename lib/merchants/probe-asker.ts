// One request of a probe, and what came back, read as little as it takes to compare answers. A probe never uses the ledger:
// it speaks to a test account alone, under order ids of its own.
import type { Evidence, Gateway, MerchantCredentials } from '../gateway/ports.ts';
import { type GatewayReply, decodeReply } from '../gateway/reply.ts';
import { sendingTime, signedRequest } from '../gateway/signed-request.ts';
import { redact } from '../gateway/redact.ts';
import type { Clock, Random } from '../payout/ports.ts';
import type { SignatureMethodName } from '../oauth1/vocabulary.ts';

/** The ports of a probe. */
export interface ProbePorts {
  readonly gateway: Gateway;
  readonly clock: Clock;
  readonly random: Random;
}

/** A request as a question makes it. */
export interface ProbeRequest {
  /** Version and operation, such as `v4/status`. */
  readonly path: string;
  readonly endpointId: string;
  readonly method: SignatureMethodName;
  readonly parameters: readonly (readonly [name: string, value: string])[];
  /** Seconds by which its timestamp is off; default 0. */
  readonly offSeconds?: number;
  /** One character of the signature is changed. */
  readonly spoilt?: true;
}

/** The answer to a request. */
export interface ProbeAnswer {
  /** Which request of the probe it was, from 1. */
  readonly number: number;
  readonly kind:
    | 'accepted'
    | 'refused'
    | 'reported'
    | 'not-authentic'
    | 'not-served'
    | 'too-many'
    | 'odd'
    | 'no-answer';
  readonly httpStatus?: number;
  readonly format?: 'json' | 'form';
  readonly fields: ReadonlyMap<string, string>;
  /** For the report: which request, HTTP status, type and code; no text of the gateway's but short words. */
  readonly evidence: string;
  /** The very same request again, byte for byte. */
  repeat(): Promise<ProbeAnswer>;
}

/** Requests of one probe at most: its questions are harmless, and the sandbox belongs to others. */
const probeRequestsAtMost = 40;

/** Sends requests, counting. */
export interface ProbeAsker {
  ask(request: ProbeRequest): Promise<ProbeAnswer>;
  asked(): number;
}

/** The probe can't ask any more; `message` says why. */
export class ProbeStoppedError extends Error {}

const answerWithinMs = 60_000;

/** An asker by these credentials. */
export function createProbeAsker(credentials: MerchantCredentials, ports: ProbePorts): ProbeAsker {
  let count = 0;
  async function post(request: Parameters<Gateway['post']>[0]): Promise<ProbeAnswer> {
    if (count === probeRequestsAtMost)
      throw new ProbeStoppedError(`more than ${probeRequestsAtMost} requests would be needed; run it again later`);
    count += 1;
    const number = count;
    const evidence = await ports.gateway.post(request);
    const repeat = () => post({ ...request, notAfterMs: ports.clock.nowMs() + answerWithinMs });
    return { ...read(evidence, number), number, repeat };
  }
  return {
    asked: () => count,
    async ask({ path, endpointId, method, parameters, offSeconds = 0, spoilt }) {
      const now = sendingTime(ports);
      const signed = await signedRequest(
        { operation: { path }, endpointId, signatureMethod: method, parameters },
        credentials,
        { ...now, timestampSeconds: now.timestampSeconds + offSeconds },
      );
      if (signed.kind === 'unsignable') throw new ProbeStoppedError(signed.failure.message);
      const { authorization = '', ...headers } = signed.request.headers;
      return post({
        ...signed.request,
        headers: { ...headers, authorization: spoilt ? spoiltSignature(authorization) : authorization },
        notAfterMs: ports.clock.nowMs() + answerWithinMs,
      });
    },
  };
}

/** Base64 begins with a letter or digit: another one stays Base64, and verifies no more. */
function spoiltSignature(authorization: string): string {
  return authorization.replace(/(oauth_signature=")(.)/, (_, name: string, first: string) =>
    name.concat(first === 'A' ? 'B' : 'A'),
  );
}

const nothing: ReadonlyMap<string, string> = new Map();

function read(evidence: Evidence, number: number): Omit<ProbeAnswer, 'number' | 'repeat'> {
  const request = `request ${number}`;
  if (evidence.kind !== 'answer')
    return { kind: 'no-answer', fields: nothing, evidence: `${request}: ${evidence.reason}` };
  const { httpStatus, body } = evidence;
  const reply = decodeReply(body, evidence.framing);
  const fields = reply.kind === 'fields' ? reply.fields : nothing;
  const values = ['type', 'status', 'error-code'].flatMap((name) => {
    const value = fields.get(name);
    return value === undefined ? [] : [`${name}=${plain(value, 40)}`];
  });
  return {
    kind: kindOf(httpStatus, reply, fields),
    httpStatus,
    format: reply.kind !== 'fields' ? undefined : body.trimStart().startsWith('{') ? 'json' : 'form',
    fields,
    evidence: [`${request}: HTTP ${httpStatus}`, ...values].join(' '),
  };
}

function kindOf(httpStatus: number, reply: GatewayReply, fields: ReadonlyMap<string, string>): ProbeAnswer['kind'] {
  if (httpStatus === 401 || httpStatus === 403) return 'not-authentic';
  if (httpStatus === 429) return 'too-many';
  if (reply.kind !== 'fields') return httpStatus === 404 || httpStatus === 405 ? 'not-served' : 'odd';
  const type = fields.get('type')?.toLowerCase();
  if (type === 'validation-error' || type === 'error') return 'refused';
  if (httpStatus !== 200) return 'odd';
  if (type === 'status-response' || fields.has('status')) return 'reported';
  return statedIdOf(fields) === undefined ? 'odd' : 'accepted';
}

/** Words of the gateway's, as a terminal may show them: cut, and without characters that move a cursor or turn text round. */
export function plain(values: string, longest: number): string {
  return redact(values.replace(/\p{C}/gu, ''), []).slice(0, longest);
}

/** The gateway's own id of an order, under any of its names. */
export function statedIdOf(fields: ReadonlyMap<string, string>): string | undefined {
  return ['paynet-order-id', 'payout-id', 'transaction-id'].map((name) => fields.get(name)).find(Boolean);
}
