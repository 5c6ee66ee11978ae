// What lib/merchants/secret-ports.ts promises of the desk of secrets, as stories against whatever speaks Secrets Manager at an
// address.
import { randomUUID } from 'node:crypto';
import { CreateSecretCommand, DescribeSecretCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { contractName, keysName } from '../../lib/aws/secrets-manager-credentials.ts';
import { createSecretsManagerAdmin } from '../../lib/merchants/secrets-manager-admin.ts';
import type { SecretAdmin, SecretStage } from '../../lib/merchants/secret-ports.ts';

const prefix = 'payouts-desk/';
const contract = JSON.stringify({ login: 'acme', baseUrl: 'https://gate.example.com' });
const keysOf = (controlKey: string) => JSON.stringify({ acme: { controlKey } });

/** Runs the suite; `readsMoved` is false where GetSecretValue does not follow a label that was moved. */
export function describeSecretDesk(
  name: string,
  start: () => string | Promise<string>,
  { readsMoved = true }: { readonly readsMoved?: boolean } = {},
): void {
  describe(`the desk of secrets on ${name}`, () => {
    let client: SecretsManagerClient;
    let desk: SecretAdmin;

    beforeAll(async () => {
      const credentials = { accessKeyId: 'FAKEKEYID', secretAccessKey: 'fake' };
      client = new SecretsManagerClient({
        region: 'eu-central-1',
        endpoint: await start(),
        credentials,
        maxAttempts: 1,
      });
      const signerFor = () =>
        ({ kind: 'rsa-signer', keyId: 'alias/acme', signDigest: async () => new Uint8Array() }) as const;
      desk = createSecretsManagerAdmin({ client, prefix, signerFor });
    });

    afterAll(() => client.destroy());

    async function aMerchant(): Promise<{ merchant: string; version: string }> {
      const merchant = `merchant-${randomUUID()}`;
      const put = (Name: string, SecretString: string) => client.send(new CreateSecretCommand({ Name, SecretString }));
      await put(prefix + contractName(merchant), contract);
      const { VersionId = '' } = await put(prefix + keysName(merchant), keysOf('FAKE-old-key'));
      return { merchant, version: VersionId };
    }

    /** Labels by version, as the service describes them. */
    async function labels(merchant: string): Promise<Record<string, string[]>> {
      const { VersionIdsToStages = {} } = await client.send(
        new DescribeSecretCommand({ SecretId: prefix + keysName(merchant) }),
      );
      return Object.fromEntries(Object.entries(VersionIdsToStages).map(([id, stages]) => [id, stages.toSorted()]));
    }

    const keyOf = async (merchant: string, stage: SecretStage) => {
      const stored = await desk.read(merchant, stage);
      if (stored?.read.kind !== 'credentials') return stored?.read.message;
      return stored.read.credentials.controlKey?.export().toString();
    };

    it('reads the current version, and nothing where there is none', async () => {
      const { merchant, version } = await aMerchant();
      expect(await desk.read(merchant, 'AWSCURRENT')).toMatchObject({
        version,
        contract,
        text: keysOf('FAKE-old-key'),
      });
      expect(await keyOf(merchant, 'AWSCURRENT')).toBe('FAKE-old-key');
      expect(await desk.read(merchant, 'AWSPENDING')).toBeUndefined();
      expect(await desk.read('unknown-eu', 'AWSCURRENT')).toBeUndefined();
    });

    it('stores a pending version beside the current one; a further one takes the label', async () => {
      const { merchant, version } = await aMerchant();
      const first = await desk.stage(merchant, keysOf('FAKE-first-key'));
      expect(await keyOf(merchant, 'AWSPENDING')).toBe('FAKE-first-key');
      const second = await desk.stage(merchant, keysOf('FAKE-second-key'));
      expect(new Set([version, first, second]).size).toBe(3);
      expect(await keyOf(merchant, 'AWSCURRENT')).toBe('FAKE-old-key');
      expect(await keyOf(merchant, 'AWSPENDING')).toBe('FAKE-second-key');
    });

    it('moves AWSCURRENT; the version before can be gone back to', async () => {
      const { merchant, version: from } = await aMerchant();
      const to = await desk.stage(merchant, keysOf('FAKE-new-key'));
      expect(await desk.promote(merchant, { from, to })).toBe('moved');
      expect(await labels(merchant)).toMatchObject({ [from]: ['AWSPREVIOUS'] });
      expect((await labels(merchant))[to]).toContain('AWSCURRENT');
      expect(await desk.promote(merchant, { from: to, to: from })).toBe('moved');
      expect((await labels(merchant))[from]).toContain('AWSCURRENT');
    });

    it.runIf(readsMoved)('reads by the labels as they are after a move', async () => {
      const { merchant, version: from } = await aMerchant();
      const to = await desk.stage(merchant, keysOf('FAKE-new-key'));
      await desk.promote(merchant, { from, to });
      expect(await keyOf(merchant, 'AWSCURRENT')).toBe('FAKE-new-key');
      expect(await keyOf(merchant, 'AWSPREVIOUS')).toBe('FAKE-old-key');
    });

    it('moves nothing when somebody else has moved it meanwhile', async () => {
      const { merchant, version } = await aMerchant();
      const to = await desk.stage(merchant, keysOf('FAKE-new-key'));
      expect(await desk.promote(merchant, { from: to, to: version })).toBe('overtaken');
      expect((await labels(merchant))[version]).toEqual(['AWSCURRENT']);
    });
  });
}
