// From a stranger who has read one genuine callback: `control` covers neither type nor amount, so it is played again with others.
import { expect, it } from 'vitest';
import { aPayoutJob } from '../support/jobs.ts';
import { days, hours, minutes, storyWorld } from './harness.ts';

const ends = [
  [{ statusInquiry: true }, ['approved']],
  // Which of the amounts is right can be known to the gateway alone.
  [{}, ['approved', 'held']],
] as const;

it.each(ends)(
  'a thousand amounts: nothing is told a thousand times, and the end is told (%j)',
  async (profile, told) => {
    const world = storyWorld({ profile });
    world.send(aPayoutJob());
    await world.pass(1 * minutes);
    world.gateway.ends('INV-1', 'approved');
    for (let n = 0; n < 1_000; n += 1) await world.callback('INV-1', 'approved', { amount: `${n}.00` });
    await world.pass(1 * hours);
    await world.callback('INV-1', 'approved');
    await world.pass(1 * days);
    expect(told).toContain(world.last('INV-1')?.status);
    expect(world.results('INV-1').length).toBeLessThan(20);
  },
);

it('a reversal without inquiry is told as no end of the payment by itself', async () => {
  const world = storyWorld();
  world.send(aPayoutJob());
  await world.pass(1 * minutes);
  world.gateway.ends('INV-1', 'approved');
  await world.callback('INV-1', 'approved');
  await world.pass(1 * minutes);
  await world.callback('INV-1', 'approved', { type: 'reversal' });
  await world.pass(1 * days);
  expect(world.results('INV-1').every((it) => it.reversal === undefined)).toBe(true);
  expect(world.last('INV-1')?.status).toBe('approved');
});

// The door remembers a callback for a minute; whoever has seen one plays it again after that.
it.each([{}, { statusInquiry: true }])(
  'the very same one again, for hours: nothing was learned, and nothing is published (%j)',
  async (profile) => {
    const world = storyWorld({ profile });
    world.send(aPayoutJob());
    await world.pass(1 * minutes);
    world.gateway.ends('INV-1', 'approved');
    await world.callback('INV-1', 'approved');
    await world.pass(1 * hours);
    const before = world.results('INV-1').length;
    for (let n = 0; n < 60; n += 1) {
      expect(await world.callback('INV-1', 'approved')).toBe(200);
      await world.pass(2 * minutes);
    }
    await world.pass(1 * days);
    expect(world.last('INV-1')?.status).toBe('approved');
    expect(world.results('INV-1').length - before).toBe(0);
  },
);

it('what the queue of results did not take is published, though a callback came again meanwhile', async () => {
  const world = storyWorld();
  world.send(aPayoutJob());
  await world.pass(1 * minutes);
  world.gateway.ends('INV-1', 'approved');
  world.resultsAwayFor(1 * hours);
  await world.callback('INV-1', 'approved');
  await world.pass(5 * minutes);
  await world.callback('INV-1', 'approved');
  await world.pass(1 * days);
  expect(world.last('INV-1')?.status).toBe('approved');
});
