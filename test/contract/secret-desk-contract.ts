// What lib/merchants/secret-ports.ts promises of the desk of secrets, as stories against whatever speaks Secrets Manager at an
// address.
import { randomUUID } from 'node:crypto';
import { CreateSecretCommand, DescribeSecretCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createSecretsManagerAdmin } from '../../lib/merchants/secrets-manager-admin.ts';
import type { SecretAdmin, SecretStage } from '../../lib/merchants/secret-ports.ts';

const prefix = 'payouts-desk/';
const secretOf = (login: string) =>
  JSON.stringify({ login, controlKey: 'FAKE-control-key-of-a-desk', baseUrl: 'https://gate.example.com' });

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

    async function aMerchant(text = secretOf('old-login')): Promise<{ merchant: string; version: string }> {
      const merchant = `merchant-${randomUUID()}`;
      const create = new CreateSecretCommand({ Name: prefix + merchant, SecretString: text });
      const { VersionId = '' } = await client.send(create);
      return { merchant, version: VersionId };
    }

    /** Labels by version, as the service describes them. */
    async function labels(merchant: string): Promise<Record<string, string[]>> {
      const { VersionIdsToStages = {} } = await client.send(new DescribeSecretCommand({ SecretId: prefix + merchant }));
      return Object.fromEntries(Object.entries(VersionIdsToStages).map(([id, stages]) => [id, stages.toSorted()]));
    }

    const loginOf = async (merchant: string, stage: SecretStage) => {
      const stored = await desk.read(merchant, stage);
      return stored?.read.kind === 'credentials' ? stored.read.credentials.login : stored?.read.message;
    };

    it('reads the current version, and nothing where there is none', async () => {
      const { merchant, version } = await aMerchant();
      expect(await desk.read(merchant, 'AWSCURRENT')).toMatchObject({ version, text: secretOf('old-login') });
      expect(await loginOf(merchant, 'AWSCURRENT')).toBe('old-login');
      expect(await desk.read(merchant, 'AWSPENDING')).toBeUndefined();
      expect(await desk.read('nobody', 'AWSCURRENT')).toBeUndefined();
    });

    it('stores a pending version beside the current one; a further one takes the label', async () => {
      const { merchant, version } = await aMerchant();
      const first = await desk.stage(merchant, secretOf('first-login'));
      expect(await loginOf(merchant, 'AWSPENDING')).toBe('first-login');
      const second = await desk.stage(merchant, secretOf('second-login'));
      expect(new Set([version, first, second]).size).toBe(3);
      expect(await loginOf(merchant, 'AWSCURRENT')).toBe('old-login');
      expect(await loginOf(merchant, 'AWSPENDING')).toBe('second-login');
    });

    it('moves AWSCURRENT; the version before can be gone back to', async () => {
      const { merchant, version: from } = await aMerchant();
      const to = await desk.stage(merchant, secretOf('new-login'));
      expect(await desk.promote(merchant, { from, to })).toBe('moved');
      expect(await labels(merchant)).toMatchObject({ [from]: ['AWSPREVIOUS'] });
      expect((await labels(merchant))[to]).toContain('AWSCURRENT');
      expect(await desk.promote(merchant, { from: to, to: from })).toBe('moved');
      expect((await labels(merchant))[from]).toContain('AWSCURRENT');
    });

    it.runIf(readsMoved)('reads by the labels as they are after a move', async () => {
      const { merchant, version: from } = await aMerchant();
      const to = await desk.stage(merchant, secretOf('new-login'));
      await desk.promote(merchant, { from, to });
      expect(await loginOf(merchant, 'AWSCURRENT')).toBe('new-login');
      expect(await loginOf(merchant, 'AWSPREVIOUS')).toBe('old-login');
    });

    it('moves nothing when somebody else has moved it meanwhile', async () => {
      const { merchant, version } = await aMerchant();
      const to = await desk.stage(merchant, secretOf('new-login'));
      expect(await desk.promote(merchant, { from: to, to: version })).toBe('overtaken');
      expect((await labels(merchant))[version]).toEqual(['AWSCURRENT']);
    });
  });
}
