// What the functions sign and send themselves is what the SDK would have signed.
import { GetItemCommand } from '@aws-sdk/client-dynamodb';
import { VerifyMacCommand } from '@aws-sdk/client-kms';
import { GetSecretValueCommand } from '@aws-sdk/client-secrets-manager';
import { SendMessageCommand } from '@aws-sdk/client-sqs';
import { afterEach, expect, test, vi } from 'vitest';
import { createSigner } from '../../lib/aws/aws-requests.ts';
import { newDynamoDbClient } from '../../lib/aws/dynamodb-table.ts';
import { newKmsClient } from '../../lib/aws/kms-client.ts';
import { newSecretsManagerClient } from '../../lib/aws/secrets-manager-credentials.ts';
import { newSqsClient } from '../../lib/aws/sqs-queues.ts';
import { defaultLimits } from '../../lib/payout/limits.ts';

const region = 'eu-central-1';
const credentials = {
  accessKeyId: 'AKIDEXAMPLE',
  secretAccessKey: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY',
  sessionToken: 'a-session',
};

interface Sent {
  readonly protocol: string;
  readonly hostname: string;
  readonly method: string;
  readonly path: string;
  readonly query: Record<string, string>;
  readonly headers: Record<string, string>;
  readonly body?: string;
}

/** A client's settings, and the request that it would have sent. */
function capturing() {
  const sent: Sent[] = [];
  const handle = async (request: Sent) => {
    sent.push(request);
    return { response: { statusCode: 200, headers: {}, body: Buffer.from('{}') } };
  };
  return { sent, requestHandler: { handle, metadata: { handlerProtocol: 'http/1.1' } } };
}

const its = { limits: defaultLimits };
const calls: Record<string, (where: object) => Promise<unknown>> = {
  dynamodb: (where) =>
    newDynamoDbClient(its, where).send(new GetItemCommand({ TableName: 't', Key: { key: { S: 'a  b' } } })),
  kms: (where) =>
    newKmsClient(its, where).send(
      new VerifyMacCommand({
        KeyId: 'k',
        Message: new Uint8Array(2),
        Mac: new Uint8Array(2),
        MacAlgorithm: 'HMAC_SHA_256',
      }),
    ),
  secretsmanager: (where) =>
    newSecretsManagerClient(its, where).send(new GetSecretValueCommand({ SecretId: 'payouts/acme-eu' })),
  sqs: (where) =>
    newSqsClient(its, where).send(
      new SendMessageCommand({ QueueUrl: `https://sqs.${region}.amazonaws.com/123456789012/q`, MessageBody: 'é' }),
    ),
};

afterEach(() => vi.unstubAllEnvs());

/** The moment that the request says it was signed at. */
const signedAt = ({ headers }: Sent) =>
  (headers['x-amz-date'] ?? '').replace(/^(....)(..)(..)T(..)(..)(..)Z$/, '$1-$2-$3T$4:$5:$6Z');

/** The request before it was signed. */
const unsigned = (it: Sent) => ({
  ...it,
  headers: Object.fromEntries(
    Object.entries(it.headers).filter(([name]) => name !== 'authorization' && name !== 'x-amz-date'),
  ),
});

test.each(Object.entries(calls))('a request to %s has the signature that the SDK gives it', async (service, call) => {
  const { sent, requestHandler } = capturing();
  await call({ region, credentials, requestHandler }).catch(() => undefined);

  const [bySdk] = sent;
  if (!bySdk) throw new Error('nothing was sent');
  const ours = await createSigner(service, region, () => credentials).sign(unsigned(bySdk), {
    signingDate: new Date(signedAt(bySdk)),
  });
  expect(ours.headers['authorization']).toBe(bySdk.headers['authorization']);
});

test.each(Object.entries(calls))(
  'in Lambda, a request to %s is signed with the credentials of its environment',
  async (service, call) => {
    vi.stubEnv('AWS_LAMBDA_FUNCTION_NAME', 'payouts-submit');
    vi.stubEnv('AWS_REGION', region);
    vi.stubEnv('AWS_ACCESS_KEY_ID', credentials.accessKeyId);
    vi.stubEnv('AWS_SECRET_ACCESS_KEY', credentials.secretAccessKey);
    vi.stubEnv('AWS_SESSION_TOKEN', credentials.sessionToken);
    const { sent, requestHandler } = capturing();
    await call({ requestHandler }).catch(() => undefined);

    const { headers } = sent[0] ?? { headers: {} as Record<string, string> };
    expect(headers['authorization']).toContain(`Credential=${credentials.accessKeyId}/`);
    expect(headers['authorization']).toContain(`/${region}/${service}/aws4_request, SignedHeaders=`);
    expect(headers['x-amz-security-token']).toBe(credentials.sessionToken);
    expect(headers['x-amz-content-sha256']).toBeUndefined();
  },
);

test('in Lambda, the clock that the SDK has corrected is the one that signs', async () => {
  vi.stubEnv('AWS_LAMBDA_FUNCTION_NAME', 'payouts-submit');
  vi.stubEnv('AWS_REGION', region);
  vi.stubEnv('AWS_ACCESS_KEY_ID', credentials.accessKeyId);
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', credentials.secretAccessKey);
  const { sent, requestHandler } = capturing();
  const hourMs = 3_600_000;
  await calls['kms']?.({ requestHandler, systemClockOffset: hourMs }).catch(() => undefined);

  const aheadMs = Date.parse(sent[0] ? signedAt(sent[0]) : '') - Date.now();
  expect(Math.abs(aheadMs - hourMs)).toBeLessThan(60_000);
});
