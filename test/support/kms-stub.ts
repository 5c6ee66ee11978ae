// AWS KMS as far as signing needs it: its JSON 1.1 protocol over loopback, one RSA key that only this server has.
import { constants, createHash, generateKeyPairSync, type KeyObject, privateEncrypt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { json } from 'node:stream/consumers';
import { KMSClient } from '@aws-sdk/client-kms';

/** The running stub. */
export interface KmsStub {
  readonly keyArn: string;
  readonly publicKey: KeyObject;
  /** The next signatures are refused with this error of the service; undefined ends it. */
  failWith(error: string | undefined): void;
  /** A client of it, made as the worker makes one of AWS. */
  newClient(): KMSClient;
  close(): Promise<void>;
}

/** DER of the SHA-256 DigestInfo (RFC 8017 section 9.2), which comes before the digest in the signed block. */
const digestInfo = Buffer.from('3031300d060960864801650304020105000420', 'hex');

/** Starts it on a free port. */
export async function startKmsStub(): Promise<KmsStub> {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const keyArn = 'arn:aws:kms:eu-central-1:111122223333:key/fake-key-id';
  let failure: string | undefined;
  const server = createServer((request, response) => {
    void (async () => {
      const call = (await json(request)) as Readonly<Record<string, string>>;
      const refusal = failure ?? refusalOf(String(request.headers['x-amz-target']), call, keyArn);
      response.writeHead(refusal === undefined ? 200 : 400, { 'content-type': 'application/x-amz-json-1.1' });
      if (refusal !== undefined) return response.end(JSON.stringify({ __type: refusal, message: `about ${keyArn}` }));
      const block = Buffer.concat([digestInfo, Buffer.from(call['Message'] ?? '', 'base64')]);
      const signature = privateEncrypt({ key: privateKey, padding: constants.RSA_PKCS1_PADDING }, block);
      return response.end(JSON.stringify({ KeyId: keyArn, Signature: signature.toString('base64') }));
    })();
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const address = server.address();
  const url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
  return {
    newClient: () =>
      new KMSClient({
        region: 'eu-central-1',
        endpoint: url,
        credentials: { accessKeyId: 'fake', secretAccessKey: 'fake' },
        maxAttempts: 1,
      }),
    keyArn,
    publicKey,
    failWith: (error) => void (failure = error),
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function refusalOf(target: string, call: Readonly<Record<string, string>>, keyArn: string): string | undefined {
  if (target !== 'TrentService.Sign') return 'UnknownOperationException';
  if (call['KeyId'] !== keyArn) return 'NotFoundException';
  const asked = `${call['MessageType']} ${call['SigningAlgorithm']}`;
  const digestBytes = createHash('sha256').digest().length;
  const length = Buffer.from(call['Message'] ?? '', 'base64').length;
  return asked === 'DIGEST RSASSA_PKCS1_V1_5_SHA_256' && length === digestBytes ? undefined : 'ValidationException';
}
