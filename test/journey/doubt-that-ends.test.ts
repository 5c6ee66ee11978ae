// Money may have moved, and the gateway can be asked: doubt ends in what the gateway knows, or with a person.
import { describe, expect, it } from 'vitest';
import type { Profile } from '../../lib/gateway/profile.ts';
import { aPayoutJob } from '../support/jobs.ts';
import { aRecord, redelivered } from '../support/records.ts';
import { startMs } from '../support/time-and-chance.ts';
import { aWorld, type World } from '../support/world.ts';
import { lengthOf } from '../support/long-proof.ts';

const minutes = 60_000;
const hours = 3_600_000;
/** Half an hour from the end of the lease (100 s) by any clock, which is ten minutes later. */
const quietPeriodOver = 100_000 + 10 * minutes + 30 * minutes;
/** A look that counts comes a second after its moment. */
const lookComes = 5_000;
const record = aRecord(aPayoutJob(), { messageId: 'm-1' });

/** A payout whose answer never came. */
async function aWorldInDoubt(profile: Partial<Profile> = {}): Promise<World> {
  const world = aWorld({ profile: { statusInquiry: true, ...profile } });
  world.gateway.moods('stalls');
  expect(await world.deliver(record)).toEqual([]);
  return world;
}

const told = (world: World) => world.results.taken.map(({ status }) => status);
const askedAfterMinutes = (world: World) => world.gateway.inquiries.map(({ atMs }) => (atMs - startMs) / minutes);

describe('the request timed out after it was sent', () => {
  it('and an inquiry finds it: in doubt, then accepted, then approved, and money moved once', async () => {
    const world = await aWorldInDoubt();
    world.gateway.statuses('fails', 'processing', 'approved');
    await world.pass(10 * minutes);
    expect(world.results.taken).toMatchObject([
      { resultId: 'acme-eu/INV-1/1', status: 'in-doubt', final: false, failure: { code: 'NO_ANSWER' } },
      { resultId: 'acme-eu/INV-1/2', status: 'accepted', final: false, payoutId: '9000001' },
      { resultId: 'acme-eu/INV-1/3', status: 'approved', final: true, payoutId: '9000001' },
    ]);
    expect(world.results.taken[2]).not.toHaveProperty('failure');
    expect(askedAfterMinutes(world).slice(0, 2)).toEqual([1, 2]);
    expect(world.gateway.postsOf('INV-1')).toBe(1);
  });

  it('and an inquiry finds its end at once', async () => {
    const world = await aWorldInDoubt();
    world.gateway.statuses('declined');
    await world.pass(1 * minutes);
    expect(told(world)).toEqual(['in-doubt', 'declined']);
  });

  it('and the gateway is asked after a minute, then whenever half of the age has passed, and when doubt may end', async () => {
    const world = await aWorldInDoubt();
    world.gateway.statusStays('fails');
    await world.pass(4 * hours);
    const rounded = askedAfterMinutes(world).map((after) => Math.round(after));
    // What no message can carry so long is brought by the sweeper, a minute late at most.
    expect(rounded).toEqual([1, 2, 3, 4, 7, 10, 12, 18, 26, 39, 59, 89, 134, 195]);
  });
});

describe('the gateway never heard of it', () => {
  it('and the profile lets it be sent again: failed after the quiet period, and a job that names its end pays once', async () => {
    const world = await aWorldInDoubt({ resubmitUnknownOrders: true });
    world.gateway.statusStays('never heard of it');

    // Nothing is given up a second too early.
    await world.pass(quietPeriodOver);
    expect(told(world)).toEqual(['in-doubt']);
    await world.pass(lookComes);
    expect(world.results.taken[1]).toMatchObject({
      status: 'failed',
      final: true,
      failure: { code: 'NOT_AT_GATEWAY' },
    });

    // A late copy of the message that sent it only repeats the end.
    await world.deliver(redelivered(record));
    expect(world.gateway.postsOf('INV-1')).toBe(1);

    // The file again repeats it too; the job that names its end, and once more: one POST more, one payment.
    await world.deliver(aRecord(aPayoutJob()));
    expect(world.gateway.postsOf('INV-1')).toBe(1);
    const { endId: resends = '' } = world.results.taken[1] ?? {};
    await world.deliver([aRecord(aPayoutJob({ resends })), aRecord(aPayoutJob({ resends }))]);
    world.gateway.statusStays('approved');
    await world.pass(1 * minutes);
    await world.deliver([aRecord(aPayoutJob({ resends })), aRecord(aPayoutJob())]);
    expect(world.gateway.postsOf('INV-1')).toBe(2);
    expect(world.results.taken.at(-1)).toMatchObject({ status: 'approved', attempts: 2 });
  });

  it('and the profile does not say that it may be sent again: held after the quiet period, and never sent', async () => {
    const world = await aWorldInDoubt();
    world.gateway.statusStays('never heard of it, in form text');
    await world.pass(quietPeriodOver + lookComes);
    expect(world.results.taken[1]).toMatchObject({ status: 'held', final: false, failure: { code: 'NOT_AT_GATEWAY' } });
    await world.pass(48 * hours);
    await world.deliver([redelivered(record), aRecord(aPayoutJob())]);
    expect(world.gateway.postsOf('INV-1')).toBe(1);
    expect(new Set(told(world))).toEqual(new Set(['in-doubt', 'held']));
  });

  it('but says so once alone: held, and nothing is ever sent again', async () => {
    const world = await aWorldInDoubt({ resubmitUnknownOrders: true });
    world.gateway.statusStays('stalls');
    await world.pass(15 * minutes);
    world.gateway.statuses('never heard of it');
    await world.pass(25 * hours);
    expect(told(world)).toEqual(['in-doubt', 'held']);
  });

  it('but it turns up later, after it was called failed: approved, and no new message sends it', async () => {
    const world = await aWorldInDoubt({ resubmitUnknownOrders: true });
    world.gateway.statusStays('never heard of it');
    await world.pass(quietPeriodOver + lookComes);
    world.gateway.statusStays('approved');
    const paid = { status: 'approved', orderid: '9000001', client_orderid: 'INV-1', amount: '10.42', currency: 'EUR' };
    expect(await world.callBack(paid)).toBe(200);
    await world.deliver(aRecord(aPayoutJob()));
    expect(told(world)).toEqual(['in-doubt', 'failed', 'approved', 'approved']);
    expect(world.gateway.postsOf('INV-1')).toBe(1);
  });

  it('but has it under way by now: a new message does not send it either', async () => {
    const world = await aWorldInDoubt({ resubmitUnknownOrders: true });
    world.gateway.statusStays('never heard of it');
    await world.pass(quietPeriodOver + lookComes);
    world.gateway.statusStays('processing');
    await world.callBack({ status: 'approved', orderid: '9000001', client_orderid: 'INV-1' });
    await world.deliver(aRecord(aPayoutJob()));
    expect(told(world)).toEqual(['in-doubt', 'failed', 'accepted', 'accepted']);
    expect(world.gateway.postsOf('INV-1')).toBe(1);
  });
});

describe('nothing is ever learned', () => {
  it.each(
    lengthOf({
      short: ['stalls'] as const,
      long: ['fails', 'stalls', 'cannot be reached', 'refuses the signature'] as const,
    }),
  )('because the gateway %s: held when the horizon of a day is reached, and never asked about again', async (mood) => {
    const world = await aWorldInDoubt();
    world.gateway.statusStays(mood);
    await world.pass(24 * hours);
    expect(told(world)).toEqual(['in-doubt']);
    await world.pass(4 * minutes);
    expect(world.results.taken[1]).toMatchObject({ status: 'held', final: false, failure: { code: 'NO_ANSWER' } });
    const asked = world.gateway.inquiries.length;
    await world.pass(24 * hours);
    expect(world.gateway.inquiries).toHaveLength(asked);
    expect(world.gateway.postsOf('INV-1')).toBe(1);
  });

  it('and the horizon is the profile’s', async () => {
    const world = await aWorldInDoubt({ doubtHorizonSeconds: 60 });
    world.gateway.statusStays('stalls');
    await world.pass(15 * minutes);
    expect(told(world)).toEqual(['in-doubt', 'held']);
  });

  it('because the secret is gone: doubt goes on in its rhythm, and ends when the secret is back', async () => {
    const world = await aWorldInDoubt();
    world.credentials.outage('down');
    await world.pass(2 * hours);
    // By now it is looked at once an hour, by the sweeper: no check goes round meanwhile.
    expect(world.ownQueue.taken).toHaveLength(0);
    world.credentials.outage('up');
    world.gateway.statusStays('approved');
    await world.pass(1 * hours);
    expect(told(world)).toEqual(['in-doubt', 'approved']);
  });
});
