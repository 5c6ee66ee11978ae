// One attempt at the gateway, alone: what is known when it could not even begin.
import { describe, expect, it } from 'vitest';
import { type Attempt, attemptsOf, ofAttempt } from '../../../lib/payout/order/facts.ts';
import { join } from '../../../lib/payout/order/join.ts';
import type { Order } from '../../../lib/payout/order/order.ts';
import { sendOrder } from '../../../lib/payout/submit/send.ts';
import { someCredentials } from '../../support/fake-credentials.ts';
import { aPayoutJob, aTransferJob, jobOf, withoutParams } from '../../support/jobs.ts';
import { anyTurn } from '../../support/memory-lanes.ts';
import { aCodeSeal } from '../../support/odd-seals.ts';
import { anAttempt, anOrder } from '../../support/orders.ts';
import { startMs } from '../../support/time-and-chance.ts';
import { aWorld } from '../../support/world.ts';

const notAfter = { notAfterMs: startMs + 30_000, notAfterUptimeMs: 30_000 };

/** An order whose one attempt is claimed. */
function claimed(order = anOrder()) {
  const [attempt] = attemptsOf(order.facts);
  if (!attempt) throw new Error('it has an attempt');
  return { order, attempt, turn: anyTurn, credentials: someCredentials() };
}

describe('credentials that the gateway refuses', () => {
  it('are not tried twice under one claim, whatever the store holds by then', async () => {
    const world = aWorld();
    world.gateway.stays('refuses the signature');
    world.credentials.rotate('acme-eu', someCredentials({ login: 'new', version: 'v2' }));
    const { attempt } = await sendOrder(jobOf(aPayoutJob()), claimed(), notAfter, world.ports);
    expect(attempt.answer).toMatchObject({
      kind: 'refused',
      about: 'account',
      connected: true,
      code: 'AUTHENTICATION',
    });
    expect(world.gateway.posts).toHaveLength(1);
    expect(world.credentials.refreshes).toEqual(['acme-eu']);
  });
});

it('a job whose time is over when its bytes would leave ends unsent', async () => {
  const world = aWorld();
  const job = jobOf(aPayoutJob({ expiresAt: new Date(startMs).toISOString() }));
  const { attempt, verdict } = await sendOrder(job, claimed(), notAfter, world.ports);
  expect(attempt.answer).toMatchObject({ kind: 'refused', about: 'pace', connected: false });
  expect(verdict).toMatchObject({ reason: 'expired', code: 'EXPIRED' });
  expect(world.gateway.posts).toEqual([]);
});

it('a request that came too late by the clock that is never set shows nothing of the gateway', async () => {
  const world = aWorld();
  const heard: unknown[] = [];
  const pacing = { sends: () => (sign?: unknown) => void heard.push(sign) };
  const late = { ...notAfter, notAfterUptimeMs: world.clock.uptimeMs() - 1 };
  const { attempt } = await sendOrder(jobOf(aPayoutJob()), claimed(), late, { ...world.ports, pacing });
  expect(attempt.answer).toMatchObject({ kind: 'refused', about: 'pace', connected: false });
  expect(heard).toEqual([undefined]);
});

describe('a sealed CVV', () => {
  const cardKey = { id: 'key-1', secret: 'A'.repeat(43) };
  const job = jobOf(withoutParams(aTransferJob(), 'cvv2'));
  const order = anOrder({ operation: 'transfer', orderId: 'TRF-1', attempt: { cardKeyId: 'key-1' } });

  async function sendSealedWith(secret: string) {
    const world = aWorld();
    await world.cardKeyStore.deposit({ operation: 'transfer', merchant: 'acme-eu', orderId: 'TRF-1' }, cardKey);
    const sealedCode = { field: 'cvv2', keyId: 'key-1', sealed: await aCodeSeal('737', { id: 'key-1', secret }) };
    return { world, sent: await sendOrder({ ...job, sealedCode }, claimed(order), notAfter, world.ports) };
  }

  it('that its key does not open is asked for anew: nothing is sent without it', async () => {
    const { world, sent } = await sendSealedWith('B'.repeat(43));
    expect(sent.attempt.answer).toMatchObject({ kind: 'refused', connected: false, code: 'NOT_SENT' });
    expect(sent.attempt.cardKeyId).toBe('key-1');
    expect(world.gateway.posts).toEqual([]);
  });
});

describe('a refusal of the order', () => {
  const earlier = (changes: Partial<Attempt>) =>
    anOrder({
      orderId: 'INV-1',
      facts: join(ofAttempt(anAttempt({ id: 'a0', number: 0, ...changes })), ofAttempt(anAttempt())),
    });
  const sent = async (order: Order) => {
    const world = aWorld();
    world.gateway.moods('refuses the order');
    const attempt = order.facts.attempts['attempt-1'];
    if (!attempt) throw new Error('it has this one');
    const it = { order, attempt, turn: anyTurn, credentials: someCredentials() };
    return (await sendOrder(jobOf(aPayoutJob()), it, notAfter, world.ports)).attempt;
  };
  const answer = { kind: 'refused', about: 'pace', atMs: startMs, code: 'NOT_SENT', message: 'no' } as const;

  it('is one, where no earlier attempt can be meant', async () => {
    expect((await sent(earlier({ answer: { ...answer, connected: false } }))).answer).toMatchObject({ about: 'order' });
  });

  it('proves nothing while an earlier one may live: it may be refused as its double', async () => {
    const { answer: none, lapsed } = await sent(earlier({ lapsed: { code: 'WORKER_LOST', message: 'lost' } }));
    expect([none, lapsed]).toMatchObject([undefined, { code: expect.any(String) }]);
  });
});
