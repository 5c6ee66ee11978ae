// A copy of the ledger that comes from another Region: it does not become the ledger before the gateway refuses what that
// Region signs with, whatever the operator types; and the proof is asked of the gateway itself.
import { generateKeyPairSync } from 'node:crypto';
import { PutItemCommand } from '@aws-sdk/client-dynamodb';
import { beforeAll, expect, it } from 'vitest';
import { createLedgerRegion } from '../../lib/restore/dynamodb-ledger-region.ts';
import { createTable } from '../support/created-table.ts';
import { longIt } from '../support/long-proof.ts';
import { aPayoutJob } from '../support/jobs.ts';
import { anAws } from './support/aws.ts';
import { aDirectory } from './support/files.ts';
import { aRestore } from './support/restoring.ts';
import { putMerchant } from '../support/merchant-secrets.ts';

const world = anAws({ gateway: true, merchants: false, visibilityTimeoutSeconds: 60 });
const [copy, again] = ['ledger-copied', 'ledger-copied-again'];
const directory = aDirectory();
const its = aRestore(world, copy);
const payout = (orderId: string) => aPayoutJob({ orderId });
const because = ['--reason', 'the Region is gone'];
const restore = (table: string, ...args: string[]) => world.run(['restore', ...args], { LEDGER_TABLE_NAME: table });
const approve = (table: string) =>
  world.run(['approve', 'restore', '--yes'], { ...world.aws().secondOperator, LEDGER_TABLE_NAME: table });
/** A restore that was begun an hour ago. */
function pauseOfAnHour(): void {
  const by = 'arn:aws:iam::000000000000:user/first-operator';
  const restoring = { sinceMs: Date.now() - 3_600_000, by, reason: 'the Region is gone' };
  world.aws().secrets.put('payouts/_ledger', { restoring });
}

const ofLostRegion = { pk: { S: '~ledger' }, ledger: { S: 'payouts-prod-ledger' }, inRegion: { S: 'eu-south-1' } };
const aKeyPair = () =>
  generateKeyPairSync('rsa', {
    modulusLength: 2048,
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    publicKeyEncoding: { type: 'spki', format: 'pem' },
  });
const [old, next] = [aKeyPair(), aKeyPair()];
const account = { login: 'acme-login', controlKey: 'FAKE-control-key' };
const profile = { statusInquiry: true, signatureMethod: { status: 'RSA-SHA256' } };
const putSecret = (merchant: string, { privateKey }: { readonly privateKey: string }, mode = 'test') =>
  putMerchant(world.aws().secrets, merchant, { ...account, baseUrl: world.gateway().url, privateKey, mode, profile });
const gatewayKnows = ({ publicKey }: { readonly publicKey: string }) =>
  world.gateway().enrol({ ...account, publicKeyPem: publicKey });

beforeAll(async () => {
  putSecret('acme-eu', old);
  gatewayKnows(old);
  for (const TableName of [copy, again]) {
    await createTable(world.dynamodb(), TableName);
    await world.dynamodb().send(new PutItemCommand({ TableName, Item: ofLostRegion }));
  }
});

it('a table says which Region it is the ledger of', async () => {
  const admin = (tableName: string) => createLedgerRegion({ client: world.dynamodb(), tableName });
  await admin(world.aws().ledgerTableName).stamp();
  expect(await admin(world.aws().ledgerTableName).movedFrom()).toBeUndefined();
  expect(await admin(copy).movedFrom()).toEqual({ region: 'eu-south-1', isRefused: false });
});

longIt('from a copy that may not take over to the first payment by it', { timeout: 240_000 }, async () => {
  // given an order of the lost Region that the copy holds, and one that was paid since
  const { ledgerTableName: TableName } = world.aws();
  await world.send(payout('COPIED'));
  await its.work(60);
  const copied = (await its.itemsOf(TableName)).filter(({ pk }) => pk?.S === 'acme-eu/COPIED');
  for (const Item of copied) await world.dynamodb().send(new PutItemCommand({ TableName: copy, Item }));
  await world.send(payout('SINCE'));
  await its.work(60);
  const lines = [...(await world.results()).values()].map((it) => JSON.stringify(it));
  const results = await directory.file('results.jsonl', lines.join('\n'));
  expect(world.gateway().requests().payout).toBe(2);

  const fence = (...endpoints: string[]) => restore(copy, 'fence', ...endpoints);
  const notProven = (why: string) => ({ code: 1, stderr: expect.stringContaining(`acme-eu: not proven: ${why}`) });

  // when nothing is known of the lost Region, then the copy stays a copy
  expect(await restore(copy, 'status')).toMatchObject({
    code: 1,
    stdout: expect.stringContaining('comes from eu-south-1'),
  });
  const refused = 'does not become the ledger before the gateway is known to refuse that Region';
  pauseOfAnHour();
  expect(await approve(copy)).toMatchObject({ code: 1, stderr: expect.stringContaining(refused) });
  expect(await fence('acme-eu=39915')).toMatchObject(notProven('the secret has no version before'));

  // when there is a new key that the gateway does not know, its refusal proves nothing
  putSecret('acme-eu', next);
  expect(await fence('acme-eu=39915')).toMatchObject(notProven('the gateway refuses the new key too'));

  // when the gateway knows the new key alone, but another merchant was not asked about, nothing is proven for that one
  gatewayKnows(next);
  putSecret('acme-us', old);
  expect(await fence('acme-eu=39915')).toMatchObject({
    code: 1,
    stderr: 'payouts: acme-us: not proven: its gateway was not asked: name an endpoint of it too\n',
  });
  expect(await approve(copy)).toMatchObject({ code: 1 });

  // when both are refused by the old key and taken by the new, then the copy becomes the ledger
  putSecret('acme-us', next);
  expect(await fence('acme-eu=39915', 'acme-us=39915')).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('all 2 merchants refuse the keys that eu-south-1'),
  });
  expect(world.printed()).not.toContain(account.controlKey);
  // and what the copy and the consumers' results know is put in doubt
  expect(await its.doubt(results)).toMatchObject({ open: 1, ended: 0, made: 1 });
  expect(await its.doubt(results)).toMatchObject({ open: 0, ended: 0, raised: 0, made: 0 });
  expect(await approve(copy)).toMatchObject({ code: 0, stdout: expect.stringContaining(`${copy} is the ledger`) });

  // then what the lost Region has paid is not paid again, and a new order is paid, once
  await world.send(payout('COPIED'), payout('SINCE'), payout('NEW'), payout('NEW'));
  await its.work(60, its.inCopy);
  expect(world.gateway().requests().payout).toBe(3);
  expect((await world.run(['order', 'acme-eu/NEW'], its.inCopy)).code).toBe(0);
});

longIt('a gateway that still takes the old key beside the new one is no proof', async () => {
  // given a secret in which something else has changed: the version before signs with the same key
  for (const merchant of ['acme-eu', 'acme-us']) putSecret(merchant, next, 'live');
  expect(await restore(again, 'fence', 'acme-eu=39915', 'acme-us=39915')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('the gateway still takes the old key: the lost Region can pay'),
  });

  // then a person's statement about the addresses, which needs a name and a reason, is the other way
  expect(await restore(again, 'fence', '--addresses-refused')).toMatchObject({ code: 2 });
  expect(await restore(again, 'fence', '--addresses-refused', ...because)).toMatchObject({ code: 0 });
  pauseOfAnHour();
  expect(await approve(again)).toMatchObject({ code: 0 });
});
