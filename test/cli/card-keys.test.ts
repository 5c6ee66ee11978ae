// `payouts card-keys`, and card data of a file that `payouts submit` seals on its way.
import { ScanCommand } from '@aws-sdk/client-dynamodb';
import { GetSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { readFile, writeFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { clientConfigOf } from '../../lib/local/local-environment.ts';
import { testCards } from '../support/jobs.ts';
import { aDirectory } from './support/files.ts';
import { anAws } from './support/aws.ts';

const files = aDirectory();
const queue = anAws({ cwd: files.path });
const { payouts } = queue;

interface KeySet {
  readonly keys: readonly Readonly<Record<string, string>>[];
}

async function jwks(): Promise<KeySet> {
  const { code, stdout } = await payouts('card-keys', 'jwks');
  expect(code).toBe(0);
  return JSON.parse(stdout);
}

it('without keys there is nothing to print', async () => {
  expect(await payouts('card-keys', 'jwks')).toMatchObject({
    code: 1,
    stdout: '',
    stderr: 'payouts: there are no card keys; `node . card-keys new` makes one\n',
  });
});

it('a new key is the first of the set, and the older ones stay until they are removed', async () => {
  // given a key of each kind
  expect(await payouts('card-keys', 'new', '--id', 'first', '--kind', 'rsa')).toMatchObject({ code: 0 });
  expect(await payouts('card-keys', 'new', '--id', 'second')).toMatchObject({
    code: 0,
    stdout: 'key second is the one to seal under; give senders what `node . card-keys jwks` prints\n',
  });

  // then
  expect(await jwks()).toEqual({
    keys: [
      {
        kty: 'EC',
        crv: 'P-256',
        x: expect.any(String),
        y: expect.any(String),
        kid: 'second',
        alg: 'ECDH-ES',
        use: 'enc',
      },
      { kty: 'RSA', n: expect.any(String), e: 'AQAB', kid: 'first', alg: 'RSA-OAEP-256', use: 'enc' },
    ],
  });

  // and the older one can be taken away, the current one can not
  expect(await payouts('card-keys', 'remove', 'second', '--json')).toMatchObject({
    code: 1,
    stdout: '{"kid":"second","outcome":"current"}\n',
  });
  expect(await payouts('card-keys', 'remove', 'first')).toMatchObject({ code: 0 });
  expect(await payouts('card-keys', 'remove', 'first')).toMatchObject({
    code: 1,
    stdout: '',
    stderr: 'payouts: there is no key first\n',
  });
  expect((await jwks()).keys.map(({ kid }) => kid)).toEqual(['second']);
});

it('a key is named after its day, and no key takes the place of another', async () => {
  const { stdout, code } = await payouts('card-keys', 'new', '--json');
  expect({ code, ...JSON.parse(stdout) }).toEqual({
    code: 0,
    kid: expect.stringMatching(/^\d{4}-\d\d-\d\d$/),
    outcome: 'added',
  });
  expect(await payouts('card-keys', 'new', '--id', 'second')).toMatchObject({
    code: 1,
    stderr: 'payouts: there is a key second already; name the new one with --id\n',
  });
});

it('private halves were never printed', async () => {
  const client = new SecretsManagerClient(clientConfigOf(queue.aws(), 'SECRETS_MANAGER'));
  const { SecretString = '' } = await client.send(new GetSecretValueCommand({ SecretId: 'payouts/_card' }));
  client.destroy();
  const { keys } = JSON.parse(SecretString) as { keys: Record<string, { d: string }> };
  const secrets = Object.values(keys).map(({ d }) => d);
  expect(secrets.length).toBe(2);
  for (const secret of secrets) expect(queue.printed()).not.toContain(secret);
});

describe('a file with card data', () => {
  const header =
    'order_id,amount,currency,credit_card_number,cvv2,expire_month,expire_year,card_printed_name,destination-card-no';
  const row = (id: string, amount = '25.00') =>
    `${id},${amount},USD,${testCards.sender},737,12,2030,JANE DOE,${testCards.receiver}`;
  const same = ['--merchant', 'acme-eu', '--operation', 'transfer', '--endpoint', '39915', '--yes'];

  it('is sealed on its way, each CVV under a key of its own order', async () => {
    // given what senders are given
    await writeFile(`${files.path()}/keys.json`, JSON.stringify(await jwks()));
    const file = await files.file('cards.csv', [header, row('T-1'), row('T-2', '26.00')].join('\n'));

    // when
    const { code, stdout } = await payouts('submit', file, ...same, '--batch', 'cards', '--card-keys', 'keys.json');

    // then
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout:
        'batch cards: all 2 rows of cards.csv are on the queue, which does not mean paid\n  follow them: `node . batch cards --watch`\n',
    });
    const jobs = await queue.takeJobs();
    expect(jobs.map(({ orderId, params }) => [orderId, params])).toEqual([
      ['T-1', { amount: '25.00', currency: 'USD' }],
      ['T-2', { amount: '26.00', currency: 'USD' }],
    ]);
    expect(JSON.stringify(jobs)).not.toMatch(/4111111111111111|5555555555554444|cvv2|JANE DOE/);
    const { Items = [] } = await queue.dynamodb().send(new ScanCommand({ TableName: queue.aws().cardKeysTableName }));
    const left = Items.map(({ pk, jk }) => [pk?.S, jk?.S?.length]);
    expect(left.toSorted()).toEqual([
      ['acme-eu/T-1', 43],
      ['acme-eu/T-2', 43],
    ]);
  });

  it('is not sent without keys, nor under what is a private key', async () => {
    const file = await files.file('more-cards.csv', [header, row('T-3')].join('\n'));
    const plain = await payouts('submit', file, ...same);
    expect(plain).toMatchObject({ code: 2 });
    expect(plain.stderr).toContain('is card data in the clear; add --card-keys to seal it');
    const { keys } = await jwks();
    await writeFile(`${files.path()}/private.json`, JSON.stringify({ keys: [{ ...keys[0], d: 'x' }] }));
    expect(await payouts('submit', file, ...same, '--card-keys', 'private.json')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('the key set holds a private key'),
    });
    expect(await queue.takeJobs()).toEqual([]);
    expect(await readFile(file, 'utf8')).toContain('737');
  });
});
