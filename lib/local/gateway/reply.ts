// The gateway's replies on the wire: form text by default, JSON when it is asked for.
import { octetsOfText, percentEncodeOctets } from './percent-encoding.ts';

/** Fields in the order of the wire. Numbers stay numbers in JSON; in form text all is text. */
export type ReplyFields = readonly (readonly [name: string, value: string | number])[];

/** A reply before it is put into a format. */
export interface Reply {
  readonly kind: 'success' | 'refusal';
  readonly fields: ReplyFields;
}

/** How a client wants its reply. */
export type ReplyFormat = 'form' | 'json';

/** A complete HTTP answer. */
export interface HttpAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

const jsonMediaType = 'application/vnd.pay+json';

/** JSON only when Accept names the gateway's own media type. */
export function formatOf(accept: string | undefined): ReplyFormat {
  const mediaTypes = (accept ?? '').split(',').map((range) => range.split(';')[0]?.trim().toLowerCase());
  return mediaTypes.includes(jsonMediaType) ? 'json' : 'form';
}

/** A refusal is HTTP 200 in form text and HTTP 400 in JSON. */
export function httpAnswerOf(reply: Reply, format: ReplyFormat): HttpAnswer {
  switch (format) {
    case 'form':
      return { status: 200, headers: { 'content-type': 'text/html;charset=utf-8' }, body: formText(reply.fields) };
    case 'json':
      return {
        status: reply.kind === 'success' ? 200 : 400,
        headers: { 'content-type': `${jsonMediaType};charset=utf-8` },
        body: jsonText(reply.fields),
      };
  }
}

/** A short plain-text answer, as proxies and gates give it. */
export function plainAnswer(status: number, text: string, headers: Readonly<Record<string, string>> = {}): HttpAnswer {
  return { status, headers: { 'content-type': 'text/plain;charset=utf-8', ...headers }, body: `${text}\n` };
}

/** An HTML page, as a web server in front of the gateway gives it. */
export function htmlAnswer(status: number, title: string): HttpAnswer {
  const body = `<html><head><title>${title}</title></head><body><h1>${title}</h1></body></html>\n`;
  return { status, headers: { 'content-type': 'text/html;charset=utf-8' }, body };
}

/** The fields as a JSON object. */
export function jsonText(fields: ReplyFields): string {
  return JSON.stringify(Object.fromEntries(fields));
}

/** name=value pairs joined by &, each value followed by a line feed: the gateway's own peculiarity. */
function formText(fields: ReplyFields): string {
  return fields.map(([name, value]) => `${name}=${percentEncodeOctets(octetsOfText(String(value)))}\n`).join('&');
}
