// Reconciliation may change even what the gateway called final: told as a new revision of the same order.
import { expect, it } from 'vitest';
import { aPayoutJob } from '../support/jobs.ts';
import { aRecord } from '../support/records.ts';
import { aWorld } from '../support/world.ts';

it('an approved payout that is declined a week later, and approved again, is told each time', async () => {
  // given a payout that was paid
  const world = aWorld({ profile: { statusInquiry: true } });
  world.gateway.statusStays('approved');
  await world.deliver(aRecord(aPayoutJob()));
  await world.pass(10_000);

  // when the gateway changes its mind, and calls back about it
  const call = { orderid: '9000001', client_orderid: 'INV-1' };
  for (const status of ['declined', 'declined', 'approved'] as const) {
    await world.pass(7 * 86_400_000);
    world.gateway.statusStays(status);
    expect(await world.callBack({ ...call, status })).toBe(200);
    await world.inquire();
  }

  // then each change supersedes what was told before, and what is no change is not told
  expect(world.results.taken).toMatchObject([
    { revision: 2, status: 'accepted', final: false },
    { revision: 3, status: 'approved', final: true },
    { revision: 4, status: 'declined', final: true, failure: { code: 'GATEWAY_DECLINED' } },
    { revision: 5, status: 'approved', final: true },
  ]);
  expect(world.results.taken[3]).not.toHaveProperty('failure');
  expect(world.gateway.postsOf('INV-1')).toBe(1);
});
