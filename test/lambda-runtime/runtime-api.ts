// Lambda's Runtime API (version 2018-06-01) as far as a runtime needs it: it asks for the next invocation and posts
// what became of it. Written from AWS's documentation, "Using the Lambda runtime API for custom runtimes".
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { json } from 'node:stream/consumers';

/** What a runtime is handed. */
interface Invocation {
  readonly requestId: string;
  readonly event: unknown;
  readonly deadlineMs: number;
}

/** What a runtime posts. */
export type Answer =
  | { readonly kind: 'response'; readonly payload: unknown }
  | { readonly kind: 'error'; readonly error: { readonly errorType?: string; readonly errorMessage?: string } };

/** The API for one runtime process. */
export interface RuntimeApi {
  /** Host and port, as AWS_LAMBDA_RUNTIME_API holds them. */
  readonly address: string;
  /** Hands out an invocation when the runtime asks for one; resolves with what it posts for it. */
  invoke(invocation: Invocation): Promise<Answer>;
  close(): Promise<void>;
}

const version = '/2018-06-01/runtime/';

/** Starts the API on a free loopback port. */
export async function startRuntimeApi(): Promise<RuntimeApi> {
  const invocations: Invocation[] = [];
  const waiting: ServerResponse[] = [];
  const answers = new Map<string, (answer: Answer) => void>();

  function handOut(): void {
    while (invocations.length > 0 && waiting.length > 0) {
      const [invocation, response] = [invocations.shift(), waiting.shift()];
      if (!invocation || !response) return;
      response.writeHead(200, {
        'content-type': 'application/json',
        'lambda-runtime-aws-request-id': invocation.requestId,
        'lambda-runtime-deadline-ms': String(invocation.deadlineMs),
        'lambda-runtime-invoked-function-arn': 'arn:aws:lambda:eu-central-1:000000000000:function:submit',
      });
      response.end(JSON.stringify(invocation.event));
    }
  }

  async function take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method, url = '' } = request;
    if (method === 'GET' && url === `${version}invocation/next`) {
      waiting.push(response);
      return handOut();
    }
    const [, requestId = '', verb] = /^\/2018-06-01\/runtime\/invocation\/([^/]+)\/(response|error)$/.exec(url) ?? [];
    const answer = answers.get(requestId);
    if (!answer) return void response.writeHead(404).end();
    const payload: unknown = await json(request);
    response.writeHead(202, { 'content-type': 'application/json' }).end('{"status":"OK"}');
    answer(verb === 'response' ? { kind: 'response', payload } : { kind: 'error', error: payload as object });
  }

  const server = createServer((request, response) => {
    // Only a runtime that died in mid-post can fail here.
    take(request, response).catch(() => response.destroy());
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const address = server.address();
  return {
    address: `127.0.0.1:${typeof address === 'object' ? address?.port : ''}`,
    invoke: (invocation) =>
      new Promise((resolve) => {
        answers.set(invocation.requestId, resolve);
        invocations.push(invocation);
        handOut();
      }),
    async close() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}
