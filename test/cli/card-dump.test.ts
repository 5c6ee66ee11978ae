// THE DUMP: a thief who copies every queue, all tables, the log and every file once an order is claimed, and has every
// long-lived key and every message as it was sent as well, can't recover one CVV. The worker as it ships, a real
// encryption, and an attacker who tries every text of the dump as a key.
import { createPrivateKey, type JsonWebKey } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { ScanCommand } from '@aws-sdk/client-dynamodb';
import { GetSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { compactDecrypt } from 'jose/jwe/compact/decrypt';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createDynamoDbCardKeyStore } from '../../lib/card-data/dynamodb-card-key-store.ts';
import { createSecretsManagerKeyring } from '../../lib/card-data/secrets-manager-keyring.ts';
import { clientConfigOf } from '../../lib/local/local-environment.ts';
import { takeMessages } from '../../lib/local/queue-reader.ts';
import { sealJob } from '../../lib/client/jose-seal-job.ts';
import { aTransferByRefJob, aTransferJob, type JobBody } from '../support/jobs.ts';
import { anAws } from './support/aws.ts';
import { type RunningCli, startCli } from './support/cli.ts';
import { aDirectory } from './support/files.ts';
import { fieldsOf, putMerchant } from '../support/merchant-secrets.ts';

const directory = aDirectory();
const world = anAws({ gateway: true, visibilityTimeoutSeconds: 60 });
let secretsManager: SecretsManagerClient;
let worker: RunningCli;
/** Every message as its sender put it on the queue. */
let bodies: string[];
let cardSecret: { readonly keys: Readonly<Record<string, JsonWebKey>> };

/** Each way that an order can go, with a CVV of its own. */
const jobs: readonly JobBody[] = [
  ['DUMP-1', 'acme-eu'],
  ['DUMP-2.validation-error', 'acme-eu'],
  ['DUMP-3.stall-after', 'acme-eu'],
  ['DUMP-4.reset-before', 'acme-eu'],
  ['DUMP-5', 'initech-uk'],
].map(([orderId = '', merchant = ''], index) =>
  aTransferJob({ orderId, merchant, params: { cvv2: String(6170 + index) } }),
);
/** Its contract does not know the CVV: it is a dead letter. */
const refused = aTransferByRefJob({ orderId: 'DUMP-6', params: { cvv2: '6176' } });
const codes = [...jobs, refused].map(({ params }) => String(params['cvv2']));

beforeAll(async () => {
  const aws = world.aws();
  putMerchant(aws.secrets, 'initech-uk', { ...fieldsOf(world.secrets()['initech-uk']), baseUrl: 'http://127.0.0.1:9' });
  secretsManager = new SecretsManagerClient(clientConfigOf(aws, 'SECRETS_MANAGER'));

  // Sealed as any sender does it, and laid on the queue.
  const ring = createSecretsManagerKeyring({ client: secretsManager, prefix: 'payouts/' });
  await ring.add('2026-11', 'ec');
  const jwks = { keys: (await ring.publicKeys())?.keys ?? [] } as Parameters<typeof sealJob>[1]['jwks'];
  const cardKeys = createDynamoDbCardKeyStore({
    client: world.dynamodb(),
    tableName: aws.cardKeysTableName,
    nowMs: Date.now,
  });
  bodies = await Promise.all(
    [...jobs, refused].map(async (job) => JSON.stringify(await sealJob(job, { jwks, cardKeys }))),
  );
  const stored = await secretsManager.send(new GetSecretValueCommand({ SecretId: 'payouts/_card' }));
  cardSecret = JSON.parse(stored.SecretString ?? '');
});

afterAll(async () => {
  worker.child.kill();
  await worker.ended;
  secretsManager.destroy();
});

async function tableText(): Promise<string> {
  const { ledgerTableName, cardKeysTableName, batchesTableName, controlsTableName, waitingTableName } = world.aws();
  const tables = [ledgerTableName, cardKeysTableName, batchesTableName, controlsTableName, waitingTableName];
  const found = await Promise.all(tables.map((TableName) => world.dynamodb().send(new ScanCommand({ TableName }))));
  return JSON.stringify(found.flatMap(({ Items = [] }) => Items));
}

async function queueTexts(): Promise<string[]> {
  const queues = Object.values(world.aws().queueUrls);
  return Promise.all(queues.map(async (url) => JSON.stringify(await takeMessages(world.sqs(), url, 1))));
}

/** The inner seals, opened from the outside with the worker's own long-lived keys. */
async function innerSeals(): Promise<string[]> {
  return Promise.all(
    bodies.map(async (body) => {
      const { sealedParams } = JSON.parse(body) as { sealedParams: string };
      const key = createPrivateKey({ key: cardSecret.keys['2026-11'] ?? {}, format: 'jwk' });
      const { plaintext } = await compactDecrypt(sealedParams, key);
      return (JSON.parse(Buffer.from(plaintext).toString()) as { cvv2: string }).cvv2;
    }),
  );
}

/** How many of the seals some text of the dump is the key of. */
async function opened(seals: readonly string[], dump: string): Promise<number> {
  const candidates = new Set(dump.match(/[A-Za-z0-9_-]{43}/g) ?? []);
  const ends = await Promise.all(
    seals.map(async (seal) => {
      for (const text of candidates) {
        const tried = await compactDecrypt(seal, Buffer.from(text, 'base64url')).catch(() => undefined);
        if (tried) return true;
      }
      return false;
    }),
  );
  return ends.filter(Boolean).length;
}

it('before the claims, the table holds the keys: the attack works', async () => {
  const seals = await innerSeals();
  expect(await opened(seals, await tableText())).toBe(codes.length);
});

it('after the claims, nothing that is kept anywhere opens one of them', async () => {
  // given the worker at work on all of them, until each has a result
  await world.send(...bodies);
  worker = startCli(['worker', '--sweep-seconds', '5'], { cwd: directory.path(), env: world.env() });
  const results = new Map<string, string>();
  const taken: string[] = [];
  while (results.size < codes.length) {
    for (const { Body = '' } of await takeMessages(world.sqs(), world.aws().queueUrls.results, 1)) {
      const { orderId, status, failure } = JSON.parse(Body);
      results.set(orderId, failure?.code ?? status);
      taken.push(Body);
    }
  }
  expect(Object.fromEntries(results)).toEqual({
    'DUMP-1': 'accepted',
    'DUMP-2.validation-error': 'GATEWAY_REFUSED',
    'DUMP-3.stall-after': 'HELD_UNPROVEN',
    'DUMP-4.reset-before': 'HELD_UNPROVEN',
    'DUMP-5': 'HELD_CARD_DATA',
    'DUMP-6': 'FIELD_NOT_IN_CONTRACT',
  });

  // when everything is copied: table, queues, log, files, and what was sent before
  const files = await Promise.all(
    (await readdir(directory.path())).map((name) => readFile(`${directory.path()}/${name}`, 'utf8')),
  );
  const kept = [await tableText(), ...(await queueTexts()), worker.stdout(), ...taken, ...files];

  // then no text of it is the key of any CVV, and no CVV is there by itself
  const seals = await innerSeals();
  expect(await opened(seals, [...kept, ...bodies, JSON.stringify(cardSecret)].join('\n'))).toBe(0);
  expect(kept.join('\n')).not.toMatch(/cvv2\\*":/);
  expect(kept.join('\n')).not.toContain('4111111111111111');

  // and the dead letter has lost its seal, which is of no use
  expect(kept.filter((text) => text.includes('[card data cut out]') && text.includes('DUMP-6'))).toHaveLength(1);
  expect(
    world
      .gateway()
      .orders()
      .map(({ clientOrderId }) => clientOrderId),
  ).toContain('DUMP-1');
});
