// Which actions of IAM a program asks for: a server between it and moto, which reads each request as AWS would.
import { createServer, request, type IncomingMessage } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';

/** Passes requests on, and remembers what they ask for. */
export interface Recorder {
  readonly url: string;
  /** Names of actions as policies have them, like `lambda:GetAlias`, in the order of the alphabet. */
  actions(): readonly string[];
  close(): Promise<void>;
}

/** Lambda's and S3's requests name no action: method, path and query do. */
const restActions: readonly (readonly [request: RegExp, action: string])[] = [
  [/^GET \/2015-03-31\/functions\/[^/]+\/aliases\/[^/]+$/, 'lambda:GetAlias'],
  [/^PUT \/2015-03-31\/functions\/[^/]+\/aliases\/[^/]+$/, 'lambda:UpdateAlias'],
  [/^GET \/2015-03-31\/functions\/[^/]+\/aliases$/, 'lambda:ListAliases'],
  [/^GET \/2015-03-31\/functions\/[^/]+\/versions$/, 'lambda:ListVersionsByFunction'],
  [/^GET \/2015-03-31\/functions\/[^/]+\/configuration$/, 'lambda:GetFunctionConfiguration'],
  [/^GET \/2015-03-31\/functions\/[^/]+\/policy$/, 'lambda:GetPolicy'],
  [/^GET \/2015-03-31\/event-source-mappings$/, 'lambda:ListEventSourceMappings'],
  [/^GET \/2015-03-31\/event-source-mappings\/[^/]+$/, 'lambda:GetEventSourceMapping'],
  [/^GET \/2019-09-30\/functions\/[^/]+\/concurrency$/, 'lambda:GetFunctionConcurrency'],
  [/^GET \/2019-09-25\/functions\/[^/]+\/event-invoke-config$/, 'lambda:GetFunctionEventInvokeConfig'],
  [/^GET \/2024-08-31\/functions\/[^/]+\/recursion-config$/, 'lambda:GetFunctionRecursionConfig'],
  [/^GET \/2021-10-31\/functions\/[^/]+\/url$/, 'lambda:GetFunctionUrlConfig'],
  // https://docs.aws.amazon.com/AmazonS3/latest/API/API_HeadBucket.html: "you must have permissions to perform s3:ListBucket".
  [/^HEAD \/[^/]+\/?$/, 's3:ListBucket'],
  [/^PUT \/[^/]+\/?\?policy/, 's3:PutBucketPolicy'],
  [/^PUT \/[^/]+\/?$/, 's3:CreateBucket'],
  [/^PUT \/[^/]+\/.+/, 's3:PutObject'],
];

/** CloudWatch signs as `monitoring`. */
const prefixes: Readonly<Record<string, string>> = { monitoring: 'cloudwatch' };

/** The action that a request asks for; throws where it can't be read, so that none goes unseen. */
function actionOf(
  { method = '', url = '', headers }: Pick<IncomingMessage, 'method' | 'url' | 'headers'>,
  body: string,
): string {
  const [, scope = ''] = /Credential=[^/]+\/\d+\/[^/]+\/([^/]+)\//.exec(headers.authorization ?? '') ?? [];
  const service = prefixes[scope] ?? scope;
  const target = headers['x-amz-target'];
  const named =
    (typeof target === 'string' ? target.split('.').at(-1) : undefined) ??
    /\/operation\/(\w+)$/.exec(url)?.[1] ??
    new URLSearchParams(body).get('Action') ??
    undefined;
  if (named !== undefined) return `${service}:${named}`;
  // Of S3's queries one names what is asked for; Lambda's name versions, aliases and pages.
  const path = scope === 's3' ? url.replace(/[?&]x-id=\w+/, '') : url.replace(/\/?\?.*$/, '');
  const asked = `${method} ${path}`;
  const rest = restActions.find(([pattern]) => pattern.test(asked));
  if (!rest) throw new Error(`a request that names no action: ${service} ${asked}`);
  return rest[1];
}

/** Starts it before a service at this address. */
export async function startRecorder(target: string): Promise<Recorder> {
  const seen = new Set<string>();
  const unread = new Set<string>();
  const server = createServer(async (incoming, answer) => {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks);
    try {
      seen.add(actionOf(incoming, body.toString('latin1')));
    } catch (error) {
      unread.add(String(error));
    }
    const { method = 'GET', url = '/', headers } = incoming;
    const onward = request(new URL(url, target), { method, headers }, (answered) => {
      answer.writeHead(answered.statusCode ?? 502, answered.headers);
      answered.pipe(answer);
    });
    onward.on('error', () => answer.destroy());
    onward.end(body);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    actions() {
      if (unread.size > 0) throw new Error([...unread].join('\n'));
      return [...seen].toSorted();
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
