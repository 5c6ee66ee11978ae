// The story of most messages: one job in, one POST, one result, nothing left behind.
import { expect, it } from 'vitest';
import { createSubmit } from '../../functions/submit.ts';
import { aPayoutJob } from '../support/jobs.ts';
import { aRecord } from '../support/records.ts';
import { aWorld } from '../support/world.ts';

it('an accepted payout is sent once, told once and acknowledged', async () => {
  // given a gateway that accepts, and a payout of 10.42 EUR on the jobs queue
  const world = aWorld();
  const record = aRecord(aPayoutJob({ batchId: '2026-11-payroll', context: { invoice: '123' } }));

  // when Lambda delivers the message
  const submit = createSubmit(world.ports);
  const response = await submit({ Records: [record] }, { getRemainingTimeInMillis: () => 120_000 });

  // then the gateway saw one signed POST with the gateway's own field names, the order id first
  expect(world.gateway.posts).toHaveLength(1);
  expect(world.gateway.posts[0]).toMatchObject({
    url: 'https://gateway.test/paynet/api/v4/payout/39915',
    headers: { 'content-type': 'application/x-www-form-urlencoded', accept: 'application/vnd.pay+json' },
    fields: [
      ['client-order-id', 'INV-1'],
      ['amount', '10.42'],
      ['currency', 'EUR'],
      ['order_desc', 'Invoice 123'],
      ['account_number', 'DE89370400440532013000'],
      ['bank_name', 'Deutsche Bank'],
    ],
    oauth: {
      oauth_consumer_key: 'acme-login',
      oauth_signature_method: 'RSA-SHA256',
      oauth_timestamp: '1795255200',
      oauth_version: '1.0',
    },
  });

  // and the merchant is told that the gateway took it
  expect(world.results.taken).toEqual([
    {
      version: 1,
      resultId: 'acme-eu/INV-1/1',
      operation: 'payout',
      merchant: 'acme-eu',
      endpointId: '39915',
      orderId: 'INV-1',
      status: 'accepted',
      final: true,
      payoutId: '9000001',
      gatewayOrderId: '9000001',
      amount: '10.42',
      currency: 'EUR',
      attempts: 1,
      revision: 1,
      occurredAt: '2026-11-21T10:00:00.000Z',
      batchId: '2026-11-payroll',
      context: { invoice: '123' },
    },
  ]);

  // and the message leaves the queue, with nothing on the dead-letter queue
  expect(response).toEqual({ batchItemFailures: [] });
  expect(world.jobsQueue.deadLetters.taken).toEqual([]);
  expect(world.waits()).toEqual([]);
});

it('where the gateway can be asked later, acceptance is not the end', async () => {
  const world = aWorld({ profile: { statusInquiry: true } });
  await world.deliver(aRecord(aPayoutJob()));
  expect(world.results.taken).toMatchObject([{ status: 'accepted', final: false }]);
});
