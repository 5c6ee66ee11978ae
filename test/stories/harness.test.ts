// The harness of the stories itself: what is well is well in it, and it sees what it must see.
import { describe, expect, it } from 'vitest';
import { aPayoutJob } from '../support/jobs.ts';
import { days, hours, minutes, storyWorld } from './harness.ts';

describe('a world in which all is well', () => {
  it('accepts, and tells the end that the gateway calls back', async () => {
    const world = storyWorld();
    const message = world.send(aPayoutJob());
    await world.pass(1 * minutes);
    expect(world.last('INV-1')).toMatchObject({ status: 'accepted', gatewayOrderId: '9000001' });
    expect(world.whereIs(message)).toBe('gone');
    world.gateway.ends('INV-1', 'approved');
    expect(await world.callback('INV-1', 'approved')).toBe(200);
    await world.pass(1 * minutes);
    expect(world.last('INV-1')).toMatchObject({ status: 'approved', final: true });
    expect(world.gateway.payments('INV-1')).toHaveLength(1);
  });

  it('asks, where it can, and needs no callback', async () => {
    const world = storyWorld({ profile: { statusInquiry: true } });
    world.send(aPayoutJob());
    await world.pass(10 * minutes);
    world.gateway.ends('INV-1', 'declined');
    await world.pass(1 * hours);
    expect(world.last('INV-1')).toMatchObject({ status: 'declined', final: true });
    expect(world.gateway.looks('INV-1')).toBeGreaterThan(3);
  });
});

it('a ledger that is away longer than a lease, and a process that dies, cost time alone', async () => {
  const world = storyWorld({ profile: { statusInquiry: true } });
  world.gateway.answers('INV-1', { as: 'taken', meanwhile: () => world.ledgerAwayFor(10 * minutes) });
  world.workerDies('before the POST');
  world.send(aPayoutJob({ orderId: 'INV-2' }));
  world.send(aPayoutJob());
  await world.pass(3 * hours);
  expect(world.last('INV-1')).toMatchObject({ status: 'accepted' });
  expect(world.gateway.posts('INV-1')).toBe(1);
  expect(world.gateway.posts('INV-2')).toBe(0);
  expect(world.last('INV-2')?.status).toBe('held');
});

it('a pause, a dead letter, its redrive and its discard', async () => {
  const world = storyWorld();
  await world.person.pauses();
  const [message, other] = [world.send(aPayoutJob()), world.send(aPayoutJob({ orderId: 'INV-2' }))];
  await world.pass(1 * days);
  expect(world.whereIs(message)).toBe('queue');
  await world.pass(14 * days);
  expect([world.whereIs(message), world.whereIs(other)]).toEqual(['dead letter', 'dead letter']);
  await world.person.resumes();
  expect([await world.person.redrives('INV-1'), await world.person.discards('INV-2')]).toEqual([1, 1]);
  await world.pass(1 * minutes);
  expect([world.last('INV-1')?.status, world.gateway.posts('INV-1')]).toEqual(['accepted', 1]);
  expect([world.last('INV-2')?.status, world.gateway.posts('INV-2')]).toEqual(['failed', 0]);
});
