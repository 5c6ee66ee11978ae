// Each order has one chain of checks, whatever SQS, the sweeper, the gateway's callbacks and a results queue that refuses do
// at the same time: what one order costs in an hour is bounded, and what could not be told is told in the end, once.
import { describe, expect, it } from 'vitest';
import { aPayoutJob } from '../support/jobs.ts';
import { failing } from '../support/outage-modes.ts';
import { createQueuePlayer } from '../support/queue-player.ts';
import { aRecord } from '../support/records.ts';
import { aWorld, type World } from '../support/world.ts';

const minutes = 60_000;
const call = { orderid: '9000001', client_orderid: 'INV-1', amount: '10.42', currency: 'EUR' };

/** Deliveries of checks so far: each writes one line. */
const deliveriesOf = (world: World) => world.log.filter(({ event }) => event === 'check').length;

/** Time goes by, and SQS brings every check twice. */
async function passWithDuplicates(world: World, ms: number): Promise<void> {
  const { send } = world.ownQueue;
  world.ports.ownQueue.send = (checks) => send(checks.flatMap((check) => [check, check]));
  await world.pass(ms);
  world.ports.ownQueue.send = send;
}

describe('an hour in which the results queue refuses', () => {
  it.each(['processing', 'approved'] as const)('costs an order that is %s a few checks', async (status) => {
    // given an accepted order whose result can't be told
    const world = aWorld({ profile: { statusInquiry: true } });
    world.results.stays('down');
    await world.deliver(aRecord(aPayoutJob()));
    world.gateway.statusStays(status);
    await passWithDuplicates(world, 5 * minutes);

    // when an hour goes by with every check delivered twice and the gateway calling back each minute, always with another word
    const [deliveries, inquiries] = [deliveriesOf(world), world.gateway.inquiries.length];
    for (let minute = 0; minute < 60; minute += 1) {
      await world.callBack({ ...call, status: `step-${minute}` });
      await passWithDuplicates(world, minutes);
    }

    // then the gateway was asked twelve times at most, and each callback cost a few deliveries
    expect(world.gateway.inquiries.length - inquiries).toBeLessThanOrEqual(12);
    expect(deliveriesOf(world) - deliveries).toBeLessThanOrEqual(2 * 12 + 60 * 5);

    // and when the queue is back, each result is told once and nothing goes on
    world.results.stays('up');
    await passWithDuplicates(world, 120 * minutes);
    const told = world.results.taken.map(({ resultId }) => resultId);
    expect(new Set(told).size).toBe(told.length);
    expect(world.results.taken.at(-1)).toMatchObject({ status: status === 'approved' ? 'approved' : 'accepted' });
  });

  it('costs an order without callbacks twelve deliveries at most', async () => {
    const world = aWorld({ profile: { statusInquiry: true } });
    world.results.stays('down');
    await world.deliver(aRecord(aPayoutJob()));
    world.gateway.statusStays('approved');
    await world.pass(5 * minutes);
    const deliveries = deliveriesOf(world);
    await world.pass(60 * minutes);
    expect(deliveriesOf(world) - deliveries).toBeLessThanOrEqual(12);
  });
});

it('a hundred checks of one order that has piled up cost one inquiry', async () => {
  const world = aWorld({ profile: { statusInquiry: true } });
  await world.deliver(aRecord(aPayoutJob()));
  world.ownQueue.taken.splice(0);
  await world.deliverOwn(
    Array.from({ length: 100 }, () => ({ kind: 'check', key: 'acme-eu/INV-1', number: 0 }) as const),
  );
  expect(world.gateway.inquiries).toHaveLength(1);
  expect(world.ownQueue.taken).toHaveLength(1);
});

it('a callback repeated a thousand times about an order that has ended makes a handful of inquiries', async () => {
  const world = aWorld({ profile: { statusInquiry: true } });
  await world.deliver(aRecord(aPayoutJob()));
  world.gateway.statusStays('approved');
  await world.pass(1 * minutes);
  const asked = world.gateway.inquiries.length;
  for (let times = 0; times < 1000; times += 1) await world.callBack({ ...call, status: 'declined' });
  await world.pass(60 * minutes);
  expect(world.gateway.inquiries.length - asked).toBeLessThanOrEqual(2);
  expect(world.ownQueue.taken).toEqual([]);
});

it('a check out of turn about an ended order of a merchant whose secret is gone comes to an end', async () => {
  const world = aWorld({ profile: { statusInquiry: true } });
  await world.deliver(aRecord(aPayoutJob()));
  world.gateway.statusStays('approved');
  await world.pass(1 * minutes);
  await world.callBack({ ...call, status: 'declined' });
  world.credentials.outage('down');
  await world.pass(30 * 24 * 60 * minutes);
  expect(world.ownQueue.taken).toEqual([]);
});

it('an order whose lane has no slot for hours has one chain all the same: the sweeper adds none to it', async () => {
  // given an accepted order, and lanes that can't be read
  const world = aWorld({ profile: { statusInquiry: true } });
  const queues = createQueuePlayer(world);
  queues.send(aRecord(aPayoutJob()));
  await queues.pass(1_000);
  const { recover } = failing(world, [{ service: 'lanes', mode: 'refused' }]);

  // when six hours go by, with a sweep in each minute
  await queues.pass(5 * 3_600_000, world.sweep);
  queues.startCounting();
  await queues.pass(3_600_000, world.sweep);

  // then its checks came as often as in the first of them, and it is asked about as soon as the lanes are back
  expect(queues.costs().get('acme-eu/INV-1')?.deliveries).toBeLessThanOrEqual(5);
  recover();
  world.gateway.statusStays('approved');
  await queues.pass(1_800_000, world.sweep);
  expect(world.entries.get('acme-eu/INV-1')).toMatchObject({ state: 'approved' });
});
