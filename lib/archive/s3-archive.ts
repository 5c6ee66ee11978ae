// The archive in S3: one object of compressed lines per PUT, named by the digest of what is in it, and never written over.
// S3's own client is as large as all others together and knows one call that is needed; so that call is signed and sent
// with what the client of DynamoDB is made of: its credentials, signer, connections and deadlines.
import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { HttpRequest } from '@smithy/core/protocols';
import { endingIn } from '../aws/aws-calls.ts';
import { archiveObject } from '../payout/due-work.ts';
import type { ArchiveStore } from './archive-orders.ts';

/** Where the archive is. */
export interface S3ArchiveOptions {
  /** Signs and sends; no call of its own is made. */
  readonly client: Pick<DynamoDBClient, 'config'>;
  /** The bucket's address, as in https://archive.s3.eu-central-1.amazonaws.com. */
  readonly url: string;
  /** Bound of one PUT. */
  readonly timeoutMs: number;
  readonly nowMs: () => number;
}

/** A digest long enough that no two objects share one, short enough to be kept a billion times. */
const idLength = 22;

/** S3 did not say that it has the object: perhaps it has. Nothing is cut down, and a later run stores it again. */
class NotStoredError extends Error {
  override readonly name = 'NotStoredError';
  readonly code: string;
  constructor(status: number, code: string | undefined) {
    super(`S3 answered ${status} ${code ?? ''}`);
    this.code = code ?? `HTTP_${status}`;
  }
}

/** An archive in one bucket. Rejects unless S3 has confirmed the object. */
export function createS3Archive({ client: { config }, url, timeoutMs, nowMs }: S3ArchiveOptions): ArchiveStore {
  let signer: ReturnType<typeof config.signer> | undefined;
  async function signed(request: HttpRequest): Promise<HttpRequest> {
    const signingRegion = await config.region();
    signer ??= config.signer({ name: 'sigv4', signingName: 's3', signingRegion, properties: {} });
    const signingDate = new Date(nowMs() + config.systemClockOffset);
    return (await (
      await signer
    ).sign(request, {
      signingDate,
      signingRegion,
      signingService: 's3',
    })) as HttpRequest;
  }

  return {
    async store(lines) {
      const body = gzipSync(`${lines.join('\n')}\n`);
      const digest = createHash('sha256').update(body);
      const sum = digest.digest('base64');
      const id = sum.replaceAll('+', '-').replaceAll('/', '_').slice(0, idLength);
      await endingIn(timeoutMs, async (abortSignal) => {
        const request = await signed(putOf(new URL(url), archiveObject(id), body, sum));
        const { response } = await config.requestHandler.handle(request, { abortSignal });
        const text = config.utf8Encoder(await config.streamCollector(response.body));
        // There already: by its name it is the same, and whoever stored it was never heard.
        if (response.statusCode === 412) return;
        if (response.statusCode !== 200 || response.headers['etag'] === undefined)
          throw new NotStoredError(response.statusCode, /<Code>(\w+)<\/Code>/.exec(text)?.[1]);
      });
      return id;
    },
  };
}

function putOf({ protocol, hostname, port, pathname }: URL, key: string, body: Buffer, sum: string): HttpRequest {
  return new HttpRequest({
    protocol,
    hostname,
    ...(port !== '' && { port: Number(port) }),
    path: `${pathname.replace(/\/$/, '')}/${key}`,
    method: 'PUT',
    headers: {
      host: port === '' ? hostname : `${hostname}:${port}`,
      'content-type': 'application/gzip',
      'content-length': String(body.byteLength),
      // What arrived otherwise is refused; S3 asks for it where objects are locked.
      'x-amz-checksum-sha256': sum,
      'x-amz-content-sha256': Buffer.from(sum, 'base64').toString('hex'),
      'if-none-match': '*',
    },
    body,
  });
}
