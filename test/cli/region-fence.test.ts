// A copy of the ledger that comes from another Region: it does not become the ledger before the gateway refuses what that
// Region signs with, whatever the operator types; and the proof is asked of the gateway itself.
import { generateKeyPairSync } from 'node:crypto';
import { DynamoDBClient, PutItemCommand } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type EmbeddedAws, startEmbeddedAws } from '../../lib/local/embedded-aws.ts';
import type { GatewaySimulator } from '../../lib/local/gateway/simulator.ts';
import { clientConfigOf, workerEnvironment } from '../../lib/local/local-environment.ts';
import { startLocalGateway } from '../../lib/local/local-gateway.ts';
import { localWorkerLimits } from '../../lib/local/local-limits.ts';
import { createDynamoDbRestoreAdmin } from '../../lib/restore/dynamodb-restore-admin.ts';
import { longIt } from '../support/long-proof.ts';
import { type CliEnd, runCli } from './support/cli.ts';
import { createTable } from '../support/created-table.ts';

const copy = 'ledger-copied';
const because = ['--reason', 'the Region is gone'];
let aws: EmbeddedAws;
let gateway: GatewaySimulator;
let dynamodb: DynamoDBClient;
let env: Record<string, string>;

const restore = (...args: string[]): Promise<CliEnd> =>
  runCli(['restore', ...args], { env: { ...env, LEDGER_TABLE_NAME: copy } });

const aKeyPair = () =>
  generateKeyPairSync('rsa', {
    modulusLength: 2048,
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    publicKeyEncoding: { type: 'spki', format: 'pem' },
  });
const [old, next] = [aKeyPair(), aKeyPair()];
const account = { login: 'acme-login', controlKey: 'FAKE-control-key' };
const secretWith = ({ privateKey }: { readonly privateKey: string }) => ({
  ...account,
  baseUrl: gateway.url,
  privateKey,
  mode: 'test',
  profile: { statusInquiry: true, signatureMethod: { status: 'RSA-SHA256' } },
});
const gatewayKnows = ({ publicKey }: { readonly publicKey: string }) =>
  gateway.enrol({ ...account, publicKeyPem: publicKey });

beforeAll(async () => {
  aws = await startEmbeddedAws({ maxReceiveCount: localWorkerLimits.maxReceiveCount, visibilityTimeoutSeconds: 60 });
  gateway = (await startLocalGateway('none', async () => ({}))).simulator;
  dynamodb = new DynamoDBClient(clientConfigOf(aws, 'DYNAMODB'));
  env = workerEnvironment(aws, localWorkerLimits.environment);
  aws.secrets.put('payouts/acme-eu', secretWith(old));
  gatewayKnows(old);
  await createTable(dynamodb, copy);
  const Item = { pk: { S: '~ledger' }, ledger: { S: 'payouts-prod-ledger' }, inRegion: { S: 'eu-south-1' } };
  await dynamodb.send(new PutItemCommand({ TableName: copy, Item }));
});

afterAll(async () => {
  dynamodb.destroy();
  await gateway.close();
  await aws.close();
});

it('a table says which Region it is the ledger of', async () => {
  const here = createDynamoDbRestoreAdmin({ client: dynamodb, tableName: aws.ledgerTableName });
  await here.stamp();
  expect(await here.movedFrom()).toBeUndefined();
  const copied = createDynamoDbRestoreAdmin({ client: dynamodb, tableName: copy });
  expect(await copied.movedFrom()).toEqual({ region: 'eu-south-1', isRefused: false });
});

longIt('from a copy that may not take over to the ledger', { timeout: 120_000 }, async () => {
  const begin = ['begin', '--to', '2026-11-21T10:00:00Z', ...because];
  const notProven = (why: string) => ({ code: 1, stdout: expect.stringContaining(`acme-eu: not proven: ${why}`) });

  // when nothing is known of the lost Region, then the copy stays a copy
  expect(await restore('status')).toMatchObject({ code: 1, stdout: expect.stringContaining('comes from eu-south-1') });
  expect(await restore(...begin)).toMatchObject({
    code: 1,
    stdout: expect.stringContaining('does not become the ledger before the gateway is known to refuse that Region'),
  });
  expect(await restore('fence', 'acme-eu=39915', ...because)).toMatchObject(
    notProven('the secret has no version before'),
  );

  // when there is a new key that the gateway does not know, its refusal proves nothing
  aws.secrets.put('payouts/acme-eu', secretWith(next));
  expect(await restore('fence', 'acme-eu=39915', ...because)).toMatchObject(
    notProven('the gateway refuses the new key too'),
  );

  // when the gateway knows the new key alone, but another merchant was not asked about, nothing is proven for that one
  gatewayKnows(next);
  aws.secrets.put('payouts/acme-us', secretWith(old));
  expect(await restore('fence', 'acme-eu=39915', ...because)).toMatchObject({
    code: 1,
    stdout: 'acme-us: not proven: its gateway was not asked: name an endpoint of it too\n',
  });
  expect(await restore(...begin)).toMatchObject({ code: 1 });

  // when both are refused by the old key and taken by the new, then the copy becomes the ledger
  aws.secrets.put('payouts/acme-us', secretWith(next));
  const fenced = await restore('fence', 'acme-eu=39915', 'acme-us=39915', ...because);
  expect(fenced).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('all 2 merchants refuse the keys that eu-south-1'),
  });
  expect(fenced.stdout + fenced.stderr).not.toContain(account.controlKey);
  expect(await restore(...begin)).toMatchObject({ code: 0, stdout: expect.stringContaining(`${copy} is the ledger`) });
  expect(await restore('fence', 'acme-eu=39915', ...because)).toMatchObject({ code: 1 });
});

longIt('a gateway that still takes the old key beside the new one is no proof', async () => {
  const TableName = 'ledger-copied-again';
  await createTable(dynamodb, TableName);
  const Item = { pk: { S: '~ledger' }, ledger: { S: 'payouts-prod-ledger' }, inRegion: { S: 'eu-south-1' } };
  await dynamodb.send(new PutItemCommand({ TableName, Item }));
  const again = (...args: string[]) => runCli(['restore', ...args], { env: { ...env, LEDGER_TABLE_NAME: TableName } });

  // given a secret in which something else has changed: the version before signs with the same key
  for (const merchant of ['acme-eu', 'acme-us'])
    aws.secrets.put(`payouts/${merchant}`, { ...secretWith(next), mode: 'live' });
  expect(await again('fence', 'acme-eu=39915', 'acme-us=39915', ...because)).toMatchObject({
    code: 1,
    stdout: expect.stringContaining('the gateway still takes the old key: the lost Region can pay'),
  });

  // then a person's word about the addresses, which needs a name and a reason, is the other way
  expect(await again('fence', '--addresses-refused')).toMatchObject({ code: 2 });
  expect(await again('fence', '--addresses-refused', ...because)).toMatchObject({ code: 0 });
  expect(await again('begin', '--to', '2026-11-21T10:00:00Z', ...because)).toMatchObject({ code: 0 });
});
