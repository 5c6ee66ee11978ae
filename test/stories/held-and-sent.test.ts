// A4: "a person decides" was told; a late refusal of the POST makes the order retryable, and it goes without a person.
import { expect, it } from 'vitest';
import { aPayoutJob } from '../support/jobs.ts';
import type { Profile } from '../../lib/gateway/profile.ts';
import { days, hours, minutes, storyWorld } from './harness.ts';
import { lengthOf } from '../support/long-proof.ts';

it.each(
  lengthOf<readonly Partial<Profile>[]>({ short: [{ statusInquiry: true }], long: [{}, { statusInquiry: true }] }),
)(
  'what was told as held or in doubt is not sent by itself, however late it turns out refused (%j)',
  async (profile) => {
    // given
    const world = storyWorld({ profile });
    world.answersComeLateBy(2 * hours);
    world.gateway.desk('INV-1', 'silent');
    world.gateway.answers('INV-1', { as: '403', meanwhile: () => world.ledgerAwayFor(5 * minutes) });
    world.send(aPayoutJob());
    const copy = world.send(aPayoutJob(), { comesInMs: 20 * minutes });
    await world.pass(1 * hours);
    expect(['held', 'in-doubt']).toContain(world.last('INV-1')?.status);
    // when the refusal is read, and the gateway would take the order
    await world.pass(2 * days);
    world.redeliver(copy);
    await world.pass(1 * days);
    // then
    expect(world.gateway.posts('INV-1')).toBe(1);
  },
);
