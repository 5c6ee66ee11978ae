// The gateway's ids belong to one attempt: those of an earlier one are neither asked about nor told with a later one.
import { expect, it } from 'vitest';
import { releaseOrder } from '../../lib/payout/operate/decide.ts';
import { aPayoutJob, aTransferJob } from '../support/jobs.ts';
import { sealedFor } from '../support/card-keys.ts';
import { aRecord } from '../support/records.ts';
import { aWorld } from '../support/world.ts';

const hour = 3_600_000;
const notPaid = { as: 'not-paid', by: 'jane', reason: 'back office: 111 is declined', gatewayOrderId: '111' } as const;

it('the second attempt is asked about without the id that a person gave for the first', async () => {
  const world = aWorld({ profile: { statusInquiry: true } });
  world.gateway.moods('stalls', 'stalls');
  world.gateway.statusStays('stalls');
  await world.deliver(aRecord(aPayoutJob(), { messageId: 'm-1' }));
  await world.pass(hour);
  await releaseOrder('acme-eu/INV-1', { ...notPaid, evenUnanswered: true }, world.ports);
  const { endId: resends = '' } = world.results.taken.at(-1) ?? {};
  await world.deliver(aRecord(aPayoutJob({ resends }), { messageId: 'm-2' }));
  const asked = world.gateway.inquiries.length;
  world.gateway.statusStays('approved');
  await world.pass(600_000);

  expect(world.gateway.inquiries.slice(asked).flatMap(({ fields }) => fields)).not.toContainEqual(['orderid', '111']);
  expect(world.results.taken.at(-1)).toMatchObject({ status: 'approved' });
  expect(world.results.taken.at(-1)?.payoutId).not.toBe('111');
  expect(world.entries.get('acme-eu/INV-1')?.earlierAttempts).toMatchObject([{ gatewayOrderId: '111' }]);
});

it('a result never bears the id of an attempt before', async () => {
  const world = aWorld();
  world.gateway.moods('stalls');
  await world.deliver(aRecord(await sealedFor(world, aTransferJob()), { messageId: 'm-1' }));
  await world.pass(hour);
  await releaseOrder('acme-eu/TRF-1', notPaid, world.ports);
  const { endId: resends = '' } = world.results.taken.at(-1) ?? {};
  const body = '{"type":"async-response","merchant-order-id":"TRF-1"}';
  const gateway = { post: async () => ({ kind: 'answer', httpStatus: 200, body, framing: 'delimited' }) as const };
  await world.deliver(aRecord(await sealedFor(world, aTransferJob({ resends })), { messageId: 'm-2' }), undefined, {
    gateway,
  });
  expect(world.results.taken.at(-1)).toMatchObject({ status: 'accepted', attempts: 2 });
  expect(world.results.taken.at(-1)).not.toHaveProperty('transactionId');
});
