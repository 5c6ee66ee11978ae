// People decide: what no worker could know, what must not be sent, from screens that are stale and machines whose clocks are wrong.
import { describe, expect, it } from 'vitest';
import { someCredentials } from '../support/fake-credentials.ts';
import { aPayoutJob } from '../support/jobs.ts';
import { http } from './gateway.ts';
import { days, hours, minutes, seconds, storyWorld, type StoryWorld } from './harness.ts';

const statuses = (world: StoryWorld) => [
  ...new Map(world.results('INV-1').map((it) => [it.revision, it.status])).values(),
];

describe('an order in doubt that a person ends', () => {
  async function inDoubt(profile = {}) {
    const world = storyWorld({ profile });
    world.gateway.desk('INV-1', 'silent');
    world.gateway.answers('INV-1', 'silent though taken');
    const message = world.send(aPayoutJob());
    await world.pass(1 * minutes);
    return { world, message };
  }

  it('as paid is approved with who and why, and no message sends it again', async () => {
    const { world, message } = await inDoubt();
    expect(await world.person.decides('INV-1', 'paid', { gatewayOrderId: '9000777' })).toBe('done');
    world.redeliver(message);
    world.send(aPayoutJob());
    await world.pass(1 * hours);
    expect([statuses(world), world.gateway.posts('INV-1')]).toEqual([['held', 'approved'], 1]);
    expect(world.last('INV-1')).toMatchObject({ final: true, payoutId: '9000777' });
  });

  it('as not paid, after the quiet period alone, has failed: only a job that names its end sends it, once', async () => {
    const { world, message } = await inDoubt();
    expect(await world.person.decides('INV-1', 'not-paid')).toBe('refused');
    await world.pass(2 * hours);
    expect(await world.person.decides('INV-1', 'not-paid')).toBe('done');
    expect(world.last('INV-1')).toMatchObject({
      status: 'failed',
      failure: { code: 'RELEASED_NOT_PAID', message: 'ops: by hand' },
      endId: expect.any(String),
    });
    world.redeliver(message);
    world.send(aPayoutJob());
    await world.pass(1 * hours);
    expect(world.gateway.posts('INV-1')).toBe(1);
    const again = world.sendAgain(message);
    world.send(again.body);
    await world.pass(1 * hours);
    world.send(again.body);
    await world.pass(1 * hours);
    expect([world.gateway.posts('INV-1'), world.last('INV-1')]).toMatchObject([2, { status: 'accepted', attempts: 2 }]);
  });

  it.each([
    ['approved', 'approved'],
    ['processing', 'accepted'],
  ] as const)('is asked about first, and the word of the gateway wins: %s is %s', async (status, told) => {
    const { world } = await inDoubt({ statusInquiry: true });
    await world.pass(2 * hours);
    world.gateway.desk('INV-1', 'truth');
    world.gateway.ends('INV-1', status);
    expect(await world.person.decides('INV-1', 'not-paid', { unlessContradicted: true })).toBe('refused');
    world.send(aPayoutJob());
    await world.pass(1 * hours);
    expect([world.last('INV-1')?.status, world.gateway.posts('INV-1')]).toEqual([told, 1]);
  });

  it.each<[string, Parameters<typeof aPayoutJob>[0], (world: StoryWorld) => Promise<unknown> | void]>([
    ['its time is over', { expiresAt: '2026-11-21T10:30:00Z' }, () => {}],
    ['its batch was called off', { batchId: 'b-1' }, ({ person }) => person.callsOffBatch('b-1')],
  ])('stays failed, and is never told as unsent, though %s', async (_, changes, happens) => {
    const world = storyWorld();
    world.gateway.answers('INV-1', 'silent');
    world.send(aPayoutJob(changes));
    await world.pass(2 * hours);
    await happens(world);
    expect(await world.person.decides('INV-1', 'not-paid')).toBe('done');
    world.send(aPayoutJob(changes));
    await world.pass(1 * hours);
    expect(world.last('INV-1')).toMatchObject({ status: 'failed', failure: { code: 'RELEASED_NOT_PAID' } });
    expect(statuses(world)).toEqual(['held', 'failed']);
  });
});

describe('two people, one stale screen', () => {
  const profile = { statusInquiry: false } as const;

  it('decide once: the second is refused, as the attempt that was sent by name meanwhile was never shown', async () => {
    const world = storyWorld({ profile });
    world.gateway.answers('INV-1', 'silent', 'silent though taken');
    const message = world.send(aPayoutJob());
    await world.pass(2 * hours);
    const shownFirst = await world.person.looks('INV-1');
    expect(await world.person.decides('INV-1', 'not-paid')).toBe('done');
    world.sendAgain(message);
    await world.pass(2 * hours);
    expect([world.last('INV-1')?.status, world.gateway.posts('INV-1')]).toEqual(['held', 2]);
    for (const what of ['not-paid', 'paid'] as const)
      expect(await world.person.decides('INV-1', what, { seen: shownFirst })).toBe('refused');
    await world.pass(2 * hours);
    expect([world.last('INV-1')?.status, world.gateway.posts('INV-1')]).toEqual(['held', 2]);
    expect(await world.person.decides('INV-1', 'paid')).toBe('done');
  });

  it('a person who looked in the quiet period looks again: what was sent could still come to light then', async () => {
    const world = storyWorld({ profile });
    world.gateway.answers('INV-1', 'silent');
    world.send(aPayoutJob());
    await world.pass(1 * minutes);
    const shownEarly = await world.person.looks('INV-1');
    await world.pass(2 * hours);
    expect(await world.person.decides('INV-1', 'not-paid', { seen: shownEarly })).toBe('refused');
    expect(await world.person.decides('INV-1', 'not-paid', { seen: await world.person.looks('INV-1') })).toBe('done');
  });
});

describe('a person calls an order off', () => {
  it('while its job waits to be sent again: it is never sent, and other content under its id is refused by name', async () => {
    const world = storyWorld();
    world.gateway.answers('INV-1', 'cannot be reached');
    const message = world.send(aPayoutJob());
    await world.pass(1 * seconds);
    expect(await world.person.decides('INV-1', 'cancel')).toBe('done');
    const other = world.send(aPayoutJob({ params: { amount: '99.99' } }));
    await world.pass(1 * hours);
    world.redeliver(message);
    await world.pass(1 * minutes);
    expect([statuses(world), world.gateway.posts('INV-1'), world.retold()]).toEqual([['cancelled'], 0, []]);
    expect(world.told(other)).toMatchObject([{ status: 'rejected', failure: { code: 'ORDER_ID_REUSED' } }]);
  });

  it('too late, while its POST is under way: refused, and it is paid', async () => {
    const world = storyWorld();
    const ends: string[] = [];
    world.gateway.answers('INV-1', {
      as: 'taken',
      meanwhile: async () => void ends.push(await world.person.decides('INV-1', 'cancel')),
    });
    world.send(aPayoutJob());
    await world.pass(1 * minutes);
    expect([ends, statuses(world)]).toEqual([['refused'], ['accepted']]);
  });

  it('in the very moment of its claim: either it is sent or it is cancelled, never both', async () => {
    for (let tick = 0; tick < 12; tick += 1) {
      const world = storyWorld();
      world.send(aPayoutJob());
      const passed = world.pass(1 * seconds);
      for (let step = 0; step < tick; step += 1) await Promise.resolve();
      const how = await world.person.decides('INV-1', 'cancel');
      await passed;
      const isCancelled = how === 'beforehand' || how === 'done';
      expect([world.gateway.posts('INV-1'), world.last('INV-1')?.status]).toEqual(
        isCancelled ? [0, 'cancelled'] : [1, 'accepted'],
      );
    }
  });
});

// A person cancels an order before its job has come: the order knows no amount. When the job comes it is told as what it asked
// for, so that a program that adds up results, exports or a batch gets the sum that was sent.

it('its job comes: cancelled, with its amount, its endpoint and its context, under one higher revision', async () => {
  // given
  const world = storyWorld();
  expect(await world.person.decides('INV-1', 'cancel')).toBe('beforehand');
  const before = world.last('INV-1');
  expect(before).toMatchObject({ status: 'cancelled', final: true });
  expect(before).not.toHaveProperty('amount');
  // when
  const message = world.send(aPayoutJob({ context: { row: 7 } }));
  await world.pass(1 * minutes);
  world.redeliver(message);
  await world.pass(1 * hours);
  // then
  expect(world.last('INV-1')).toMatchObject({
    status: 'cancelled',
    final: true,
    amount: '10.42',
    currency: 'EUR',
    endpointId: before?.endpointId ?? '39915',
    context: { row: 7 },
    attempts: 0,
    revision: (before?.revision ?? 0) + 1,
  });
  expect(world.retold()).toEqual([]);
  expect(world.gateway.posts('INV-1')).toBe(0);
});

it('the rows of its batch add up, and the result of its row says the batch', async () => {
  const world = storyWorld();
  expect(await world.person.decides('INV-1', 'cancel')).toBe('beforehand');
  await world.uploads('b-1', [aPayoutJob({ orderId: 'INV-1' }), aPayoutJob({ orderId: 'INV-2' })]);
  await world.pass(1 * minutes);
  world.gateway.ends('INV-2', 'approved');
  await world.callback('INV-2', 'approved');
  await world.pass(1 * days);
  expect(world.last('INV-1')).toMatchObject({ status: 'cancelled', amount: '10.42', batchId: 'b-1' });
  expect(world.batchResults('b-1').at(-1)).toMatchObject({
    status: 'closed',
    outcomes: [
      { standing: 'paid', count: 1, amount: '10.42' },
      { standing: 'cancelled', count: 1, amount: '10.42' },
    ],
  });
});

it('a pause keeps its job back: it is told all the same, and another content under its id is refused by name', async () => {
  const world = storyWorld();
  expect(await world.person.decides('INV-1', 'cancel')).toBe('beforehand');
  await world.person.pauses();
  world.send(aPayoutJob());
  await world.pass(1 * minutes);
  expect(world.last('INV-1')).toMatchObject({ status: 'cancelled', amount: '10.42' });
  await world.person.resumes();
  const other = world.send(aPayoutJob({ params: { amount: '99.99' } }));
  await world.pass(1 * minutes);
  expect(world.told(other).at(-1)).toMatchObject({ status: 'rejected', failure: { code: 'ORDER_ID_REUSED' } });
  expect(world.gateway.posts('INV-1')).toBe(0);
});

// From the review: a person decides about what is on the screen, and an attempt is made before the decision is written.

it('the decision does not cover the attempt that it did not see', async () => {
  // given
  const world = storyWorld();
  world.gateway.answers('INV-1', 'silent', 'silent though taken');
  const message = world.send(aPayoutJob());
  await world.pass(2 * hours);
  // when two persons decide, and the first one's word has sent it again before the second one's is written
  await world.person.decides('INV-1', 'not-paid', {
    meanwhile: async () => {
      expect(await world.person.decides('INV-1', 'not-paid')).toBe('done');
      await world.pass(1 * minutes);
      world.sendAgain(message);
      await world.pass(2 * hours);
    },
  });
  await world.pass(1 * hours);
  // then
  expect(world.gateway.posts('INV-1')).toBe(2);
  expect(['held', 'in-doubt']).toContain(world.last('INV-1')?.status);
  world.sendAgain(message);
  await world.pass(1 * days);
  expect(world.gateway.payments('INV-1')).toHaveLength(1);
});

// C1: the operator's clock is five minutes slow, so that a message of before the release looks newer than it.

/** How many POSTs there were, and what was told last. */
async function copyOfBeforeTheRelease(clockOffsetMs: number) {
  // given an order in doubt
  const world = storyWorld();
  world.gateway.answers('INV-1', 'silent');
  world.send(aPayoutJob());
  await world.pass(2 * hours);
  // when its file is sent again, is late, and a person says meanwhile that it was not paid, and pays it by hand
  world.send(aPayoutJob(), { comesInMs: 10 * minutes });
  await world.pass(2 * minutes);
  expect(await world.person.decides('INV-1', 'not-paid', { clockOffsetMs })).toBe('done');
  await world.pass(1 * days);
  return [world.gateway.posts('INV-1'), world.last('INV-1')?.status];
}

describe('a copy sent before the release ("paid by hand") sends nothing', () => {
  it.each([-5 * minutes, 0, 5 * minutes])('the clock being %i ms ahead', async (aheadMs) => {
    expect(await copyOfBeforeTheRelease(aheadMs)).toEqual([1, 'failed']);
  });
});

// C2: the same line twice in one SendMessageBatch call. The twin has the same SentTimestamp, and comes after the release.

it('the twin comes for the first time after a person said not paid: nothing is sent', async () => {
  const world = storyWorld();
  world.gateway.answers('INV-1', 'silent');
  const message = world.send(aPayoutJob());
  world.twinOf(message, { comesInMs: 3 * hours });
  await world.pass(2 * hours);
  expect(await world.person.decides('INV-1', 'not-paid')).toBe('done');
  await world.pass(1 * days);
  expect(world.gateway.posts('INV-1')).toBe(1);
  expect(world.last('INV-1')?.status).toBe('failed');
});

// A5: two attempts without an answer; the gateway, asked by the order id, names the first one: declined. The second is paid.

it('the decline of one of two attempts is not told as the end of the order while the other is paid', async () => {
  // given a first attempt that the gateway denied over the quiet period although it had it, and a second one
  const world = storyWorld({ profile: { statusInquiry: true, resubmitUnknownOrders: true } });
  world.gateway.answers('INV-1', 'silent though taken', 'silent though taken');
  world.gateway.desk('INV-1', 'no such order');
  const message = world.send(aPayoutJob());
  await world.pass(3 * hours);
  expect(world.last('INV-1')?.status).toBe('failed');
  world.sendAgain(message);
  await world.pass(1 * minutes);
  expect(world.gateway.posts('INV-1')).toBe(2);
  // when the first is visible again, declined, and the second is approved
  world.gateway.ends('INV-1', 'declined', 1);
  world.gateway.ends('INV-1', 'approved', 2);
  world.gateway.desk('INV-1', 'truth', 'oldest');
  await world.pass(2 * days);
  // then
  expect(['held', 'in-doubt', 'accepted', 'approved']).toContain(world.last('INV-1')?.status);
});

it('that an order is not paid waits for an answer to a question asked since, however young an older answer is', async () => {
  // given an order of which the gateway has just said that it knows none, and which comes to light there
  const world = storyWorld({ profile: { statusInquiry: true, quietPeriodSeconds: 300 } });
  world.gateway.answers('INV-1', 'silent though taken');
  world.gateway.desk('INV-1', 'no such order');
  const message = world.send(aPayoutJob());
  await world.pass(12 * minutes);
  expect(world.last('INV-1')).toMatchObject({ status: 'held', failure: { code: 'HELD_NOT_AT_GATEWAY' } });
  world.gateway.desk('INV-1', 'truth');
  world.gateway.ends('INV-1', 'approved');
  // when
  expect(await world.person.decides('INV-1', 'not-paid')).toBe('refused');
  world.sendAgain(message);
  await world.pass(1 * hours);
  // then
  expect([world.last('INV-1')?.status, world.gateway.payments('INV-1')]).toMatchObject(['approved', [{}]]);
});

describe('that an order is not paid, while an answer proves nothing of each account', () => {
  const profile = { statusInquiry: true, quietPeriodSeconds: 300 };
  const before = 'login-before';

  it.each(['acme-login', before])('waits for each account that may have it: it came to light at %s', async (login) => {
    // given an order that a restore has lost, of a merchant with two accounts, neither of which knew it
    const world = storyWorld({ profile });
    const earlierAccounts = [someCredentials({ login: before, profile })];
    await world.secretIs({ ...someCredentials({ version: 'v2', profile }), earlierAccounts });
    const table = world.tableNow();
    const message = world.send(aPayoutJob());
    await world.pass(1 * minutes);
    world.gateway.desk('INV-1', 'no such order');
    await world.restoreTableTo(table);
    world.redeliver(message);
    await world.pass(1 * days);
    expect(world.last('INV-1')).toMatchObject({ status: 'held', failure: { code: 'HELD_NOT_AT_GATEWAY' } });
    const [booking] = world.gateway.book('INV-1');
    const paid = { type: 'status-response', 'merchant-order-id': 'INV-1', 'paynet-order-id': booking?.id };
    world.gateway.desk('INV-1', () =>
      world.gateway.sent('INV-1').at(-1)?.oauth['oauth_consumer_key'] === login
        ? http(200, { ...paid, status: 'approved', amount: '10.42', currency: 'EUR' })
        : http(400, { type: 'error', 'error-message': 'Order not found', 'error-code': 101 }),
    );
    // when
    expect(await world.person.decides('INV-1', 'not-paid', { unlessContradicted: true })).toBe('refused');
    world.sendAgain(message);
    await world.pass(1 * hours);
    // then
    expect(world.gateway.payments('INV-1')).toHaveLength(1);
  });

  it.each([
    ['processing', 'done', 'failed'],
    ['approved', 'refused', 'approved'],
  ] as const)('waits for an answer of the gateway that has it for too long: %s', async (status, end, told) => {
    const world = storyWorld({ profile: { ...profile, acceptedHorizonSeconds: 86_400 } });
    world.send(aPayoutJob());
    await world.pass(2 * days);
    expect(world.last('INV-1')).toMatchObject({ status: 'held', failure: { code: 'HELD_NO_END' } });
    world.gateway.ends('INV-1', status);
    expect(await world.person.decides('INV-1', 'not-paid')).toBe(end);
    expect(world.last('INV-1')?.status).toBe(told);
  });
});
