// One exchange over a connection: sends the request, waits for the whole answer, and decodes its text. No content coding is asked
// for; if the gateway uses one anyway, it is decoded within the same limit of bytes. An answer that cannot be decoded is doubt, not a
// refusal.
import type { Agent, ClientRequest, IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { errorCodeOnly } from './http-connection.ts';
import type { Evidence, GatewayLimits, GatewayRequest } from './ports.ts';

// Importing node:http reads all its exports. One of them loads undici: a third of a cold start (`npm run bench -- cold-start`).
const { request: httpRequest } = process.getBuiltinModule('node:http');

/** Sends within the call, before anything is awaited, and waits for the whole answer. An agent keeps the connection open. */
export async function exchangeOver(
  socket: Socket,
  url: URL,
  request: GatewayRequest,
  limits: GatewayLimits,
  agent?: Agent,
): Promise<Evidence> {
  const outgoing = httpPost(socket, url, request, agent);
  if (!(outgoing instanceof Error)) return exchange(outgoing, request.body, limits);
  return { kind: 'not-sent', reason: `no request (${errorCodeOnly(outgoing)})` };
}

/** Sends the request and waits for the whole answer. From here on bytes may have left. */
function exchange(outgoing: ClientRequest, body: string, limits: GatewayLimits): Promise<Evidence> {
  return new Promise((resolve) => {
    let httpStatus: number | undefined;
    const give = (evidence: Evidence) => {
      for (const timer of [total, part]) clearTimeout(timer);
      resolve(evidence);
    };
    const noAnswer = (reason: string) => give({ kind: 'no-answer', reason, httpStatus });
    const within = (ms: number, what: string) =>
      setTimeout(() => noAnswer(`no whole answer: ${what} took longer than ${ms} ms`), ms);
    const total = within(limits.gatewayTotalTimeoutMs, 'the exchange');
    let part = within(limits.gatewayHeadersTimeoutMs, 'the answer');

    outgoing.on('error', (error) =>
      noAnswer(`the connection failed after the request was sent (${errorCodeOnly(error)})`),
    );
    outgoing.on('close', () => noAnswer('the connection was closed without a whole answer'));
    outgoing.on('response', (incoming) => {
      httpStatus = incoming.statusCode;
      clearTimeout(part);
      part = within(limits.gatewayBodyTimeoutMs, 'the body of the answer');
      readBody(incoming, limits.gatewayReplyLimitBytes, (body) => {
        if (body.kind === 'body') give(answerOf(incoming, body.bytes, limits.gatewayReplyLimitBytes));
        else noAnswer(body.reason);
      });
    });
    outgoing.end(body);
  });
}

/** The request, of which no byte leaves before `end` is called; an error if HTTP cannot carry it. */
function httpPost(
  socket: Socket,
  url: URL,
  { method = 'POST', headers, body }: GatewayRequest,
  agent?: Agent,
): ClientRequest | Error {
  // RFC 9110 section 12.5.3: if no coding is named, any is acceptable.
  const connection = agent ? 'keep-alive' : 'close';
  const length = method === 'POST' && { 'content-length': Buffer.byteLength(body) };
  const ours = { ...length, connection, 'accept-encoding': 'identity' };
  try {
    return httpRequest({
      ...(agent ? { agent } : { createConnection: () => socket }),
      method,
      path: url.pathname + url.search,
      setHost: false,
      headers: { host: url.host, 'user-agent': 'payouts', ...headers, ...ours },
    });
  } catch (error) {
    return error instanceof Error ? error : new Error('the request could not be made');
  }
}

type Body = { readonly kind: 'body'; readonly bytes: Buffer } | { readonly kind: 'cut'; readonly reason: string };

function readBody(incoming: IncomingMessage, limitBytes: number, give: (body: Body) => void): void {
  const chunks: Buffer[] = [];
  let bytes = 0;
  incoming.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > limitBytes) give({ kind: 'cut', reason: `the answer is longer than ${limitBytes} bytes` });
    else chunks.push(chunk);
  });
  incoming.on('end', () => give({ kind: 'body', bytes: Buffer.concat(chunks) }));
  incoming.on('error', () => give({ kind: 'cut', reason: 'the answer was cut off' }));
  incoming.on('close', () => give({ kind: 'cut', reason: 'the answer was cut off' }));
}

function answerOf(incoming: IncomingMessage, bytes: Buffer, limitBytes: number): Evidence {
  if (!incoming.complete) {
    return { kind: 'no-answer', reason: 'the answer was cut off', httpStatus: incoming.statusCode ?? 0 };
  }
  const { 'content-length': length, 'transfer-encoding': coding, 'content-type': contentType } = incoming.headers;
  const contentEncoding = [incoming.headers['content-encoding'], coding?.replace(/(^|[,\s])chunked$/i, '')].join(',');
  const body = bodyText(bytes, { contentEncoding, contentType }, limitBytes);
  // RFC 9112 section 6.3: if a transfer coding is named, only "chunked" as the last one marks the end.
  const delimited = coding === undefined ? length !== undefined : /(^|[,\s])chunked$/i.test(coding.trim());
  const retryAfterSeconds = secondsOf(incoming.headers['retry-after'], incoming.headers.date);
  return {
    kind: 'answer',
    httpStatus: incoming.statusCode ?? 0,
    body: body.kind === 'text' ? body.text : '',
    unreadable: body.kind === 'unreadable' ? body.reason : undefined,
    framing: delimited ? 'delimited' : 'until-close',
    retryAfterSeconds,
  };
}

/** Retry-After in seconds (RFC 9110 section 10.2.3). A date is compared with the answer's Date: both are by the gateway's clock. */
function secondsOf(retryAfter: string | undefined, date: string | undefined): number | undefined {
  if (retryAfter === undefined) return undefined;
  if (/^\d{1,6}$/.test(retryAfter)) return Number(retryAfter);
  const seconds = (httpDateMs(retryAfter) - httpDateMs(date)) / 1000;
  return Number.isFinite(seconds) ? Math.min(Math.max(seconds, 0), 999_999) : undefined;
}

/** IMF-fixdate, the only form that is sent today; NaN for anything else. */
const httpDateMs = (text = ''): number =>
  /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/.test(text) ? Date.parse(text) : Number.NaN;

/** The text, or why there is none. */
type BodyText =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'unreadable'; readonly reason: string };

/** The headers of the answer that describe its body. */
interface BodyHeaders {
  readonly contentEncoding?: string | undefined;
  readonly contentType?: string | undefined;
}

/** Content codings of one answer, one within the other; an answer with more is not read. */
const codingsAtMost = 2;

/** Reads the bytes; the text is never longer than `limitBytes` bytes. Never throws. */
export function bodyText(bytes: Buffer, headers: BodyHeaders, limitBytes: number): BodyText {
  const codings = (headers.contentEncoding ?? '')
    .split(',', codingsAtMost + 1)
    .map((it) => it.trim().toLowerCase())
    .filter((it) => it !== '' && it !== 'identity');
  if (codings.length > codingsAtMost) return { kind: 'unreadable', reason: 'the answer is coded too often' };
  try {
    const plain = codings.reduceRight((coded, coding) => decoded(coded, coding, limitBytes), bytes);
    return { kind: 'text', text: textOf(plain, charsetOf(headers.contentType)) };
  } catch {
    return { kind: 'unreadable', reason: 'the content coding or charset of the answer could not be read' };
  }
}

/** Throws on an unknown coding, on bytes that are not in it, and on more bytes than the limit. */
function decoded(bytes: Buffer, coding: string, maxOutputLength: number): Buffer {
  // Loaded when needed: the usual answer has no coding, and a cold start saves the decoders.
  const { brotliDecompressSync, gunzipSync, inflateRawSync, inflateSync } = process.getBuiltinModule('node:zlib');
  switch (coding) {
    case 'gzip':
    case 'x-gzip':
      return gunzipSync(bytes, { maxOutputLength });
    case 'br':
      return brotliDecompressSync(bytes, { maxOutputLength });
    case 'deflate': {
      // RFC 9110 section 8.4.1.2: some servers send it without the zlib wrapper, whose first byte ends in 8.
      const isWrapped = ((bytes[0] ?? 0) & 0x0f) === 8;
      return isWrapped ? inflateSync(bytes, { maxOutputLength }) : inflateRawSync(bytes, { maxOutputLength });
    }
    default:
      throw new RangeError('an unknown content coding');
  }
}

function charsetOf(contentType = ''): string | undefined {
  return /;\s?charset="?([\w.:-]{1,40})/i.exec(contentType)?.[1]?.toLowerCase();
}

/** Throws on an unknown charset, and on bytes that are not in it. */
function textOf(bytes: Buffer, charset: string | undefined): string {
  if (charset !== undefined) return new TextDecoder(charset, { fatal: true }).decode(bytes);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    // ISO-8859-1, the charset of the interface document: every byte is a character.
    return bytes.toString('latin1');
  }
}
