// D3: tried once, then its merchant is paused for longer than any job waits: the order ends, and its batch is told.
import { expect, it } from 'vitest';
import { aPayoutJob } from '../support/jobs.ts';
import { longIt } from '../support/long-proof.ts';
import { days, seconds, storyWorld } from './harness.ts';

it('what reached its longest wait has ended, its batch is told, and it may be sent again by name', async () => {
  // given
  const world = storyWorld();
  world.gateway.answers('INV-1', 'cannot be reached', 'cannot be reached');
  const [row] = await world.uploads('payroll', [aPayoutJob()]);
  if (!row) throw new Error('there is one row');
  await world.pass(2 * seconds);
  await world.person.pauses();
  // when
  await world.pass(16 * days);
  // then
  expect(world.last('INV-1')).toMatchObject({ status: 'failed', final: true, failure: { code: 'WAITED_TOO_LONG' } });
  expect(world.batchResults('payroll')).toMatchObject([{ status: 'closed', final: true }]);
  expect(world.whereIs(row)).toBe('dead letter');
  await world.person.resumes();
  expect(await world.person.redrives('INV-1')).toBe(1);
  await world.pass(1 * days);
  expect(world.gateway.payments('INV-1')).toHaveLength(1);
});

longIt(
  'the message of an order that nobody decides about is a dead letter, and the order still waits for a person',
  async () => {
    // given
    const world = storyWorld();
    world.gateway.answers('INV-1', 'silent');
    const message = world.send(aPayoutJob());
    await world.pass(13 * days);
    expect(world.whereIs(message)).toBe('queue');
    // when
    await world.pass(3 * days);
    // then
    expect(world.whereIs(message)).toBe('dead letter');
    expect(world.last('INV-1')?.status).toBe('held');
    expect(await world.person.redrives('INV-1')).toBe(1);
    await world.pass(1 * days);
    expect(world.gateway.posts('INV-1')).toBe(1);
  },
);
