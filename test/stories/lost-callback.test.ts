// E1: the only word of an end is a callback, which comes while the ledger is away for longer than a queue tries.
import { expect, it } from 'vitest';
import { aPayoutJob } from '../support/jobs.ts';
import { days, hours, minutes, storyWorld } from './harness.ts';

it.each(['declined', 'approved'] as const)(
  'a callback that was answered 200 is told in the end: %s',
  async (status) => {
    // given
    const world = storyWorld();
    world.send(aPayoutJob());
    await world.pass(1 * minutes);
    expect(world.last('INV-1')?.status).toBe('accepted');
    // when
    world.ledgerAwayFor(2 * hours);
    world.gateway.ends('INV-1', status);
    const answered = await world.callback('INV-1', status);
    await world.pass(3 * hours);
    // then the gateway is heard when it calls again, as it does until it hears 200
    if (answered !== 200) await world.callback('INV-1', status);
    await world.pass(1 * hours);
    // or a person brings back what lies dead
    await world.person.redrives('INV-1');
    await world.pass(1 * days);
    expect(world.last('INV-1')).toMatchObject({ status, final: true });
  },
);

it('a callback that came while the ledger was away for four days is told, and nobody has to bring it back', async () => {
  const world = storyWorld();
  world.send(aPayoutJob());
  await world.pass(1 * minutes);
  world.ledgerAwayFor(4 * days);
  world.gateway.ends('INV-1', 'approved');
  expect(await world.callback('INV-1', 'approved')).toBe(200);
  await world.pass(4 * days + 1 * hours);
  expect(world.last('INV-1')).toMatchObject({ status: 'approved', final: true });
});
