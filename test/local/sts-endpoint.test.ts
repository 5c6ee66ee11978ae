// Two persons on one machine, told apart by their access keys as the real client sends them.
import { GetCallerIdentityCommand, STSClient } from '@aws-sdk/client-sts';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createStsIdentity } from '../../lib/batches/sts-identity.ts';
import { startStsEndpoint } from '../../lib/local/sts-endpoint.ts';
import type { OwnEndpoint } from '../../lib/local/own-hosts.ts';

let sts: OwnEndpoint;

beforeAll(async () => {
  sts = await startStsEndpoint(
    new Map([
      ['FAKE-ADA', 'ada'],
      ['FAKE-GRACE', 'grace'],
    ]),
  );
});
afterAll(() => sts.close());

const clientOf = (accessKeyId: string) =>
  new STSClient({ region: 'eu-central-1', endpoint: sts.url, credentials: { accessKeyId, secretAccessKey: 'fake' } });

it.each(['ada', 'grace'])('%s is who holds the key', async (name) => {
  const client = clientOf(`FAKE-${name.toUpperCase()}`);
  expect(await createStsIdentity(client).whoAmI()).toBe(`arn:aws:iam::000000000000:user/${name}`);
  expect(await client.send(new GetCallerIdentityCommand({}))).toMatchObject({ Account: '000000000000' });
});

it('nobody else is anybody', async () => {
  await expect(createStsIdentity(clientOf('FAKE-EVE')).whoAmI()).rejects.toThrow(
    expect.objectContaining({ name: 'InvalidClientTokenId' }),
  );
});
