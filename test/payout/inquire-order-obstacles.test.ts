// What stands in the way of a look: a claim under way, keys that were rotated or can't be had, a contract that changed.
import { describe, expect, it } from 'vitest';
import { accountOf } from '../../lib/gateway/signed-request.ts';
import { inquireOrder } from '../../lib/payout/inquire-order.ts';
import { moved } from '../../lib/payout/ledger.ts';
import { defaultProfile } from '../../lib/gateway/profile.ts';
import { aWorldWith, check, inquire, key, moveTo, standing } from '../support/asked-order.ts';
import { someCredentials } from '../support/fake-credentials.ts';
import { anEligibilityJob } from '../support/jobs.ts';
import { aRecord } from '../support/records.ts';
import { aWorld, type World } from '../support/world.ts';

const inquiry = { statusInquiry: true };
const hours = 3_600_000;

describe('an order that is being submitted', () => {
  async function aLostWorker(): Promise<World> {
    const world = await aWorldWith('accepted');
    const { inquiries: _, ...entry } = standing(world);
    world.entries.set(key, { ...entry, state: 'submitting', revision: 1, final: false });
    return world;
  }

  it('is left to its claimant while the lease runs, and looked at when it is over', async () => {
    const world = await aLostWorker();
    world.clock.advance(30_000);
    expect(await inquire(world, check({ now: true }))).toMatchObject({
      next: { check: { orderKey: key, inquiries: 0, now: true }, delaySeconds: 71 },
    });
    expect(world.gateway.inquiries).toEqual([]);
    expect(standing(world).state).toBe('submitting');
  });

  it('is in doubt when the lease is over, told so, and asked about a minute later', async () => {
    const world = await aLostWorker();
    world.clock.advance(100_000);
    expect(await inquire(world)).toMatchObject({
      entry: { state: 'in-doubt', unpublished: true },
      result: { status: 'in-doubt', failure: { code: 'WORKER_LOST' } },
      next: { check: { orderKey: key, inquiries: 0 }, delaySeconds: 60 },
    });
  });

  it('is held where nobody can be asked', async () => {
    const world = await aLostWorker();
    world.credentials.rotate('acme-eu', someCredentials());
    await world.credentials.refresh('acme-eu', someCredentials());
    world.clock.advance(100_000);
    const end = await inquire(world);
    expect(end).toMatchObject({ result: { status: 'held', final: false } });
    expect(end).not.toHaveProperty('next');
  });

  it('is in doubt where the profile cannot be fetched: a later look finds out', async () => {
    const world = await aLostWorker();
    world.credentials.outage('down');
    world.clock.advance(100_000);
    expect(await inquire(world)).toMatchObject({ result: { status: 'in-doubt' }, next: { delaySeconds: 60 } });
  });

  it('that moves no money is to be sent again, which is told to nobody and marked by nothing', async () => {
    // given a check whose worker never reported
    const world = aWorld({ profile: inquiry });
    await world.deliver(aRecord(anEligibilityJob()));
    const orderKey = 'acme-eu~check/CHK-1';
    const entry = world.entries.get(orderKey);
    if (entry) world.entries.set(orderKey, { ...entry, state: 'submitting', revision: 1, final: false });
    world.clock.advance(100_000);

    // when somebody looks, then only its message can send it
    const end = await inquire(world, { orderKey, inquiries: 0 });
    expect(end).toEqual({ entry: world.entries.get(orderKey) });
    expect(end.entry).toMatchObject({ state: 'retryable', failure: { code: 'WORKER_LOST' } });
    expect(end.entry).not.toHaveProperty('unpublished');
  });

  it('is told by nobody if its claimant was faster', async () => {
    const world = await aLostWorker();
    world.clock.advance(100_000);
    const { advance } = world.ledger;
    world.ledger.advance = async (expected, next) => {
      const { key: _, ...accepted } = moved(standing(world), {
        state: 'accepted',
        final: false,
        reason: 'x',
        nowMs: 1,
      });
      world.entries.set(key, { key, ...accepted });
      return advance(expected, next);
    };
    // The accepted order has a chain of its own.
    expect(await inquire(world)).toEqual({ entry: standing(world) });
  });
});

describe('credentials', () => {
  it('that were rotated are fetched at once, and the look is signed anew', async () => {
    const world = await aWorldWith('in-doubt');
    const renamed = someCredentials({ login: 'acme-new-login', version: 'v2', profile: inquiry });
    const fresh = { ...renamed, sameAccountAs: [accountOf(someCredentials(), '39915')] };
    world.credentials.rotate('acme-eu', fresh);
    world.gateway.statuses('refuses the signature', 'approved');
    expect(await inquire(world)).toMatchObject({ result: { status: 'approved' } });
    const logins = world.gateway.inquiries.map(({ oauth, fields }) => [oauth['oauth_consumer_key'], fields[0]?.[1]]);
    expect(logins).toEqual([
      ['acme-login', 'acme-login'],
      ['acme-new-login', 'acme-new-login'],
    ]);
  });

  it('of another account are not asked: what it says of the order would prove nothing', async () => {
    const world = await aWorldWith('in-doubt');
    const fresh = someCredentials({ login: 'acme-new-login', version: 'v2', profile: inquiry });
    world.credentials.rotate('acme-eu', fresh);
    world.gateway.statuses('refuses the signature', 'unknown');
    await inquire(world);
    expect(world.gateway.inquiries).toHaveLength(1);
    expect(standing(world)).toMatchObject({ state: 'in-doubt' });
  });

  it('that are refused twice teach nothing: doubt goes on', async () => {
    const world = await aWorldWith('in-doubt');
    world.gateway.statusStays('refuses the signature');
    expect(await inquire(world)).toMatchObject({ entry: { state: 'in-doubt', inquiries: { count: 1, negatives: 0 } } });
    expect(world.gateway.inquiries).toHaveLength(2);
  });

  it('that are refused, and cannot be fetched anew, teach nothing either', async () => {
    const world = await aWorldWith('in-doubt');
    world.gateway.statuses('refuses the signature');
    world.gateway.meanwhile(() => world.credentials.outage('down'));
    expect(await inquire(world)).toMatchObject({
      finding: 'credentials-refused',
      entry: { state: 'in-doubt', inquiries: { count: 1, negatives: 0 } },
    });
    expect(world.gateway.inquiries).toHaveLength(1);
  });

  it('that cannot be had are asked for again in the rhythm of doubt, and the sweeper stays away meanwhile', async () => {
    const world = await aWorldWith('in-doubt');
    world.credentials.outage('down');
    expect((await inquire(world)).next).toEqual({ check: check({ inquiries: 1 }), delaySeconds: 60 });
    expect(standing(world)).toMatchObject({ inquiries: { count: 1 }, dueAtMs: world.clock.nowMs() + 180_000 });
  });

  it('that cannot be had for as long as doubt may last leave it to a person, with what it came from', async () => {
    const world = await aWorldWith('in-doubt');
    world.credentials.outage('down');
    world.clock.advance(24 * hours - 1);
    expect(await inquire(world)).toMatchObject({ entry: { state: 'in-doubt', inquiries: { count: 1 } } });
    world.clock.advance(1);
    const end = await inquire(world, check({ inquiries: 1 }));
    expect(end).toMatchObject({ result: { status: 'held', final: false, failure: { code: 'NO_ANSWER' } } });
    expect(end).not.toHaveProperty('next');
    expect(standing(world)).toMatchObject({ state: 'held', final: false, unpublished: true });
    expect(standing(world).history.at(-1)).toMatchObject({ state: 'held', reason: 'horizon' });
  });

  it('that cannot be had never make doubt of an order that was accepted', async () => {
    const world = await aWorldWith('accepted');
    world.credentials.outage('down');
    world.clock.advance(7 * 24 * hours);
    expect(await inquire(world)).toEqual({ entry: standing(world) });
    expect(standing(world)).toMatchObject({ state: 'accepted', revision: 2, inquiries: { count: 1 } });
  });

  it('that took their time to come leave none for a look: none is begun', async () => {
    const world = await aWorldWith('in-doubt');
    const { of } = world.credentials;
    const slow = async (merchant: string) => {
      world.clock.advance(10_001);
      return of(merchant);
    };
    const credentials = { ...world.credentials, of: slow };
    const ports = { ...world.ports, credentials };
    const end = await inquireOrder(check(), world.clock.nowMs() + 60_000, ports);
    expect(world.gateway.inquiries).toEqual([]);
    expect(end).toMatchObject({ entry: { state: 'in-doubt', inquiries: { count: 1, negatives: 0 } } });
  });

  it('that cannot be had cost no reason to look, for a while', async () => {
    const world = await aWorldWith('in-doubt');
    await moveTo(world, 'held');
    world.credentials.outage('down');
    const { next } = await inquire(world, check({ now: true }));
    expect(next).toEqual({ check: check({ now: true, inquiries: 1 }), delaySeconds: 60 });
    world.checksQueue.taken.push({ check: check({ now: true, inquiries: 1 }), delaySeconds: 0, dueAtMs: 0 });
    await world.pass(30 * 24 * hours);
    expect(standing(world).inquiries).toMatchObject({ count: 5 });
    expect(world.checksQueue.taken).toEqual([]);
  });

  it('that are gone for good end a look at an order that has ended', async () => {
    const world = await aWorldWith('in-doubt');
    const entry = await moveTo(world, 'held');
    world.credentials.of = async () => ({
      kind: 'unavailable',
      failure: { code: 'MERCHANT_UNKNOWN', message: 'gone' },
    });
    expect(await inquire(world, check({ now: true }))).toEqual({ entry });
  });

  it('without the key that the signature needs teach nothing', async () => {
    const world = await aWorldWith('in-doubt');
    const { keys: _, ...rest } = someCredentials({ profile: inquiry });
    world.credentials.rotate('acme-eu', { ...rest, keys: {} });
    await world.credentials.refresh('acme-eu', someCredentials());
    expect(await inquire(world)).toMatchObject({ entry: { state: 'in-doubt', inquiries: { count: 1 } } });
  });
});

describe('a contract that offers no inquiry any more', () => {
  async function withoutInquiry(state: 'accepted' | 'in-doubt'): Promise<World> {
    const world = await aWorldWith(state);
    world.credentials.rotate('acme-eu', { ...someCredentials(), profile: defaultProfile });
    await world.credentials.refresh('acme-eu', someCredentials());
    return world;
  }

  it('leaves doubt to a person, with what it came from', async () => {
    const world = await withoutInquiry('in-doubt');
    const end = await inquire(world);
    expect(end).toMatchObject({ result: { status: 'held', final: false, failure: { code: 'NO_ANSWER' } } });
    expect(end).not.toHaveProperty('next');
    expect(standing(world).history.at(-1)).toMatchObject({ state: 'held', reason: 'no-inquiry' });
  });

  it('leaves an order that a person has already as it is, whoever has a reason to look', async () => {
    const world = await withoutInquiry('in-doubt');
    const entry = await moveTo(world, 'held');
    expect(await inquire(world, check({ now: true }))).toEqual({ entry });
    expect(standing(world)).toBe(entry);
  });

  it('leaves an accepted order to its callback, and the sweeper comes by hourly, not each minute', async () => {
    const world = await withoutInquiry('accepted');
    const end = await inquire(world);
    expect(end).toEqual({ entry: standing(world) });
    expect(standing(world)).toMatchObject({ state: 'accepted', dueAtMs: world.clock.nowMs() + 3_600_000 });
  });
});

describe('a lane that has a slot in a second, again and again, and gives it to others', () => {
  it('makes a check go round a dozen times in its first hour, not three thousand', async () => {
    const world = await aWorldWith('accepted');
    const busy = async () => ({ kind: 'wait', because: 'pace', untilMs: world.clock.nowMs() + 1_000 }) as const;
    const ports = { ...world.ports, pacing: { ...world.ports.pacing, ask: busy } };
    world.clock.advance(10_000);
    const endMs = world.clock.nowMs() + hours;
    let deliveries = 0;
    let it = check();
    for (; world.clock.nowMs() < endMs; deliveries += 1) {
      const { next } = await inquireOrder(it, world.clock.nowMs() + 120_000, ports);
      it = next?.check ?? it;
      world.clock.advance((next?.delaySeconds ?? 0) * 1000 + 1);
    }
    expect(deliveries).toBeLessThanOrEqual(12);
    expect(world.gateway.inquiries).toEqual([]);
  });
});
