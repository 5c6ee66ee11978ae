// The order is settled but its result can't be told: the ledger remembers it, and nothing is sent again.
import { expect, it } from 'vitest';
import { aPayoutJob } from '../support/jobs.ts';
import { aRecord, redelivered } from '../support/records.ts';
import { aWorld } from '../support/world.ts';

it('a result that could not be sent is published by the ledger’s mark', async () => {
  // given a results queue that is down
  const world = aWorld();
  world.results.stays('down');
  const record = aRecord(aPayoutJob(), { messageId: 'm-1' });

  // when the payout is accepted
  const first = await world.deliver(record);

  // then the ledger remembers that nobody was told, so that the message may go
  expect(first).toEqual([]);
  expect(world.entries.get('acme-eu/INV-1')).toMatchObject({ state: 'accepted', unpublished: true });

  // and when the queue is back, the result is published without a second POST and the mark is gone
  world.results.stays('up');
  await world.pass(240_000);
  expect(world.gateway.postsOf('INV-1')).toBe(1);
  expect(world.results.taken).toMatchObject([{ resultId: 'acme-eu/INV-1/1', status: 'accepted' }]);
  expect(world.entries.get('acme-eu/INV-1')).not.toHaveProperty('unpublished');
});

it('a bad job is not acknowledged either before its sender is told', async () => {
  const world = aWorld();
  world.results.stays('down');
  const record = aRecord('not a job', { messageId: 'm-1' });
  expect(await world.deliver(record)).toEqual(['m-1']);
  world.results.stays('up');
  expect(await world.deliver(redelivered(record))).toEqual([]);
  expect(world.results.taken).toMatchObject([{ resultId: expect.stringMatching(/^rejected\/m-1\//) }]);
});

it('where the mark could not be written either, the message stays', async () => {
  const world = aWorld();
  world.results.stays('down');
  world.orders.stays('down', 'mark');
  const record = aRecord(aPayoutJob(), { messageId: 'm-1' });
  expect(await world.deliver(record)).toEqual(['m-1']);
  world.results.stays('up');
  expect(await world.deliver(redelivered(record))).toEqual([]);
  expect(world.results.taken).toMatchObject([{ resultId: 'acme-eu/INV-1/1' }]);
});

it('doubt whose worker dies before it is told is told by the message, which comes again', async () => {
  const world = aWorld({ profile: { statusInquiry: true } });
  world.gateway.moods('stalls');
  world.results.stays('down');
  world.orders.stays('down', 'mark');
  const record = aRecord(aPayoutJob(), { messageId: 'm-1' });
  await world.deliver(record);
  world.results.stays('up');
  world.orders.stays('up', 'mark');
  expect(await world.deliver(redelivered(record))).toEqual([]);
  expect(world.waits()).toMatchObject([{ where: 'table', because: 'kept' }]);
  expect(world.results.taken).toMatchObject([{ resultId: 'acme-eu/INV-1/1', status: 'in-doubt' }]);
  expect(world.entries.get('acme-eu/INV-1')).not.toHaveProperty('unpublished');
});

it('a message that never became an order waits ever longer, and leaves no dead letter before its sender is told', async () => {
  const world = aWorld();
  world.results.stays('down');
  let record = aRecord('{"version":1}', { messageId: 'm-1' });
  const waits: (number | undefined)[] = [];
  for (let receive = 1; receive <= 5; receive += 1) {
    expect(await world.deliver(record)).toEqual(['m-1']);
    waits.push(world.jobsQueue.postponed.get(record.receiptHandle));
    record = redelivered(record);
  }
  expect(waits).toEqual([15, 60, 240, 900, 900]);
  expect(world.jobsQueue.deadLetters.taken).toEqual([]);
});

it('a row of a batch whose order stands elsewhere multiplies by nothing, row notes down too', async () => {
  const world = aWorld();
  await world.deliver(aRecord(aPayoutJob({ batchId: 'b-1' })));
  world.results.stays('down');
  world.rows.stays('down');
  world.orders.stays('down', 'mark');
  let record = aRecord(aPayoutJob({ batchId: 'b-2' }), { messageId: 'n' });
  for (let receive = 1; receive <= 5; receive += 1) {
    await world.deliver(record);
    record = redelivered(record);
  }
  expect(world.waits().length).toBeLessThanOrEqual(1);
});
