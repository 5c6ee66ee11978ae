// Card to card: the operation with the other spelling of the order id and with card data to keep in.
import { expect, it } from 'vitest';
import { aTransferByRefJob, aTransferJob, anEligibilityJob } from '../support/jobs.ts';
import { sealedFor } from '../support/card-keys.ts';
import { aRecord } from '../support/records.ts';
import { aWorld } from '../support/world.ts';

it('an accepted transfer is sent under its own spelling and leaves no card data behind', async () => {
  const world = aWorld();

  // when
  const returned = await world.deliver(aRecord(await sealedFor(world, aTransferJob()), { messageId: 'm-1' }));

  // then the card data went to the gateway
  expect(world.gateway.posts).toMatchObject([
    {
      url: 'https://gateway.test/paynet/api/v4/transfer/39915',
      fields: [
        ['client_orderid', 'TRF-1'],
        ['amount', '25.00'],
        ['currency', 'USD'],
        ['order_desc', 'Rent'],
        ['credit_card_number', '4111111111111111'],
        ['card_printed_name', 'JANE DOE'],
        ['cvv2', '737'],
        ['expire_month', '12'],
        ['expire_year', '2030'],
        ['destination-card-no', '5555555555554444'],
      ],
      oauth: { oauth_signature_method: 'RSA-SHA256' },
    },
  ]);

  // and nowhere else
  expect(returned).toEqual([]);
  expect(world.results.taken).toMatchObject([{ status: 'accepted', transactionId: '9000001', amount: '25.00' }]);
  const entry = { ...world.entries.get('acme-eu/TRF-1'), money: undefined };
  const left = JSON.stringify([world.results.taken, world.log, entry]);
  expect(left).not.toMatch(/4111111111111111|5555555555554444|737|JANE DOE/);
});

it('a transfer by reference is told with its transaction id', async () => {
  const world = aWorld();
  await world.deliver(aRecord(await sealedFor(world, aTransferByRefJob())));
  expect(world.results.taken).toMatchObject([
    { operation: 'transfer-by-ref', status: 'accepted', transactionId: '9000001', amount: '1000', currency: 'JPY' },
  ]);
});

it('an eligibility check is signed with the control key and repeats the oauth parameters in the body', async () => {
  const world = aWorld();
  await world.deliver(aRecord(anEligibilityJob()));
  expect(world.gateway.posts[0]?.url).toBe('https://gateway.test/paynet/api/v2/pan-eligibility/send/39915');
  expect(world.gateway.posts[0]?.oauth['oauth_signature_method']).toBe('HMAC-SHA1');
  expect(world.gateway.posts[0]?.fields.map(([name]) => name).toSorted()).toEqual([
    'client-order-id',
    'oauth_consumer_key',
    'oauth_nonce',
    'oauth_signature_method',
    'oauth_timestamp',
    'oauth_version',
    'sending-card-ref-id',
  ]);
  expect(world.results.taken).toMatchObject([{ status: 'accepted', transactionId: '9000001' }]);
});
