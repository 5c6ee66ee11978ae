// Between the claim and the key of a CVV: whoever dies or hears no answer there sends no CVV twice, and leaves no key behind.
import { describe, expect, it } from 'vitest';
import { sealJob } from '../../lib/client/jose-seal-job.ts';
import { cardJwks } from '../support/card-keys.ts';
import { aTransferJob } from '../support/jobs.ts';
import { aRecord, redelivered } from '../support/records.ts';
import { aWorld, type World } from '../support/world.ts';

const sealedTransfer = ({ cardKeyStore }: World) => sealJob(aTransferJob(), { jwks: cardJwks, cardKeys: cardKeyStore });
const sentCodes = ({ gateway }: World) =>
  gateway.posts.map(({ fields }) => fields.find(([name]) => name === 'cvv2')?.[1]);
const needsCard = { status: 'held', final: false, failure: { code: 'NEW_CARD_DATA_NEEDED' } };

it('a claim that was won, its answer lost, takes the key all the same and is sent once', async () => {
  const world = aWorld();
  world.orders.faults('put', 'answer lost');
  await world.deliver(aRecord(await sealedTransfer(world)));
  expect(sentCodes(world)).toEqual(['737']);
  expect(world.cardKeysLeft.size).toBe(0);
  expect(world.results.taken).toMatchObject([{ status: 'accepted' }]);
});

it('a key that could not be taken counts as taken: its card data is never sent, though the key is still there', async () => {
  const world = aWorld();
  world.cardKeyStore.stays('down');
  const record = aRecord(await sealedTransfer(world));
  await world.deliver(record);
  expect(world.results.taken).toMatchObject([needsCard]);
  world.cardKeyStore.stays('up');
  await world.deliver(redelivered(record));
  expect(world.gateway.posts).toEqual([]);

  // and once the sweeper has destroyed the key, newly sealed data is sent under another
  await world.sweep();
  await world.deliver(aRecord(await sealedTransfer(world)));
  expect(sentCodes(world)).toEqual(['737']);
  expect(world.cardKeysLeft.size).toBe(0);
});

describe('a worker that dies between the claim and its key', () => {
  it('leaves a claimed order, which is sent by nobody, and a key, which the sweeper destroys when the lease is over', async () => {
    // given a claim, and nothing after it
    const world = aWorld();
    const body = await sealedTransfer(world);
    const record = aRecord(body);
    const claimed = new Promise<void>((asksForItsKey) => {
      const open = () => new Promise<undefined>(() => asksForItsKey());
      void world.deliver(record, undefined, { singleUse: { open } });
    });
    await claimed;

    // when the sweeper comes within the lease, and after it
    await world.sweep();
    expect(world.cardKeysLeft.size).toBe(1);
    world.clock.advance(900_000);
    await world.sweep();

    // then its key is gone, and no copy of the message is sent
    expect(world.cardKeysLeft.size).toBe(0);
    await world.deliver(redelivered(record));
    expect(world.gateway.posts).toEqual([]);
    expect(world.results.taken).toMatchObject([{ status: 'held', failure: { code: 'WORKER_LOST' } }]);
  });

  it('and that the order was sent by then: a key that its sender leaves for it later goes as well', async () => {
    const world = aWorld();
    await world.deliver(aRecord(await sealedTransfer(world)));
    await sealedTransfer(world);
    expect(world.cardKeysLeft.size).toBe(1);
    await world.sweep();
    expect(world.cardKeysLeft.size).toBe(0);
    expect(sentCodes(world)).toEqual(['737']);
  });
});
