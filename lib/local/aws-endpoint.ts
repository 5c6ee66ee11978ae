// A service of AWS on a loopback port, as far as its clients ask: an answer for each call, by its target and its caller.
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { listenOnLoopback, type OwnEndpoint } from './own-hosts.ts';

/** A call as it came. */
interface AwsCall {
  /** `X-Amz-Target`: service and operation. */
  readonly target: string;
  /** The access key that it is signed by; signatures are not checked. */
  readonly caller: string;
  readonly body: string;
}

/** The answer, as text. */
export interface AwsAnswer {
  readonly status: number;
  readonly body: string;
}

/** Starts it on a free port. */
export function startAwsEndpoint(
  answerTo: (call: AwsCall) => AwsAnswer | Promise<AwsAnswer>,
  contentType = 'application/x-amz-json-1.1',
): Promise<OwnEndpoint> {
  const server = createServer((request, response) => {
    const [, caller = ''] = /Credential=([^/]+)\//.exec(request.headers.authorization ?? '') ?? [];
    void text(request)
      .then((body) => answerTo({ target: String(request.headers['x-amz-target']), caller, body }))
      .then(({ status, body }) => {
        response.writeHead(status, { 'content-type': contentType, 'x-amzn-RequestId': randomUUID() }).end(body);
      })
      // Only a client that went away can fail here.
      .catch(() => response.destroy());
  });
  return listenOnLoopback(server);
}
