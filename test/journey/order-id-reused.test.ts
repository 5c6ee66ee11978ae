// One order id for two different orders: the first stands, the second is refused without a POST.
import { createSecretKey } from 'node:crypto';
import { expect, it } from 'vitest';
import { createFakeFingerprinting } from '../support/fake-credentials.ts';
import { aPayoutJob, aTransferJob } from '../support/jobs.ts';
import { sealedFor } from '../support/card-keys.ts';
import { aRecord, redelivered } from '../support/records.ts';
import { aWorld } from '../support/world.ts';

it('other content under a used order id is refused, and the stored order is left alone', async () => {
  const world = aWorld();
  await world.deliver(aRecord(aPayoutJob()));
  const stands = world.entries.get('acme-eu/INV-1');

  const returned = await world.deliver(aRecord(aPayoutJob({ params: { amount: '99.00' } }), { messageId: 'm-2' }));

  expect(returned).toEqual([]);
  expect(world.gateway.postsOf('INV-1')).toBe(1);
  expect(world.entries.get('acme-eu/INV-1')).toEqual(stands);
  expect(world.results.taken[1]).toMatchObject({
    resultId: 'rejected/m-2',
    orderId: 'INV-1',
    status: 'rejected',
    failure: { code: 'ORDER_ID_REUSED' },
  });
  expect(world.results.taken[1]).toMatchObject({ revision: 0 });
});

it('a fingerprint key that was made anew under its old id proves nothing: no order is called reused, none is lost', async () => {
  const world = aWorld();
  const keyOf = (byte: number) => createSecretKey(Buffer.alloc(32, byte));
  const keys = (byte: number) =>
    createFakeFingerprinting({ current: 'generated', keys: new Map([['generated', keyOf(byte)]]) });
  const ports = { ...world.ports, fingerprinting: keys(1) };
  const [paid, unsent] = [aRecord(aPayoutJob({ orderId: 'PAID' })), aRecord(aPayoutJob({ orderId: 'UNSENT' }))];
  await world.deliver([paid], undefined, ports);
  world.gateway.moods('refuses the connection');
  await world.deliver([unsent], undefined, ports);

  const remade = { ...ports, fingerprinting: keys(2) };
  await world.deliver([redelivered(paid), redelivered(unsent)], undefined, remade);

  expect(world.waits().map(({ messageId }) => messageId)).toEqual([paid.messageId, unsent.messageId]);
  expect(world.results.taken.map(({ orderId, status }) => [orderId, status])).toEqual([['PAID', 'accepted']]);
  const both = {
    current: 'k2',
    keys: new Map([
      ['k2', keyOf(2)],
      ['generated', keyOf(1)],
    ]),
  };
  const found = { ...ports, fingerprinting: createFakeFingerprinting(both) };
  await world.deliver([redelivered(paid), redelivered(unsent)], undefined, found);
  expect(world.gateway.postsOf('PAID')).toBe(1);
  expect(world.results.taken.at(-1)).toMatchObject({ orderId: 'UNSENT', status: 'accepted' });
});

it('another operation under the same order id is another order too', async () => {
  const world = aWorld();
  await world.deliver(aRecord(aPayoutJob({ orderId: 'X' })));
  await world.deliver(aRecord(await sealedFor(world, aTransferJob({ orderId: 'X' }))));
  expect(world.gateway.postsOf('X')).toBe(1);
  expect(world.results.taken[1]).toMatchObject({ failure: { code: 'ORDER_ID_REUSED' } });
});

it('orders of two merchants may bear the same id', async () => {
  const { credentials, ...world } = aWorld();
  credentials.rotate('acme-us', await acmeEu());
  await credentials.refresh('acme-us', await acmeEu());
  await world.deliver(aRecord(aPayoutJob({ orderId: 'X' })));
  await world.deliver(aRecord(aPayoutJob({ orderId: 'X', merchant: 'acme-us' })));
  expect(world.results.taken.map(({ resultId, status }) => [resultId, status])).toEqual([
    ['acme-eu/X/1', 'accepted'],
    ['acme-us/X/1', 'accepted'],
  ]);

  async function acmeEu() {
    const answer = await credentials.of('acme-eu');
    if (answer.kind === 'unavailable') throw new Error(answer.failure.message);
    return answer.credentials;
  }
});
