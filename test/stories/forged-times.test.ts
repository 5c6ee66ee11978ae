// From a sender: a time in an attribute is no time of anything.
import { describe, expect, it } from 'vitest';
import { aPayoutJob } from '../support/jobs.ts';
import { days, hours, storyWorld } from './harness.ts';

describe('an attribute that says when the message was sent', () => {
  it.each(['4102444800000', '99999999999999'])(
    '%s: a message of before the release sends nothing',
    async (sentAtMs) => {
      // given an order in doubt, and a message that comes late
      const world = storyWorld();
      world.gateway.answers('INV-1', 'silent');
      world.send(aPayoutJob());
      world.send(aPayoutJob(), { comesInMs: 3 * hours, attributes: { sentAtMs } });
      await world.pass(2 * hours);
      // when
      expect(await world.person.decides('INV-1', 'not-paid')).toBe('done');
      await world.pass(1 * days);
      // then
      expect(world.gateway.posts('INV-1')).toBe(1);
    },
  );

  async function endsAtOnce(sentAtMs: string): Promise<void> {
    const world = storyWorld();
    const message = world.send(aPayoutJob(), { attributes: { sentAtMs, waits: sentAtMs } });
    const broken = world.send('no job', { attributes: { sentAtMs } });
    await world.pass(1 * hours);
    const ends = [world.last('INV-1')?.status === 'accepted', world.whereIs(message) === 'dead letter'];
    expect(ends).toContain(true);
    expect([world.told(broken).length > 0, world.whereIs(broken)]).toEqual([true, 'dead letter']);
  }

  it.each(['-1', 'NaN', ''])('"%s": the message ends, or is a dead letter, at once', endsAtOnce);
  it.each(['Infinity', '1e300'])('"%s": the message ends, or is a dead letter, at once', endsAtOnce);
});
