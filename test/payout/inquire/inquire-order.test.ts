// One check all the way: what is asked, what is written, what comes next, and what is in the way of it.
import { describe, expect, it } from 'vitest';
import { accountOf } from '../../../lib/gateway/signed-request.ts';
import { runOwnWork } from '../../../lib/payout/inquire/run-own-work.ts';
import { writeOwnTask } from '../../../lib/payout/inquire/own-queue.ts';
import type { Turn } from '../../../lib/payout/pace/lane-state.ts';
import { aWorldWith, inquire, key, standing } from '../../support/asked-order.ts';
import { someCredentials } from '../../support/fake-credentials.ts';
import { anEligibilityJob, aPayoutJob } from '../../support/jobs.ts';
import { anyTurn } from '../../support/memory-lanes.ts';
import { aRecord } from '../../support/records.ts';
import { aWorld, type World } from '../../support/world.ts';

const inquiry = { statusInquiry: true };
const seconds = 1_000;
const hours = 3_600 * seconds;
const check = (leaseMs: number, turn: Turn = anyTurn) => ({ kind: 'check', key, leaseMs, turn }) as const;
/** The question that the leader has released. */
function released(world: World) {
  const order = world.items.get(key);
  const leaseMs = world.clock.nowMs() + 240 * seconds;
  if (order) world.items.set(key, { ...order, dueAtMs: leaseMs });
  return check(leaseMs, { ...anyTurn, atMs: world.clock.nowMs() });
}
const told = (world: World) => world.results.taken.map(({ resultId, status }) => `${resultId} ${status}`);

/** Runs one check with other ports. */
const inquireWith = (world: World, ports: Partial<World['ports']>, remainingMs = 120 * seconds) =>
  runOwnWork([aRecord(writeOwnTask(check(world.items.get(key)?.dueAtMs ?? 0)))], world.clock.nowMs() + remainingMs, {
    ...world.ports,
    ...ports,
  });

describe('a look', () => {
  it('is one signed POST to v4/status of the order’s endpoint, with login and both ids', async () => {
    const world = await aWorldWith('accepted');
    await inquire(world);
    expect(world.gateway.inquiries).toMatchObject([
      {
        url: 'https://gateway.test/paynet/api/v4/status/39915',
        headers: { accept: 'application/vnd.pay+json', 'content-type': 'application/x-www-form-urlencoded' },
        fields: [
          ['login', 'acme-login'],
          ['client_orderid', 'INV-1'],
          ['orderid', '9000001'],
        ],
        oauth: { oauth_consumer_key: 'acme-login', oauth_signature_method: 'RSA-SHA256' },
      },
    ]);
    expect(world.gateway.posts).toHaveLength(1);
  });

  it('is signed and spelled as the profile says', async () => {
    const profile = {
      signatureMethod: { status: 'HMAC-SHA1' as const },
      orderIdField: { status: 'client-order-id' as const },
    };
    const world = await aWorldWith('in-doubt', { profile });
    await inquire(world);
    expect(world.gateway.inquiries).toMatchObject([
      {
        fields: expect.arrayContaining([['client-order-id', 'INV-1']]),
        oauth: { oauth_signature_method: 'HMAC-SHA1' },
      },
    ]);
  });

  it('of an order that has not ended is written with the time of the next, in one write', async () => {
    const world = await aWorldWith('accepted');
    await inquire(world);
    world.clock.advance(60 * seconds);
    const version = world.items.get(key)?.version ?? 0;
    await inquire(world);
    expect(standing(world)).toMatchObject({ standing: 'confirming', revision: 1, looks: 2 });
    expect(world.items.get(key)).toMatchObject({
      version: version + 1,
      dueAtMs: world.clock.nowMs() + 28 * seconds,
    });
    expect(world.ownQueue.taken).toEqual([]);
  });

  it('that missed its turn is due again at once, without a new version', async () => {
    const world = await aWorldWith('accepted');
    const question = released(world);
    const before = world.items.get(key);
    world.clock.advance(5 * seconds);
    await world.deliverOwn([question]);
    expect(world.gateway.inquiries).toEqual([]);
    expect(world.items.get(key)).toEqual({ ...before, dueAtMs: world.clock.nowMs() });
  });

  it('is one line of log, with the time that it took', async () => {
    const world = await aWorldWith('accepted');
    world.gateway.meanwhile(() => world.clock.advance(250));
    await inquire(world);
    expect(world.log.filter(({ event }) => event === 'check')).toMatchObject([{ fields: { durationMs: 250 } }]);
  });

  it('that comes again once it was answered is dropped', async () => {
    const world = await aWorldWith('accepted');
    const question = released(world);
    await world.deliverOwn([question]);
    await world.deliverOwn([question]);
    expect(world.gateway.inquiries).toHaveLength(1);
  });
});

describe('nothing is asked', () => {
  it.each<[string, (world: World) => Promise<unknown>]>([
    ['that is unknown', (world) => world.deliverOwn([{ kind: 'check', key: 'acme-eu/NONE', leaseMs: 0 }])],
    ['whose moment is another by now', (world) => world.deliverOwn([check(1), check(3)])],
    [
      'that newer code wrote',
      (world) =>
        inquireWith(world, {
          orders: { ...world.orders, read: async () => ({ kind: 'unreadable', reason: 'newer' }) as const },
        }),
    ],
    ['where the invocation has too little time', (world) => inquireWith(world, {}, 25 * seconds)],
  ])('about an order %s', async (_, happens) => {
    const world = await aWorldWith('in-doubt');
    const before = world.items.get(key);
    await happens(world);
    expect(world.gateway.inquiries).toEqual([]);
    expect(world.items.get(key)).toBe(before);
  });

  it('about one whose lease runs; when it is over by any clock it is in doubt, told so, and asked about', async () => {
    // given a worker that was lost over its POST
    const world = aWorld({ profile: inquiry });
    const gateway = { ...world.gateway, post: async () => Promise.reject(new Error('killed')) };
    await world.deliver(aRecord(aPayoutJob()), undefined, { gateway });
    await inquire(world);
    expect([world.gateway.inquiries, told(world)]).toEqual([[], []]);
    world.clock.advance((100 + 600) * seconds + 1);
    await inquire(world);
    expect(told(world)).toEqual(['acme-eu/INV-1/1 in-doubt']);
    expect(standing(world).failure).toMatchObject({ code: 'WORKER_LOST' });
    await inquire(world);
    expect(world.gateway.inquiries).toHaveLength(1);
  });

  it('about an eligibility check: the money desk does not know it', async () => {
    const world = aWorld({ profile: inquiry });
    await world.deliver(aRecord(anEligibilityJob()));
    expect(world.results.taken).toMatchObject([{ status: 'accepted', final: true }]);
    await world.look('acme-eu/CHK-1');
    expect([world.gateway.inquiries, world.ownQueue.taken]).toEqual([[], []]);
  });

  it('by what is no check: it goes to the dead letters of its queue, with a word in the log', async () => {
    const world = await aWorldWith('accepted');
    const bodies = ['', 'not JSON', '{}', JSON.stringify({ ...check(0), kind: 'paid' })];
    expect(await world.deliverOwn(bodies)).toEqual([0, 1, 2, 3]);
    expect(world.gateway.inquiries).toEqual([]);
    expect(world.log.filter(({ event }) => event === 'check-unreadable')).toHaveLength(4);
  });
});

describe('credentials', () => {
  it('that were rotated are fetched at once, and the look is signed anew', async () => {
    const world = await aWorldWith('in-doubt');
    const renamed = someCredentials({ login: 'acme-new-login', version: 'v2', profile: inquiry });
    world.credentials.rotate('acme-eu', { ...renamed, sameAccountAs: [accountOf(someCredentials(), '39915')] });
    world.gateway.statuses('refuses the signature', 'approved');
    await inquire(world);
    expect(told(world)).toEqual(['acme-eu/INV-1/2 approved']);
    const logins = world.gateway.inquiries.map(({ oauth }) => oauth['oauth_consumer_key']);
    expect(logins).toEqual(['acme-login', 'acme-new-login']);
  });

  it('of another account are not asked: what it says of the order would prove nothing', async () => {
    const world = await aWorldWith('in-doubt');
    world.credentials.rotate('acme-eu', someCredentials({ login: 'another', version: 'v2', profile: inquiry }));
    world.gateway.statuses('refuses the signature', 'never heard of it');
    await inquire(world);
    expect(world.gateway.inquiries).toHaveLength(1);
    expect(standing(world).standing).toBe('in-doubt');
  });

  it('that cannot be had for as long as doubt may last leave it to a person, with what it came from', async () => {
    const world = await aWorldWith('in-doubt');
    world.credentials.outage('down');
    world.clock.advance(24 * hours);
    await inquire(world);
    expect(standing(world).standing).toBe('in-doubt');
    world.clock.advance(1 * hours);
    await inquire(world);
    expect(standing(world)).toMatchObject({ standing: 'held', failure: { code: 'HELD_UNPROVEN' } });
    expect(told(world)).toEqual(['acme-eu/INV-1/2 held']);
  });
});

describe('a contract that offers no inquiry any more', () => {
  it.each([
    ['accepted', 'accepted'],
    ['in-doubt', 'held'],
  ] as const)(
    'an order that was %s then is %s after the horizon, and the gateway is not asked',
    async (then, after) => {
      const world = await aWorldWith(then);
      world.credentials.rotate('acme-eu', someCredentials());
      await world.credentials.refresh('acme-eu', someCredentials());
      await world.pass(26 * hours);
      expect(world.gateway.inquiries).toEqual([]);
      expect(standing(world).result).toBe(after);
      expect(standing(world).looks).toBeLessThan(60);
    },
  );
});
