// The order is settled but its result can't be told: the message stays until it is, and nothing is sent again.
import { expect, it } from 'vitest';
import { aPayoutJob } from '../support/jobs.ts';
import { aRecord, redelivered } from '../support/records.ts';
import { aWorld } from '../support/world.ts';

it('a result that could not be sent is published at the next receive', async () => {
  // given a results queue that is down
  const world = aWorld();
  world.results.stays('down');
  const record = aRecord(aPayoutJob(), { messageId: 'm-1' });

  // when the payout is accepted
  const first = await world.deliver(record);

  // then the message stays on the queue, and the ledger remembers that nobody was told
  expect(first).toEqual(['m-1']);
  expect(world.entries.get('acme-eu/INV-1')).toMatchObject({ state: 'accepted', unpublished: true });

  // and when the queue is back, the result is published without a second POST and the mark is gone
  world.results.stays('up');
  expect(await world.deliver(redelivered(record))).toEqual([]);
  expect(world.gateway.postsOf('INV-1')).toBe(1);
  expect(world.results.taken).toMatchObject([{ resultId: 'acme-eu/INV-1/2', status: 'accepted' }]);
  expect(world.entries.get('acme-eu/INV-1')).not.toHaveProperty('unpublished');
});

it('a bad job is not acknowledged either before its sender is told', async () => {
  const world = aWorld();
  world.results.stays('down');
  const record = aRecord('not a job', { messageId: 'm-1' });
  expect(await world.deliver(record)).toEqual(['m-1']);
  world.results.stays('up');
  expect(await world.deliver(redelivered(record))).toEqual([]);
  expect(world.results.taken).toMatchObject([{ resultId: 'rejected/m-1' }]);
});
