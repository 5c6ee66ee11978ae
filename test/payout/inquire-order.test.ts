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
      next: { check: { orderKey: key, inquiries: 0 }, delaySeconds: 6 },
    });
    expect(standing(world)).toMatchObject({ state: 'accepted', revision: 2 });
  });

  it('out of turn starts no second chain of rapid looks beside the first', async () => {
    const world = await aWorldWith('accepted');
    expect(await inquire(world, check({ now: true }))).toEqual({ entry: standing(world), finding: 'pending' });
    expect(world.gateway.inquiries).toHaveLength(1);
  });

  it('is counted once it is no longer rapid; beyond 15 minutes the sweeper brings the next', async () => {
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
    expect(world.log[0]?.fields).toMatchObject({ state: 'accepted', finding: 'pending', delaySeconds: 4 });
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

  it.each(['approved', 'declined'] as const)(
    'that shows an end (%s) which does not fit is for a person',
    async (end) => {
      const world = await aWorldWith('in-doubt');
      world.entries.set(key, { ...standing(world), state: 'cancelled', final: true });
      world.gateway.statuses(end);
      await world.deliverChecks([check({ now: true })]);
      expect(standing(world)).toMatchObject({ state: 'cancelled', revision: 2 });
      expect(world.log[0]).toMatchObject({ level: 'error', event: 'check', fields: { finding: end } });
    },
  );

  it.each(['approved', 'declined'] as const)('that shows the end (%s) once more is for nobody', async (end) => {
    const world = await aWorldWith('in-doubt');
    const entry = await moveTo(world, end);
    world.gateway.statuses(end);
    await world.deliverChecks([check({ now: true })]);
    expect(standing(world)).toBe(entry);
    expect(world.log[0]).toMatchObject({ level: 'info', event: 'check', fields: { finding: end } });
  });
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
      await inquire(world, check({ now: true }));
      expect(world.gateway.inquiries).toHaveLength(1);
    },
  );

  it('by a check that another look has overtaken, unless somebody has a reason', async () => {
    const world = await aWorldWith('in-doubt');
    const entry = looked(standing(world), { count: 2, negatives: 0 }, { nowMs: world.clock.nowMs(), inSeconds: 60 });
    world.entries.set(key, entry);
    expect(await inquire(world, check({ inquiries: 1 }))).toEqual({ entry });
    expect(world.gateway.inquiries).toEqual([]);
    world.gateway.statusStays('stalls');
    await inquire(world, check({ inquiries: 2 }));
    await inquire(world, check({ inquiries: 0, now: true }));
    expect(world.gateway.inquiries).toHaveLength(2);
  });

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
    const { next } = await inquire(world, check({ now: true }), 50_000);
    expect(next).toEqual({ check: check({ now: true }), delaySeconds: 5 });
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

  it('never asks for a look later than SQS can bring it', async () => {
    const world = await aWorldWith('in-doubt');
    const inquiries = { count: 9, negatives: 0 };
    world.entries.set(key, withMark({ ...standing(world), inquiries }, true));
    expect(await inquire(world)).not.toHaveProperty('next');
  });

  it('does not swallow a reason to look: the same check comes again at once', async () => {
    const world = await aWorldWith('in-doubt');
    await moveTo(world, 'held');
    world.entries.set(key, withMark(standing(world), true));
    expect(await inquire(world, check({ now: true }))).toMatchObject({
      result: { status: 'held' },
      next: { check: check({ now: true }), delaySeconds: 0 },
    });
  });
});
