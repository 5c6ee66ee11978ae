// The gateway calls back through the function URL: a hint where it can be asked, the outcome where it can't.
import { createHash } from 'node:crypto';
import { expect, it } from 'vitest';
import { createCallback } from '../../functions/callback.ts';
import { someControlKey } from '../support/fake-credentials.ts';
import { aPayoutJob } from '../support/jobs.ts';
import { aRecord } from '../support/records.ts';
import { aWorld, type World } from '../support/world.ts';

function requestOf(fields: Readonly<Record<string, string>>, key = someControlKey) {
  const { status = '', orderid = '', client_orderid: orderId = '' } = fields;
  const control = createHash('sha1').update(`${status}${orderid}${orderId}${key}`).digest('hex');
  return {
    rawPath: '/acme-eu',
    rawQueryString: new URLSearchParams({ ...fields, control }).toString(),
    isBase64Encoded: false,
  };
}

const paid = { status: 'approved', orderid: '9000001', client_orderid: 'INV-1', amount: '10.42', currency: 'EUR' };
const told = (world: World) => world.results.taken.map(({ status, final }) => [status, final]);

it('under the interface document alone, the callback says how an accepted payout ended', async () => {
  // given a payout that was accepted, which is all that will be known of it
  const world = aWorld();
  await world.deliver(aRecord(aPayoutJob()));
  const callBack = createCallback(world.ports);

  // when the gateway calls back, once with a wrong control and twice with the right one
  const forged = await callBack(requestOf({ ...paid, status: 'declined' }, 'not the key'));
  const answers = [await callBack(requestOf(paid)), await callBack(requestOf(paid))];

  await world.look('acme-eu/INV-1');

  // then the forged one is refused and the others are taken, as one truth
  expect(forged).toEqual({ statusCode: 403, body: '' });
  expect(answers).toEqual([
    { statusCode: 200, body: '' },
    { statusCode: 200, body: '' },
  ]);
  expect(told(world)).toEqual([
    ['accepted', true],
    ['approved', true],
  ]);
});

it('a doubtful payout that nobody can be asked about is ended by a callback in which everything fits', async () => {
  const world = aWorld();
  world.gateway.moods('stalls');
  await world.deliver(aRecord(aPayoutJob()));
  await createCallback(world.ports)(requestOf(paid));
  await world.look('acme-eu/INV-1');
  expect(told(world)).toEqual([
    ['held', false],
    ['approved', true],
  ]);
});

it('where the gateway can be asked, callbacks in any order lead to what the gateway says now', async () => {
  const world = aWorld({ profile: { statusInquiry: true } });
  await world.deliver(aRecord(aPayoutJob()));
  world.gateway.statusStays('approved');
  const callBack = createCallback(world.ports);
  for (const status of ['approved', 'declined', 'approved', 'filtered']) {
    expect(await callBack(requestOf({ ...paid, status }))).toEqual({ statusCode: 200, body: '' });
  }
  await world.pass(60_000);
  const results = new Map(world.results.taken.map(({ resultId, status }) => [resultId, status]));
  expect([...results]).toEqual([
    ['acme-eu/INV-1/1', 'accepted'],
    ['acme-eu/INV-1/2', 'approved'],
  ]);
});
