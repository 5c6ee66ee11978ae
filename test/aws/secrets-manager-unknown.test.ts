// A merchant that does not exist costs next to nothing, however often anybody names it.
import {
  type GetSecretValueCommand,
  ResourceNotFoundException,
  type SecretsManagerClient,
} from '@aws-sdk/client-secrets-manager';
import { beforeEach, expect, it } from 'vitest';
import { createSecretsManagerCredentials } from '../../lib/aws/secrets-manager-credentials.ts';
import { createManualClock, type ManualClock } from '../support/time-and-chance.ts';
import type { Credentials } from '../../lib/gateway/ports.ts';

const aContract = JSON.stringify({ login: 'l', baseUrl: 'https://gateway.test' });
const itsKeys = JSON.stringify({ l: { controlKey: 'k' } });

let clock: ManualClock;
let calls: string[];
let stored: Map<string, string>;
let credentials: Credentials;

beforeEach(() => {
  clock = createManualClock();
  calls = [];
  stored = new Map();
  const send = async ({ input: { SecretId = '' } }: GetSecretValueCommand) => {
    calls.push(SecretId);
    const SecretString = stored.get(SecretId);
    if (SecretString === undefined) throw new ResourceNotFoundException({ message: 'none', $metadata: {} });
    return { SecretString, VersionId: String(calls.length) };
  };
  const client = { send } as unknown as SecretsManagerClient;
  credentials = createSecretsManagerCredentials({
    client,
    prefix: 'p/',
    workerSecretId: 'p/_worker',
    ttlMs: 300_000,
    clock,
    log: { write: () => {} },
  });
});

const codeOf = async (merchant: string) => {
  const answer = await credentials.of(merchant);
  return answer.kind === 'unavailable' ? answer.failure.code : answer.kind;
};

it('a hundred questions about a merchant without secrets are one call each in 30 seconds', async () => {
  const answers = await Promise.all(Array.from({ length: 50 }, () => codeOf('unknown-eu')));
  for (let n = 0; n < 50; n += 1) answers.push(await codeOf('unknown-eu'));
  expect(new Set(answers)).toEqual(new Set(['MERCHANT_UNKNOWN']));
  expect(calls).toEqual(['p/contract/unknown-eu', 'p/keys/unknown-eu']);
});

it('a secret that was made meanwhile is found 30 seconds after the last look', async () => {
  expect(await codeOf('acme-eu')).toBe('MERCHANT_UNKNOWN');
  stored.set('p/contract/acme-eu', aContract).set('p/keys/acme-eu', itsKeys);
  clock.advance(29_999);
  expect(await codeOf('acme-eu')).toBe('MERCHANT_UNKNOWN');
  clock.advance(1);
  expect(await codeOf('acme-eu')).toBe('credentials');
});

it('of a thousand names it is remembered at once, and the memory does not grow further', async () => {
  for (let n = 0; n <= 1_000; n += 1) await codeOf(`stranger-${n}`);
  expect(await codeOf('stranger-1000')).toBe('MERCHANT_UNKNOWN');
  expect(calls).toHaveLength(2 * 1_001);
  await codeOf('stranger-0');
  expect(calls).toHaveLength(2 * 1_002);
});
