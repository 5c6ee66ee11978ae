// SQS as far as loop detection goes, before the queues of a test: keeps the trace header that came with each message,
// and, so that a hundred rounds take seconds, no delay.
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { type Lineage, lineageOf } from './lineage.ts';

/** The queues behind it, and what their messages descend from. */
export interface LineageQueues {
  /** The endpoint to be used instead of that of the queues. */
  readonly url: string;
  /** A chain begins with a message that nobody sent through here, or without a header. */
  lineageOf(messageId: string): Lineage;
  close(): Promise<void>;
}

interface Sent {
  readonly MessageId?: string;
  readonly Successful?: readonly { readonly MessageId?: string }[];
}

type Delayed = { DelaySeconds?: number };

/** Starts it on a free loopback port before the queues at `origin`. */
export async function startLineageQueues(origin: string): Promise<LineageQueues> {
  const lineages = new Map<string, Lineage>();

  async function pass(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const given = await buffer(request);
    const sends = /SendMessage/.test(String(request.headers['x-amz-target']));
    const body = sends ? withoutDelay(given.toString()) : given;
    const { host, 'content-length': _, connection: __, ...headers } = request.headers as Record<string, string>;
    const answer = await fetch(`${origin}${request.url}`, { method: request.method ?? 'POST', headers, body });
    const text = await answer.text();
    if (sends && answer.ok) {
      const lineage = lineageOf(headers['x-amzn-trace-id']);
      const { MessageId, Successful = [] } = JSON.parse(text) as Sent;
      for (const id of [MessageId, ...Successful.map((it) => it.MessageId)]) if (id) lineages.set(id, lineage);
    }
    response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? '' });
    // The addresses of queues are those of this endpoint.
    response.end(text.replaceAll(new URL(origin).host, host ?? ''));
  }

  const server = createServer((request, response) => {
    // A client that stopped in the middle of a long poll.
    pass(request, response).catch(() => response.destroy());
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const address = server.address();
  return {
    url: `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`,
    lineageOf: (messageId) => lineages.get(messageId) ?? {},
    async close() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

function withoutDelay(body: string): string {
  const request = JSON.parse(body) as Delayed & { readonly Entries?: readonly Delayed[] };
  for (const it of [request, ...(request.Entries ?? [])]) if (it.DelaySeconds !== undefined) it.DelaySeconds = 0;
  return JSON.stringify(request);
}
