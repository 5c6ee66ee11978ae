// A Region is lost: queues and ledger with it. Another one comes up from a copy that lags behind, its queues are empty, and
// senders send again whatever has no final result (infra/docs/procedures/region-loss.md).
import { expect, it } from 'vitest';
import { createMemoryRestoration } from '../support/memory-restoration.ts';
import { runBatch } from '../../lib/payout/submit/run-jobs.ts';
import { adoptLine, beginRestore } from '../../lib/restore/restore-ledger.ts';
import { controlsAfterRestore, ordersAfterRestore } from '../../lib/restore/restored-orders.ts';
import { aPayoutJob } from '../support/jobs.ts';
import { aRecord } from '../support/records.ts';
import { aWorld } from '../support/world.ts';

const lost = { by: 'anna', reason: 'the Region is gone', atMs: 0 };
const job = (orderId: string) => aRecord(aPayoutJob({ orderId }));

it('what was sent since the copy is sent again by its sender, and paid once', async () => {
  // given a copy that knows of one order, and two more that were sent after it, one with a result that was kept elsewhere
  const world = aWorld({ profile: { statusInquiry: true } });
  await world.deliver([job('BEFORE')]);
  const copy = new Map(world.entries);
  await world.deliver([job('KEPT'), job('GONE')]);
  const kept = world.results.taken.filter(({ orderId }) => orderId === 'KEPT').map((it) => JSON.stringify(it));
  expect(kept).not.toEqual([]);

  // when the other Region begins with the copy, new queues and what was kept
  world.items.clear();
  for (const [key, entry] of copy) world.entries.set(key, entry);
  const restoration = createMemoryRestoration();
  for (const line of kept) expect(await adoptLine(line, world.ports)).toBe('adopted');
  world.clock.advance(60_000);
  await beginRestore(0, lost, { ...world.ports, controlsAdmin: world.controls, restoreAdmin: restoration });
  await world.controls.pause(undefined, false, lost);

  // and the sender sends all three again, as new messages
  world.clock.advance(120_000);
  const ledger = ordersAfterRestore(world.orders, restoration);
  const ports = { ...world.ports, ledger, controls: controlsAfterRestore(world.controls, restoration) };
  const again = ['BEFORE', 'KEPT', 'GONE'].map(job);
  await runBatch(again, world.clock.nowMs() + 120_000, ports);
  expect(world.entries.get('acme-eu/GONE')).toMatchObject({ state: 'in-doubt', failure: { code: 'LEDGER_RESTORED' } });

  // then nothing was sent again, and the gateway says how the forgotten one ended
  world.gateway.statusStays('approved');
  await world.inquire();
  expect(world.entries.get('acme-eu/GONE')).toMatchObject({ state: 'approved' });
  expect(world.gateway.posts.map(({ orderId }) => orderId)).toEqual(['BEFORE', 'KEPT', 'GONE']);
});
