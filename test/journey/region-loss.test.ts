// A Region is lost: queues and ledger with it. Another one comes up from a copy that lags behind, its queues are empty, and
// senders send again whatever has no final result (infra/docs/procedures/region-loss.md).
import { expect, it } from 'vitest';
import { adoptLine } from '../../lib/restore/restore-ledger.ts';
import { aPayoutJob } from '../support/jobs.ts';
import { aRecord } from '../support/records.ts';
import { restorableWorld } from '../support/restorable-world.ts';

const job = (orderId: string) => aRecord(aPayoutJob({ orderId }));

it('of what was sent since the copy nothing is sent again while senders send all of it once more', async () => {
  // given a copy that knows of two orders, one of them as never sent, and more that were sent after it, one with a result that was kept
  const { world, backup, restore, table } = restorableWorld({ profile: { statusInquiry: true } });
  await world.deliver([job('BEFORE')]);
  world.gateway.moods('refuses the connection');
  await world.deliver([job('TRIED')]);
  const copy = backup();
  await world.deliver([job('TRIED'), job('KEPT'), job('GONE')]);
  const kept = world.results.taken.filter(({ orderId }) => orderId === 'KEPT').map((it) => JSON.stringify(it));
  expect(kept).not.toEqual([]);
  expect(world.gateway.posts).toHaveLength(4);

  // when the other Region begins with the copy, new queues and what was kept
  await restore(copy);
  world.ownQueue.taken.splice(0);
  world.waitingRows.clear();
  for (const line of kept) expect(await adoptLine(line, table)).toBe('adopted');

  // and the sender sends all four again, as new messages
  await world.deliver(['BEFORE', 'TRIED', 'KEPT', 'GONE'].map(job));

  // then each is told as far as it is known, the forgotten one waits, and the gateway says how the doubted one ended
  expect(world.results.taken.map(({ orderId, status }) => [orderId, status])).toEqual(
    expect.arrayContaining([
      ['BEFORE', 'accepted'],
      ['TRIED', 'in-doubt'],
      ['KEPT', 'accepted'],
    ]),
  );
  expect(world.entries.has('acme-eu/GONE')).toBe(false);
  world.gateway.statusStays('approved');
  await world.pass(600_000);
  expect(world.entries.get('acme-eu/TRIED')).toMatchObject({ state: 'approved' });
  expect(world.gateway.posts).toHaveLength(4);
});
