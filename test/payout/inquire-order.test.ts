// One check all the way: what is asked, what is written, and what comes next.
import { describe, expect, it } from 'vitest';
import type { OrderState } from '../../lib/payout/ledger.ts';
import { looked, withMark } from '../../lib/payout/due-work.ts';
import { aWorldWith, check, inquire, key, moveTo, standing } from '../support/asked-order.ts';
import { anEligibilityJob } from '../support/jobs.ts';
import { aRecord } from '../support/records.ts';
import { aWorld } from '../support/world.ts';

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

  it('of an order that has not ended is followed by the next', async () => {
    const world = await aWorldWith('accepted');
    world.clock.advance(60_000);
    expect(await inquire(world)).toEqual({
      entry: standing(world),
      finding: 'pending',
      next: { check: { orderKey: key, inquiries: 1 }, delaySeconds: 28 },
    });
    expect(standing(world)).toMatchObject({
      state: 'accepted',
      revision: 2,
      inquiries: { count: 1, askedAtMs: world.clock.nowMs() },
      dueAtMs: world.clock.nowMs() + (28 + 120) * 1000,
    });
  });

  it('is made by one of any number of equal checks; the others are dropped', async () => {
    const world = await aWorldWith('accepted');
    const ends = await Promise.all(Array.from({ length: 5 }, () => inquire(world)));
    expect(world.gateway.inquiries).toHaveLength(1);
    expect(ends.filter(({ next }) => next)).toHaveLength(1);
    expect(await inquire(world)).toEqual({ entry: standing(world) });
  });

  it('out of turn takes the chain over: the check that was to come is dropped', async () => {
    const world = await aWorldWith('accepted');
    const { next } = await inquire(world, check({ now: true }));
    expect(next).toEqual({ check: check({ inquiries: 1 }), delaySeconds: 5 });
    expect(await inquire(world, check())).toEqual({ entry: standing(world) });
    expect(world.gateway.inquiries).toHaveLength(1);
  });

  it('out of turn waits while the last is fresh, and is dropped if the chain was faster', async () => {
    const world = await aWorldWith('accepted');
    await inquire(world);
    const early = check({ inquiries: 1, now: true });
    expect((await inquire(world, early)).next).toEqual({ check: early, delaySeconds: 10 });
    world.clock.advance(5_000);
    await inquire(world, check({ inquiries: 1 }));
    expect(await inquire(world, early)).toEqual({ entry: standing(world) });
    expect(world.gateway.inquiries).toHaveLength(2);
  });

  it('that the ledger did not let begin is not made', async () => {
    const world = await aWorldWith('accepted');
    world.ledger.stays('down', 'advance');
    await expect(inquire(world)).rejects.toThrow('did not answer');
    expect(world.gateway.inquiries).toEqual([]);
  });

  it('whose word the ledger did not take is made again by the same chain', async () => {
    const world = await aWorldWith('accepted');
    world.gateway.statusStays('approved');
    world.ledger.faults('advance', 'up', 'down');
    const { next, finding } = await inquire(world);
    expect({ next, finding }).toEqual({
      next: { check: check({ inquiries: 1 }), delaySeconds: 5 },
      finding: 'approved',
    });
    expect(await inquire(world, next?.check)).toMatchObject({ result: { status: 'approved' } });
  });

  it('is counted; beyond 15 minutes the sweeper brings the next', async () => {
    const world = await aWorldWith('in-doubt');
    for (const [inquiries, seconds] of [60, 120, 240, 480, 900].entries()) {
      world.clock.advance(seconds * 1000);
      world.gateway.statuses('stalls');
      const { next } = await inquire(world, check({ inquiries }));
      const nextSeconds = [120, 240, 480, 900][inquiries];
      const expected = nextSeconds && { check: { orderKey: key, inquiries: inquiries + 1 }, delaySeconds: nextSeconds };
      expect(next).toEqual(expected);
    }
    expect(standing(world)).toMatchObject({ inquiries: { count: 5 }, dueAtMs: world.clock.nowMs() + 3_600_000 });
  });

  it('that shows the end writes it with the mark of its result, in one write', async () => {
    const world = await aWorldWith('accepted');
    world.gateway.statuses('approved');
    const end = await inquire(world);
    expect(standing(world)).toMatchObject({ state: 'approved', final: true, revision: 3, unpublished: true });
    expect(end.result).toMatchObject({ resultId: 'acme-eu/INV-1/3', status: 'approved', payoutId: '9000001' });
    expect(end).not.toHaveProperty('next');
  });

  it('that changes nothing is logged with the wait until the next', async () => {
    const world = await aWorldWith('accepted');
    await world.deliverChecks([check()]);
    expect(world.log[0]?.fields).toMatchObject({ state: 'accepted', finding: 'pending', delaySeconds: 5 });
  });

  it('is logged in one line, by its result, without what the gateway said', async () => {
    const world = await aWorldWith('accepted');
    world.gateway.statuses('declined');
    await world.deliverChecks([check()]);
    const order = { operation: 'payout', merchant: 'acme-eu', endpointId: '39915', orderId: 'INV-1' };
    const stands = { state: 'declined', revision: 3, attempts: 1, gatewayOrderId: '9000001' };
    const failure = { failureCode: 'GATEWAY_DECLINED', gatewayCode: '28' };
    const fields = { messageId: expect.any(String), durationMs: 0, ...order, ...stands, ...failure };
    expect(world.log[0]).toEqual({
      level: 'info',
      event: 'check',
      fields: { ...fields, resultId: 'acme-eu/INV-1/3', finding: 'declined' },
    });
    expect(world.results.taken.map(({ resultId }) => resultId)).toEqual(['acme-eu/INV-1/3']);
  });

  it('that shows an end which does not fit is for a person', async () => {
    const world = await aWorldWith('in-doubt');
    world.entries.set(key, { ...standing(world), state: 'retryable' });
    world.gateway.statuses('declined');
    await world.deliverChecks([check({ now: true })]);
    expect(standing(world)).toMatchObject({ state: 'retryable', revision: 2 });
    expect(world.log[0]).toMatchObject({ level: 'error', event: 'check', fields: { finding: 'declined' } });
  });

  it.each(['approved', 'declined'] as const)('that shows the end (%s) once more is for nobody', async (end) => {
    const world = await aWorldWith('in-doubt');
    await moveTo(world, end);
    world.clock.advance(360_000);
    world.gateway.statuses(end);
    await world.deliverChecks([check({ now: true })]);
    expect(standing(world)).toMatchObject({ state: end, revision: 3, inquiries: { count: 1 } });
    expect(world.log[0]).toMatchObject({ level: 'info', event: 'check', fields: { finding: end } });
    expect(world.checksQueue.taken).toEqual([]);
  });

  it.each(['stalls', 'refuses the signature'] as const)(
    'out of turn at an order that has ended, which taught nothing (%s), is made again five times at most',
    async (mood) => {
      const world = await aWorldWith('accepted');
      await moveTo(world, 'approved');
      world.gateway.statusStays(mood);
      world.checksQueue.taken.push({ check: check({ now: true }), delaySeconds: 0, dueAtMs: world.clock.nowMs() });
      await world.pass(30 * 86_400_000);
      expect(standing(world).inquiries).toMatchObject({ count: 5 });
      expect(world.checksQueue.taken).toEqual([]);
    },
  );
});

describe('nothing is asked', () => {
  it('about an order that nobody knows', async () => {
    const world = aWorld({ profile: { statusInquiry: true } });
    expect(await inquire(world)).toEqual({});
    expect(world.gateway.inquiries).toEqual([]);
  });

  it('about an order that newer code wrote', async () => {
    const world = await aWorldWith('in-doubt');
    world.ledger.read = async () => ({ kind: 'unreadable', reason: 'newer' });
    const before = standing(world);
    expect(await inquire(world)).toEqual({});
    expect(world.gateway.inquiries).toEqual([]);
    expect(standing(world)).toBe(before);
  });

  it.each<OrderState>(['held', 'retryable', 'failed', 'declined'])(
    'about one that is %s, unless somebody has a reason',
    async (state) => {
      const world = await aWorldWith('in-doubt');
      const entry = await moveTo(world, state);
      expect(await inquire(world)).toEqual({ entry });
      expect(world.gateway.inquiries).toEqual([]);
      world.clock.advance(360_000);
      await inquire(world, check({ now: true }));
      expect(world.gateway.inquiries).toHaveLength(1);
    },
  );

  it.each([{ inquiries: 1 }, { inquiries: 3 }, { inquiries: 1, now: true as const }])(
    'by a check whose number is not the one that stands: %j',
    async (other) => {
      const world = await aWorldWith('in-doubt');
      const entry = looked(standing(world), { count: 2, negatives: 0 }, { nowMs: world.clock.nowMs(), inSeconds: 60 });
      world.entries.set(key, entry);
      expect(await inquire(world, check(other))).toEqual({ entry });
      expect(world.gateway.inquiries).toEqual([]);
    },
  );

  it('about an eligibility check, whoever has a reason: the money desk does not know it', async () => {
    const world = aWorld({ profile: { statusInquiry: true } });
    await world.deliver(aRecord(anEligibilityJob()));
    expect(world.results.taken).toMatchObject([{ status: 'accepted', final: true }]);
    const orderKey = 'acme-eu~check/CHK-1';
    expect(await inquire(world, { orderKey, inquiries: 0, now: true })).toEqual({ entry: world.entries.get(orderKey) });
    expect(world.gateway.inquiries).toEqual([]);
    expect(world.checksQueue.taken).toEqual([]);
  });

  it('when the invocation has too little time for a look and its settling', async () => {
    const world = await aWorldWith('in-doubt');
    expect(await inquire(world, check(), 50_000)).toEqual({ entry: standing(world), comesBack: true });
    expect(world.gateway.inquiries).toEqual([]);
    await inquire(world, check(), 50_001);
    expect(world.gateway.inquiries).toHaveLength(1);
  });
});

describe('a result that nobody could send', () => {
  it('is told before anything is asked, as it stands, and the next look is asked for', async () => {
    const world = await aWorldWith('in-doubt');
    world.entries.set(key, withMark(standing(world), true));
    const end = await inquire(world);
    expect(end).toMatchObject({
      result: { resultId: 'acme-eu/INV-1/2', status: 'in-doubt' },
      next: { delaySeconds: 60 },
    });
    expect(world.gateway.inquiries).toEqual([]);
  });

  it('is told by one of two equal checks', async () => {
    const world = await aWorldWith('in-doubt');
    world.entries.set(key, withMark(standing(world), true));
    const ends = await Promise.all([inquire(world), inquire(world)]);
    expect(ends.filter(({ result }) => result)).toHaveLength(1);
  });

  it('never asks for a look later than SQS can bring it', async () => {
    const world = await aWorldWith('in-doubt');
    const inquiries = { count: 9, negatives: 0 };
    world.entries.set(key, withMark({ ...standing(world), inquiries }, true));
    expect(await inquire(world)).not.toHaveProperty('next');
  });

  it('does not swallow a reason to look: it comes again after a while', async () => {
    const world = await aWorldWith('in-doubt');
    await moveTo(world, 'held');
    world.entries.set(key, withMark(standing(world), true));
    expect(await inquire(world, check({ now: true }))).toMatchObject({
      result: { status: 'held' },
      next: { check: check({ now: true, inquiries: 1 }), delaySeconds: 60 },
    });
  });
});
