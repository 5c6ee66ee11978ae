// What the gateway says of an order, and of no attempt that is known, while none of those lives: a person is to know.
import { expect, it } from 'vitest';
import { aPayoutCheck } from '../support/jobs.ts';
import { aRecord } from '../support/records.ts';
import { aWorld } from '../support/world.ts';

const minute = 60_000;

it('two checks without an answer, one of which the gateway has validated: held, and asked about no more', async () => {
  // given
  const world = aWorld({ profile: { statusInquiry: true, twoStepPayouts: true } });
  world.gateway.moods('stalls', 'stalls');
  world.gateway.statuses('never heard of it');
  world.gateway.statusStays('check validated');
  const record = aRecord(aPayoutCheck());
  // when
  await world.deliver(record);
  await world.pass(10 * minute);
  await world.deliver(record);
  await world.pass(1_440 * minute);
  // then
  expect(world.entries.get('acme-eu/INV-1')).toMatchObject({ state: 'held', failure: { code: 'UNCLEAR_ANSWER' } });
  const looks = world.items.get('acme-eu/INV-1')?.looks;
  await world.pass(1_440 * minute);
  expect(world.items.get('acme-eu/INV-1')?.looks).toBe(looks);
});
