// The contract of an archive in memory and on an embedded S3; and what becomes of a PUT that S3 does not confirm.
import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buildApp } from 'fauxqs';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { createMemoryArchive } from '../support/memory-archive.ts';
import { describeArchiveStore, inBucket, s3ArchiveAt } from './archive-store-contract.ts';

describeArchiveStore('in memory', async () => {
  const objects = new Map<string, readonly string[]>();
  return { archive: createMemoryArchive(objects), linesOf: async (id) => objects.get(id) ?? [] };
});

describe('in S3', () => {
  const app = buildApp({ logger: false });
  let url = '';
  beforeAll(async () => {
    url = await app.listen({ port: 0, host: '127.0.0.1' });
  });
  afterAll(() => app.close());

  describeArchiveStore('on the embedded S3', () => inBucket(url));
});

async function anS3(answer: RequestListener): Promise<string> {
  const server = createServer(answer);
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.closeAllConnections());
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/archive`;
}

describe('a PUT to S3', () => {
  it('is signed, sums what it sends, and never writes over what is there', async () => {
    let seen: IncomingMessage['headers'] = {};
    const url = await anS3((request, response) => {
      seen = request.headers;
      request.resume().on('end', () => response.writeHead(200, { etag: '"1"' }).end());
    });
    await s3ArchiveAt(url).store(['{}']);
    expect(seen).toMatchObject({
      authorization: expect.stringMatching(
        /^AWS4-HMAC-SHA256 Credential=fake\/\d{8}\/eu-central-1\/s3\/aws4_request, SignedHeaders=[a-z0-9;-]*if-none-match/,
      ),
      'if-none-match': '*',
      'x-amz-checksum-sha256': expect.stringMatching(/^[\w+/]{43}=$/),
      'x-amz-content-sha256': expect.stringMatching(/^[0-9a-f]{64}$/),
    });
  });

  it('to an object that is there already has its wish: by its name it is the same', async () => {
    const url = await anS3((request, response) => request.resume().on('end', () => response.writeHead(412).end()));
    expect(await s3ArchiveAt(url).store(['{}'])).toMatch(/^[\w-]{22}$/);
  });

  it.each<[what: string, answer: RequestListener, error: object]>([
    [
      'is refused',
      (request, response) =>
        void request.resume().on('end', () => response.writeHead(403).end('<Error><Code>AccessDenied</Code></Error>')),
      { name: 'NotStoredError', code: 'AccessDenied' },
    ],
    [
      'meets another writer',
      (request, response) => void request.resume().on('end', () => response.writeHead(409).end()),
      { name: 'NotStoredError', code: 'HTTP_409' },
    ],
    [
      'is answered by something that is not S3',
      (request, response) => void request.resume().on('end', () => response.writeHead(200).end('welcome')),
      { name: 'NotStoredError', code: 'HTTP_200' },
    ],
    ['is never answered', () => {}, { code: 'ETIMEDOUT' }],
    ['is cut off', (request) => void request.destroy(), { code: 'ECONNRESET' }],
  ])('that %s has stored nothing, as far as anybody knows', async (_, answer, error) => {
    await expect(s3ArchiveAt(await anS3(answer), 200).store(['{}'])).rejects.toMatchObject(error);
  });
});
