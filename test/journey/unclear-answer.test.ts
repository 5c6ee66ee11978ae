// Bytes may have left and nobody can say whether money moved: no second POST, ever; doubt is told as doubt.
import { describe, expect, it } from 'vitest';
import type { GatewayMood } from '../support/fake-gateway.ts';
import { aPayoutJob } from '../support/jobs.ts';
import { aRecord, redelivered } from '../support/records.ts';
import { aWorld } from '../support/world.ts';

const unclear: readonly [GatewayMood, string][] = [
  ['resets after reading', 'NO_ANSWER'],
  ['stalls', 'NO_ANSWER'],
  ['breaks off in the body', 'NO_ANSWER'],
  ['fails', 'UNCLEAR_ANSWER'],
  ['says the order exists', 'UNCLEAR_ANSWER'],
  ['answers for another order', 'UNCLEAR_ANSWER'],
  ['answers nothing readable', 'UNCLEAR_ANSWER'],
];

describe.each(unclear)('when the gateway %s', (mood, code) => {
  it('the payout is held for a person where the contract offers no inquiry', async () => {
    const world = aWorld();
    world.gateway.moods(mood);
    expect(await world.deliver(aRecord(aPayoutJob()))).toEqual([]);
    expect(world.results.taken).toMatchObject([{ status: 'held', final: false, failure: { code } }]);
  });

  it('the payout is in doubt where the gateway can be asked', async () => {
    const world = aWorld({ profile: { statusInquiry: true } });
    world.gateway.moods(mood);
    expect(await world.deliver(aRecord(aPayoutJob()))).toEqual([]);
    expect(world.results.taken).toMatchObject([{ status: 'in-doubt', final: false, failure: { code } }]);
  });

  it('no later delivery sends it again', async () => {
    const world = aWorld();
    world.gateway.moods(mood);
    const record = aRecord(aPayoutJob());
    await world.deliver(record);
    world.clock.advance(400 * 86_400_000);
    await world.deliver([redelivered(record), aRecord(aPayoutJob()), aRecord(aPayoutJob())]);
    expect(world.gateway.postsOf('INV-1')).toBe(1);
    expect(new Set(world.results.taken.map((result) => result.resultId))).toEqual(new Set(['acme-eu/INV-1/1']));
  });
});
