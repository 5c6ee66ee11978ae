// A job can be followed through the log: from the message that its sender sent over copies, looks and callbacks to the
// result that its consumer reads, and from one invocation to all its lines.
import { expect, it } from 'vitest';
import { createCallback } from '../../functions/callback.ts';
import { createInquire } from '../../functions/inquire.ts';
import { createSubmit } from '../../functions/submit.ts';
import type { QueueHandler } from '../../lib/aws/lambda-handler.ts';
import { writeOwnTask } from '../../lib/payout/inquire/own-queue.ts';
import { aWorldWith } from '../support/asked-order.ts';
import type { GatewayMood } from '../support/fake-gateway.ts';
import { aPayoutJob } from '../support/jobs.ts';
import { aRecord } from '../support/records.ts';
import { aWorld } from '../support/world.ts';

const traceId = '1-5759e988-bd862e3fe1be46a994272793';
const context = (awsRequestId: string): Parameters<QueueHandler>[1] => ({
  awsRequestId,
  getRemainingTimeInMillis: () => 120_000,
});

it('from message to result, and on to the result of a look', async () => {
  const world = aWorld({ profile: { statusInquiry: true } });
  const record = aRecord(aPayoutJob({ batchId: '2026-11' }), { messageId: 'm-1' });
  await world.deliver({ ...record, attributes: { ...record.attributes, AWSTraceHeader: `Root=${traceId};Sampled=1` } });
  world.gateway.statuses('approved');
  await world.look('acme-eu/INV-1');

  const order = { merchant: 'acme-eu', orderId: 'INV-1', batchId: '2026-11' };
  expect(world.log.filter(({ event }) => event !== 'batch')).toMatchObject([
    { event: 'job', fields: { messageId: 'm-1', traceId, ...order, resultId: 'acme-eu/INV-1/1' } },
    { event: 'check', fields: { ...order, resultId: 'acme-eu/INV-1/2', finding: 'approved' } },
  ]);
  expect(world.results.taken.map(({ resultId, batchId }) => [resultId, batchId])).toEqual([
    ['acme-eu/INV-1/1', '2026-11'],
    ['acme-eu/INV-1/2', '2026-11'],
  ]);
});

it('over all lines of one invocation, whichever function it is', async () => {
  const world = await aWorldWith('accepted');
  await createSubmit(world.ports)({ Records: [aRecord(aPayoutJob({ orderId: 'INV-2' }))] }, context('r-1'));
  const check = writeOwnTask({
    kind: 'check',
    key: 'acme-eu/INV-1',
    leaseMs: world.items.get('acme-eu/INV-1')?.dueAtMs ?? 0,
  });
  await createInquire(world.ports)({ Records: [aRecord(check)] }, context('r-2'));
  const query = new URLSearchParams({
    status: 'approved',
    orderid: '9000001',
    client_orderid: 'INV-1',
    control: 'f'.repeat(40),
  }).toString();
  const callback = createCallback(world.ports);
  const answer = await callback({ path: '/acme-eu', query, form: '' }, context('r-3'));
  expect(answer).toEqual({ answer: 'refused' });
  expect(world.log.map(({ event, fields }) => `${fields.requestId} ${event}`)).toEqual([
    'r-1 job',
    'r-1 batch',
    'r-2 check',
    'r-2 batch',
    'r-3 callback-forged',
  ]);
});

// One line of the log says no more of a job than there is something to say.
const itsOrder = { operation: 'payout', merchant: 'acme-eu', endpointId: '39915', orderId: 'INV-1' };
const resultId = 'acme-eu/INV-1/1';
const start = { messageId: 'm-1', receiveCount: 1, durationMs: 0 };

it.each<[GatewayMood, object]>([
  [
    'accepts',
    { disposition: 'done', resultId, standing: 'accepted', revision: 1, attempts: 1, gatewayOrderId: '9000001' },
  ],
  [
    'stalls',
    {
      disposition: 'wait',
      because: 'undecided',
      delaySeconds: expect.any(Number) as number,
      resultId,
      standing: 'held',
      revision: 1,
      attempts: 1,
      failureCode: 'HELD_UNPROVEN',
    },
  ],
])('one line says of a job that its gateway %s, and no more', async (mood, said) => {
  const world = aWorld();
  world.gateway.stays(mood);
  await world.deliver(aRecord(aPayoutJob(), { messageId: 'm-1' }));
  const [line] = world.log;
  expect(line).toMatchObject({ level: 'info', event: 'job' });
  expect(line?.fields).toEqual({ ...start, ...itsOrder, ...said });
});
