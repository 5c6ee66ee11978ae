// One attempt at the gateway, alone: what is known when it could not even begin.
import { anySlot } from '../support/memory-lanes.ts';
import { describe, expect, it } from 'vitest';
import { sendOrder } from '../../lib/payout/send-order.ts';
import type { MerchantCredentials } from '../../lib/gateway/ports.ts';
import { accountOf } from '../../lib/gateway/signed-request.ts';
import { someCredentials } from '../support/fake-credentials.ts';
import { aPayoutJob, aTransferJob, jobOf, withoutParams } from '../support/jobs.ts';
import { anEntry } from '../support/ledger-entries.ts';
import { aCodeSeal } from '../support/odd-seals.ts';
import { startMs } from '../support/time-and-chance.ts';
import { aWorld } from '../support/world.ts';

const notAfterMs = startMs + 30_000;
const outage = { code: 'CREDENTIALS_UNAVAILABLE', message: 'the secrets service did not answer' };

const claimed = (attempts: number) => ({
  entry: anEntry({ attempts }),
  slot: anySlot,
  credentials: someCredentials({ profile: { statusInquiry: true } }),
});

it('a refused signature is not answered by a second send while the secret can not be read', async () => {
  const world = aWorld();
  world.gateway.moods('refuses the signature');
  world.gateway.meanwhile(() => world.credentials.outage('down'));
  expect(await sendOrder(jobOf(aPayoutJob()), claimed(1), notAfterMs, world.ports)).toEqual({
    outcome: { kind: 'retryable', failure: outage },
    attempts: 1,
    statusInquiry: false,
  });
  expect(world.gateway.posts).toHaveLength(1);
});

describe('after a refused signature it is sent once more', () => {
  const { 'RSA-SHA256': _, ...hmacAlone } = someCredentials().keys;
  const inKms = (keyId: string, version: string): MerchantCredentials => ({
    ...someCredentials({ version }),
    keys: { 'RSA-SHA256': { kind: 'rsa-signer', keyId, signDigest: async () => Buffer.alloc(256, 1) } },
  });
  const changes: [string, MerchantCredentials, number, MerchantCredentials?][] = [
    ['not, where the store holds the very same version', someCredentials(), 1],
    ['not, where another version signs the same way', someCredentials({ version: 'v2' }), 1],
    ['not, where the key of another method changed', someCredentials({ version: 'v2', controlKey: 'another' }), 1],
    ['where the login is another', someCredentials({ version: 'v2', login: 'new' }), 2],
    ['where the address is another', { ...someCredentials({ version: 'v2' }), baseUrl: 'https://other.test' }, 2],
    ['where the path is another', someCredentials({ version: 'v2', profile: { apiPath: '/api' } }), 2],
    ['not, where KMS keeps a key of the same name', inKms('alias/a', 'v2'), 1, inKms('alias/a', 'v1')],
    ['where KMS keeps a key of another name', inKms('alias/b', 'v2'), 2, inKms('alias/a', 'v1')],
    ['not, where the key is gone by now', { ...someCredentials({ version: 'v2' }), keys: hmacAlone }, 1],
  ];
  it.each(changes)('%s', async (__, fresh, posts, credentials = someCredentials()) => {
    const world = aWorld();
    world.gateway.stays('refuses the signature');
    world.credentials.rotate('acme-eu', fresh);
    const entry = anEntry({ account: accountOf(credentials, '39915') });
    await world.ledger.claim(entry);
    const attempt = await sendOrder(
      jobOf(aPayoutJob()),
      { entry, credentials, slot: anySlot },
      notAfterMs,
      world.ports,
    );
    // Refused twice or not sent again, nothing was processed: the order waits.
    expect(['not-processed', 'retryable']).toContain(attempt.outcome.kind);
    expect(world.gateway.posts).toHaveLength(posts);
  });
});

describe('a job whose time is over when its bytes would leave', () => {
  const job = jobOf(aPayoutJob({ expiresAt: new Date(startMs).toISOString() }));

  it('ends unsent', async () => {
    const world = aWorld();
    const { outcome } = await sendOrder(job, claimed(1), notAfterMs, world.ports);
    expect(outcome).toMatchObject({ kind: 'unsendable', failure: { code: 'EXPIRED' } });
    expect(world.gateway.posts).toEqual([]);
  });

  it('is not ended where an earlier attempt may have been processed: nobody may say that it was never sent', async () => {
    const world = aWorld();
    const entry = anEntry({ earlierAttempts: [{}], attempts: 2 });
    const { outcome } = await sendOrder(job, { ...claimed(2), entry }, notAfterMs, world.ports);
    expect(outcome).toMatchObject({ kind: 'retryable', failure: { code: 'NOT_SENT' } });
    expect(world.gateway.posts).toEqual([]);
  });
});

describe('a sealed CVV', () => {
  const cardKey = { id: 'key-1', secret: 'A'.repeat(43) };
  const job = jobOf(withoutParams(aTransferJob(), 'cvv2'));
  const entry = anEntry({ operation: 'transfer', orderId: 'TRF-1', attempts: 2 });

  it('is opened by its key, and sent', async () => {
    const world = aWorld();
    await world.cardKeyStore.deposit(entry, cardKey);
    const sealedCode = { field: 'cvv2', keyId: 'key-1', sealed: await aCodeSeal('737', cardKey) };
    const attempt = await sendOrder(
      { ...job, sealedCode },
      { entry, credentials: someCredentials(), slot: anySlot },
      notAfterMs,
      world.ports,
    );
    expect(attempt).toMatchObject({ outcome: { kind: 'accepted' }, attempts: 2 });
    expect(world.gateway.posts[0]?.fields).toContainEqual(['cvv2', '737']);
  });

  it('that its key does not open is asked for anew: nothing is sent without it', async () => {
    const world = aWorld({ profile: { statusInquiry: true } });
    await world.cardKeyStore.deposit(entry, cardKey);
    const sealed = await aCodeSeal('737', { id: 'key-1', secret: 'B'.repeat(43) });
    const sealedCode = { field: 'cvv2', keyId: 'key-1', sealed };
    const message = 'the CVV can not be read any more; seal the card data anew and send the order again';
    expect(
      await sendOrder(
        { ...job, sealedCode },
        { entry, credentials: someCredentials(), slot: anySlot },
        notAfterMs,
        world.ports,
      ),
    ).toEqual({
      outcome: { kind: 'spent', failure: { code: 'NEW_CARD_DATA_NEEDED', message } },
      attempts: 2,
      statusInquiry: false,
    });
    expect(world.gateway.posts).toEqual([]);
  });
});
