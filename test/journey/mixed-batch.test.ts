// Ten records, ten fates: no record's end depends on its neighbours.
import { expect, it } from 'vitest';
import { aPayoutJob, aTransferByRefJob, aTransferJob, anEligibilityJob } from '../support/jobs.ts';
import { sealedFor } from '../support/card-keys.ts';
import { aRecord } from '../support/records.ts';
import { aWorld } from '../support/world.ts';

it('each record of a mixed batch goes its own way', async () => {
  // given one worker that takes the records in turn, and a gateway in changing moods
  const world = aWorld({ limits: { concurrency: 1 } });
  world.gateway.moods('accepts', 'accepts in form text', 'refuses the order', 'stalls', 'refuses the connection');
  const records = [
    aRecord(aPayoutJob({ orderId: 'accepted' }), { messageId: 'm-1' }),
    aRecord(await sealedFor(world, aTransferJob({ orderId: 'accepted-form' })), { messageId: 'm-2' }),
    aRecord('{', { messageId: 'm-3' }),
    aRecord(aPayoutJob({ orderId: 'declined' }), { messageId: 'm-4' }),
    aRecord(aPayoutJob({ orderId: 'held' }), { messageId: 'm-5' }),
    aRecord(aPayoutJob({ orderId: 'later' }), { messageId: 'm-6' }),
    aRecord(aPayoutJob({ orderId: 'accepted' }), { messageId: 'm-7' }),
    aRecord(aPayoutJob({ orderId: 'accepted', params: { amount: '99' } }), { messageId: 'm-8' }),
    aRecord(await sealedFor(world, aTransferByRefJob({ merchant: 'nobody' })), { messageId: 'm-9' }),
    aRecord(anEligibilityJob(), { messageId: 'm-10' }),
  ];

  // when
  const returned = await world.deliver(records);

  // then what may be sent again, or is in doubt, waits, and what nobody knows comes back
  expect(returned).toEqual(['m-6', 'm-9']);
  expect([...world.waitingRows.values()].map(({ messageId, because }) => [messageId, because])).toEqual([
    ['m-5', 'kept'],
  ]);
  expect(world.results.taken.map((result) => [result.resultId, result.status, result.failure?.code])).toEqual([
    ['acme-eu/accepted/1', 'accepted', undefined],
    ['acme-eu/accepted-form/1', 'accepted', undefined],
    ['rejected/m-3', 'rejected', 'INVALID_MESSAGE'],
    ['acme-eu/declined/1', 'declined', 'GATEWAY_REFUSED'],
    ['acme-eu/held/1', 'held', 'NO_ANSWER'],
    ['acme-eu/accepted/1', 'accepted', undefined],
    ['rejected/m-8', 'rejected', 'ORDER_ID_REUSED'],
    ['acme-eu/CHK-1/1', 'accepted', undefined],
  ]);
  expect(world.gateway.postsOf('accepted')).toBe(1);
});

it('results of a batch leave in calls of ten', async () => {
  const world = aWorld();
  const records = Array.from({ length: 25 }, (_, index) => aRecord(aPayoutJob({ orderId: `INV-${index}` })));
  expect(await world.deliver(records)).toEqual([]);
  expect(world.results.taken).toHaveLength(25);
  expect(world.results.callSizes).toEqual([10, 10, 5]);
});
