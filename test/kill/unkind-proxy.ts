// An HTTP proxy on loopback in front of one service, which can be told to be unkind: calls hang, are answered too late or by
// half, or find no listener. What it forwarded is done, whatever its caller hears of it.
import { once } from 'node:events';
import { createServer, request as send, type IncomingMessage, type ServerResponse } from 'node:http';

/** How a service treats its callers; where it refuses, the port is closed. */
export const unkindnesses = ['hangs', 'answers late', 'answers by half', 'refuses'] as const;

/** One of {@link unkindnesses}. */
export type Unkindness = (typeof unkindnesses)[number];

/** One call as it went through. */
export interface Call {
  readonly path: string;
  /** Of SQS: which action. */
  readonly target: string;
  readonly body: string;
}

/** What the proxy does besides. */
export interface UnkindProxyOptions {
  /** From 0 up to but not 1. */
  readonly chance: () => number;
  /** How late a late answer is: longer than any caller waits. */
  readonly lateMs: number;
  /** Sees each call that was forwarded, and its whole answer, whatever the caller sees of it. */
  readonly onAnswer?: (call: Call, answer: string) => void;
}

/** A running proxy. */
export interface UnkindProxy {
  readonly url: string;
  /** From the next call on. */
  become(mood: Unkindness | 'kind'): Promise<void>;
  /** Calls that met no kindness. */
  struck(): number;
  close(): Promise<void>;
}

/** One call in ten gets through whatever the mood is, so that work goes on and meets it again further on. */
const spared = 0.1;

/** Starts a kind proxy to this address. */
export async function startUnkindProxy(target: string, options: UnkindProxyOptions): Promise<UnkindProxy> {
  const { hostname, port } = new URL(target);
  let mood: Unkindness | 'kind' = 'kind';
  let struck = 0;

  async function forward(call: Call, { method, url, headers }: IncomingMessage) {
    const onward = send({ hostname, port, method, path: url, headers }).end(call.body);
    const [answer] = (await once(onward, 'response')) as [IncomingMessage];
    const body = await bytesOf(answer);
    options.onAnswer?.(call, body.toString());
    return { status: answer.statusCode ?? 500, headers: answer.headers, body };
  }

  async function serve(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const body = (await bytesOf(incoming)).toString();
    const call = { path: incoming.url ?? '', target: String(incoming.headers['x-amz-target'] ?? ''), body };
    const met = mood !== 'kind' && options.chance() >= spared ? mood : 'kind';
    if (met !== 'kind') struck += 1;
    // Half of the calls that hang are done all the same.
    if (met === 'hangs' && options.chance() < 0.5) return;
    const answer = await forward(call, incoming);
    if (met === 'hangs') return;
    if (met === 'answers late') await new Promise((resolve) => setTimeout(resolve, options.lateMs));
    outgoing.writeHead(answer.status, answer.headers);
    if (met !== 'answers by half') return void outgoing.end(answer.body);
    outgoing.write(answer.body.subarray(0, Math.ceil(answer.body.length / 2)));
    // The rest never comes, or the connection is cut.
    if (options.chance() < 0.5) setTimeout(() => incoming.socket.resetAndDestroy(), 20);
  }

  const server = createServer((incoming, outgoing) => {
    serve(incoming, outgoing).catch(() => incoming.socket.destroy());
  });
  const listen = async (at: number) => void (await once(server.listen(at, '127.0.0.1'), 'listening'));
  await listen(0);
  const address = server.address();
  const ownPort = typeof address === 'object' ? (address?.port ?? 0) : 0;
  return {
    url: `http://127.0.0.1:${ownPort}`,
    struck: () => struck,
    async become(next) {
      mood = next;
      const isClosed = next === 'refuses';
      if (isClosed === !server.listening) return;
      if (!isClosed) return listen(ownPort);
      server.close();
      server.closeAllConnections();
    },
    async close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

async function bytesOf(stream: IncomingMessage): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of stream) parts.push(part as Buffer);
  return Buffer.concat(parts);
}
