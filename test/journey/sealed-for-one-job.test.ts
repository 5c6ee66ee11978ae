// A seal is good for the job that it was made for, to the last plain field: whoever can read and write the queue, and has no
// card key, charges nobody's card for another amount, receiver or endpoint.
import { expect, it } from 'vitest';
import { sealJob } from '../../lib/client/jose-seal-job.ts';
import { messageText } from '../../lib/payout/message/json-text.ts';
import { cardJwks } from '../support/card-keys.ts';
import { aTransferJob, type JobBody, withoutParams } from '../support/jobs.ts';
import { aSeal } from '../support/odd-seals.ts';
import { aRecord } from '../support/records.ts';
import { aWorld } from '../support/world.ts';

const whole = {
  expiresAt: '2026-12-01T00:00:00Z',
  batchId: 'nov',
  context: { invoice: '7', total: 1.5, straße: ['a b', null] },
  params: { destination_card_recurring_payment_id: '111' },
};
const aSealedTransfer = async (changes: Parameters<typeof aTransferJob>[0] = whole): Promise<JobBody> =>
  sealJob(withoutParams(aTransferJob(changes), 'destination-card-no', 'cvv2'), { jwks: cardJwks });

it.each<[what: string, changed: (job: JobBody) => object]>([
  ['amount', (job) => ({ ...job, params: { ...job.params, amount: '9999.00' } })],
  ['receiver', (job) => ({ ...job, params: { ...job.params, destination_card_recurring_payment_id: '666' } })],
  ['description', (job) => ({ ...job, params: { ...job.params, order_desc: 'x' } })],
  ['set of fields', (job) => ({ ...job, params: { ...job.params, redirect_url: 'https://evil.example' } })],
  ['endpoint', (job) => ({ ...job, endpointId: '66666' })],
  ['time', (job) => ({ ...job, expiresAt: '2036-12-01T00:00:00Z' })],
  ['beginning', (job) => ({ ...job, notBefore: '2026-11-21T09:00:00Z' })],
  ['lack of an end', (job) => ({ ...job, expiresAt: undefined })],
  ['batch', (job) => ({ ...job, batchId: 'dec' })],
  ['context', (job) => ({ ...job, context: { ...whole.context, invoice: '8' } })],
  ['lack of a batch', (job) => ({ ...job, batchId: undefined })],
])('with another %s it is refused, and the honest job is then served', async (_, changed) => {
  // given
  const world = aWorld();
  const sealed = await aSealedTransfer();

  // when
  await world.deliver(aRecord(JSON.stringify(changed(sealed)), { messageId: 'm-1' }));

  // then
  expect(world.gateway.posts).toEqual([]);
  expect(world.results.taken).toMatchObject([
    {
      status: 'rejected',
      failure: {
        code: 'SEALED_PARAMS_INVALID',
        message: 'sealedParams is sealed for other plain fields than the message has',
      },
    },
  ]);
  await world.deliver(aRecord(sealed));
  expect(world.results.taken.at(-1)).toMatchObject({ status: 'accepted', amount: '25.00' });
});

it('what a serialiser may do otherwise, and an approval, change nothing', async () => {
  const sealed = await aSealedTransfer();
  const { params, ...rest } = sealed;
  const turned = Object.fromEntries(
    Object.entries(params as object)
      .toReversed()
      .map(([name, it]) => [name, ` ${it} `]),
  );
  for (const body of [
    JSON.stringify(sealed, undefined, 2),
    JSON.stringify({ params: turned, ...rest }).replaceAll('ß', '\\u00df'),
    messageText({ ...sealed, approval: 'A'.repeat(43) }),
  ]) {
    const world = aWorld();
    await world.deliver(aRecord(body));
    expect(world.results.taken).toMatchObject([{ status: 'accepted' }]);
  }
});

it('one that binds no plain field is refused', async () => {
  const sealedParams = await aSeal({ credit_card_number: '4111111111111111' }, { plain: undefined });
  const world = aWorld();
  const bare = withoutParams(aTransferJob({ sealedParams }), ...Object.keys(aTransferJob().params));
  await world.deliver(aRecord({ ...bare, params: { amount: '25.00', currency: 'USD' } }));
  expect(world.gateway.posts).toEqual([]);
  const message = 'sealedParams has a header that is not as it must be: plain';
  expect(world.results.taken).toMatchObject([{ failure: { code: 'SEALED_PARAMS_INVALID', message } }]);
});
