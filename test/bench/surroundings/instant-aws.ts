// AWS at no cost: one loopback server that takes every call and says at once that it is done. What a handler then costs
// is its own work and its clients', with no emulator in the way. It keeps nothing.
import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';

type Call = Readonly<Record<string, unknown>>;
type Entry = { readonly Id: string; readonly MessageBody: string };

const md5 = (body: string): string => createHash('md5').update(body).digest('hex');

/** The answers by operation, as far as the handlers and their peers call; anything else fails the benchmark. */
const answers: Readonly<Record<string, (call: Call, secretOf: (id: string) => string) => object>> = {
  PutItem: () => ({}),
  UpdateItem: () => ({}),
  GetItem: () => ({}),
  BatchGetItem: () => ({ Responses: {}, UnprocessedKeys: {} }),
  SendMessage: ({ MessageBody }) => ({ MessageId: 'm', MD5OfMessageBody: md5(String(MessageBody)) }),
  SendMessageBatch: ({ Entries }) => ({
    Successful: (Entries as Entry[]).map(({ Id, MessageBody }) => ({
      Id,
      MessageId: Id,
      MD5OfMessageBody: md5(MessageBody),
    })),
    Failed: [],
  }),
  GetSecretValue: ({ SecretId }, secretOf) => ({
    Name: SecretId,
    VersionId: '1',
    SecretString: secretOf(String(SecretId)),
  }),
};

/** Starts the server; returns its address. */
export async function startInstantAws(secretOf: (id: string) => string): Promise<string> {
  const server = createServer((request, response) => {
    void (async () => {
      const operation = String(request.headers['x-amz-target']).split('.').at(-1) ?? '';
      const answer = answers[operation];
      const call = JSON.parse(await text(request satisfies IncomingMessage)) as Call;
      response.writeHead(answer ? 200 : 501, { 'content-type': 'application/x-amz-json-1.0' });
      response.end(JSON.stringify(answer?.(call, secretOf) ?? { __type: 'NotImplemented', message: operation }));
    })();
  });
  server.keepAliveTimeout = 60_000;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  return `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
}
