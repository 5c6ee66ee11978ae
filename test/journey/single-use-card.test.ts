// A CVV serves one attempt alone. It is sealed under a key of its own order, which the worker takes that holds the claim: from
// then on nobody can read any copy of the message, and what was not sent waits for new card data.
import { plainDigest } from '../../lib/payout/message/plain-digest.ts';
import { describe, expect, it } from 'vitest';
import { releaseOrder } from '../../lib/payout/operate/decide.ts';
import { type JobToSeal, sealJob } from '../../lib/client/jose-seal-job.ts';
import { someCredentials } from '../support/fake-credentials.ts';
import { cardJwks } from '../support/card-keys.ts';
import { aTransferByRefJob, aTransferJob, jobOf, type JobBody } from '../support/jobs.ts';
import { aCodeSeal, aSeal } from '../support/odd-seals.ts';
import { aRecord, redelivered, redriven } from '../support/records.ts';
import { aWorld, type World } from '../support/world.ts';

/** Sealed as a sender does it who may leave keys in the world's table of them. */
const sealedIn = <T extends JobToSeal>({ cardKeyStore }: World, job: T) =>
  sealJob(job, { jwks: cardJwks, cardKeys: cardKeyStore });
const sealedTransfer = (world: World, changes: Partial<JobBody> = {}) => sealedIn(world, aTransferJob(changes));

const sentCodes = ({ gateway }: World) =>
  gateway.posts.map(({ fields }) => fields.find(([name]) => name === 'cvv2')?.[1]);
const standing = ({ entries }: World) => entries.get('acme-eu/TRF-1');
const needsCard = { status: 'held', final: false, failure: { code: 'NEW_CARD_DATA_NEEDED' } };

it('a sealed CVV is sent once, and its key is gone with the claim', async () => {
  // given
  const world = aWorld();
  const record = aRecord(await sealedTransfer(world), { messageId: 'm-1' });
  expect(record.body).not.toMatch(/cvv2|4111111111111111/);
  expect(world.cardKeysLeft.size).toBe(1);
  const keysDuringPost: number[] = [];
  world.gateway.meanwhile(() => void keysDuringPost.push(world.cardKeysLeft.size));

  // when the message comes, and comes again
  await world.deliver(record);
  await world.deliver(redelivered(record));

  // then the gateway was sent the CVV once, when its key was nowhere any more
  expect(sentCodes(world)).toEqual(['737']);
  expect(keysDuringPost).toEqual([0]);
  const [first, again] = world.results.taken;
  expect(first).toMatchObject({ status: 'accepted', orderId: 'TRF-1', attempts: 1 });
  expect(again).toEqual(first);
  expect(JSON.stringify([world.results.taken, world.log, { ...standing(world), money: 0 }])).not.toMatch(/737|4111/);
});

it('a job without a CVV needs no key, and a file that is sealed twice before it is claimed is sent once', async () => {
  const world = aWorld();
  const [one, other] = [await sealedTransfer(world), await sealedTransfer(world)];
  expect(one.sealedParams).not.toBe(other.sealedParams);
  for (const job of [other, one]) await world.deliver(aRecord(job));
  expect(sentCodes(world)).toEqual(['737']);
  expect(world.results.taken.map(({ status }) => status)).toEqual(['accepted', 'accepted']);
});

describe('an order that is proven not sent is held for new card data, never sent again by itself,', () => {
  it.each([
    ['when no connection was made', 'refuses the connection', 'NOT_SENT'],
    ['when the gateway was busy', 'asks to slow down', 'RATE_LIMITED'],
  ] as const)('%s', async (_, mood, code) => {
    // given
    const world = aWorld({ lanes: 'open' });
    world.gateway.moods(mood);
    const record = aRecord(await sealedTransfer(world), { messageId: 'm-1' });

    // when
    const returned = await world.deliver(record);

    // then its sender is asked, and the message has ended
    expect(returned).toEqual([]);
    expect(world.results.taken).toMatchObject([needsCard]);
    expect(world.results.taken[0]?.failure?.message).toBe(`${code}; seal the card data anew and send the order again`);

    // and neither a copy nor the same message sent anew sends it
    await world.deliver([redelivered(record), aRecord(record.body)]);
    expect(world.gateway.posts).toHaveLength(mood === 'asks to slow down' ? 1 : 0);
    expect(world.results.taken).toMatchObject([needsCard, needsCard, needsCard]);
  });

  it('when its key was taken and the answer lost', async () => {
    const world = aWorld();
    world.cardKeyStore.stays('answer lost');
    const record = aRecord(await sealedTransfer(world));
    await world.deliver(record);
    world.cardKeyStore.stays('up');
    await world.deliver(redelivered(record));
    expect(world.cardKeysLeft.size).toBe(0);
    expect(world.gateway.posts).toEqual([]);
    expect(world.results.taken).toMatchObject([needsCard, needsCard]);
    expect(standing(world)?.state).toBe('held');
  });

  it('when no key of it was ever left, or another one', async () => {
    for (const change of ['none', 'another'] as const) {
      const world = aWorld();
      const body = await sealedTransfer(world);
      world.cardKeysLeft.clear();
      if (change === 'another') world.cardKeysLeft.set('acme-eu/TRF-1', { id: 'other', secret: 'A'.repeat(43) });
      await world.deliver(aRecord(body));
      expect(world.gateway.posts).toEqual([]);
      expect(world.results.taken).toMatchObject([needsCard]);
      // Another key is of newer card data, whose message may still come.
      expect([...world.cardKeysLeft.values()].map(({ id }) => id)).toEqual(change === 'another' ? ['other'] : []);
    }
  });

  it('when what is sealed is no CVV', async () => {
    const world = aWorld();
    const key = { id: 'key-1', secret: 'A'.repeat(43) };
    await world.cardKeyStore.deposit({ operation: 'transfer', merchant: 'acme-eu', orderId: 'TRF-1' }, key);
    const job = { ...aTransferJob(), params: { amount: '25.00', currency: 'USD' } };
    const plain = plainDigest(jobOf(job));
    const sealedParams = await aSeal({ cvv2: await aCodeSeal('abc', key) }, { plain });
    await world.deliver(aRecord({ ...job, sealedParams }));
    expect(world.gateway.posts).toEqual([]);
    expect(world.results.taken).toMatchObject([needsCard]);
  });
});

it('where every answer of the claim was lost nobody knows that nothing was sent: a person decides', async () => {
  const world = aWorld();
  world.orders.stays('answer lost', 'put');
  await world.deliver(aRecord(await sealedTransfer(world)));
  expect(standing(world)?.state).toBe('submitting');
  world.orders.stays('up', 'put');
  world.clock.advance(900_000);
  await world.again();
  expect(world.gateway.posts).toEqual([]);
  expect(world.results.taken).toMatchObject([{ status: 'held', failure: { code: 'WORKER_LOST' } }]);
});

describe('new card data', () => {
  /** An order that waits for it, and the message that it was first asked for by. */
  async function waitingWorld() {
    const world = aWorld();
    world.gateway.moods('refuses the connection');
    const first = aRecord(await sealedTransfer(world));
    await world.deliver(first);
    return { world, first };
  }

  it('sends the same order again, once', async () => {
    // given
    const { world, first } = await waitingWorld();

    // when the sender seals the order anew, and sends that twice
    const anew = await sealedTransfer(world);
    expect(world.cardKeysLeft.size).toBe(1);
    for (const _ of [1, 2]) await world.deliver(aRecord(anew));

    // then
    expect(sentCodes(world)).toEqual(['737']);
    expect(world.cardKeysLeft.size).toBe(0);
    expect(world.results.taken.map(({ status }) => status)).toEqual(['held', 'accepted', 'accepted']);

    // and the old message only hears the end
    await world.deliver(redelivered(first));
    expect(world.results.taken[3]).toEqual(world.results.taken[1]);
    expect(world.gateway.posts).toHaveLength(1);
  });

  it('is not taken by a copy of the old message, which could not read it', async () => {
    const { world, first } = await waitingWorld();
    await sealedTransfer(world);
    await world.deliver(redelivered(first));
    expect(world.gateway.posts).toEqual([]);
    expect(world.cardKeysLeft.size).toBe(1);
    expect(standing(world)?.state).toBe('held');
  });

  it('with other content is another order', async () => {
    const { world } = await waitingWorld();
    const other = await sealedTransfer(world, { params: { amount: '99.00' } });
    await world.deliver(aRecord(other));
    expect(world.gateway.posts).toEqual([]);
    expect(world.results.taken[1]).toMatchObject({ failure: { code: 'ORDER_ID_REUSED' } });
  });

  it('may be brought for an order that a person released as not paid, and is then needed', async () => {
    // given an order in doubt, released
    const world = aWorld();
    world.gateway.moods('stalls');
    const body = await sealedTransfer(world);
    await world.deliver(aRecord(body, { messageId: 'm-1' }));
    expect(world.results.taken).toMatchObject([{ status: 'held', failure: { code: 'NO_ANSWER' } }]);
    world.clock.advance(2 * 3_600_000);
    const release = { as: 'not-paid', by: 'ops', reason: 'seen on the statement' } as const;
    expect(await releaseOrder('acme-eu/TRF-1', release, world.ports)).toMatchObject({ kind: 'done' });

    // when the old message is sent again with the name of the end, and then a newly sealed one
    const { endId: resends = '' } = world.results.taken.at(-1) ?? {};
    await world.deliver(aRecord({ ...body, resends }));
    expect(world.results.taken.at(-1)).toMatchObject(needsCard);
    await world.deliver(aRecord({ ...(await sealedTransfer(world)), resends }));

    // then
    expect(sentCodes(world)).toEqual(['737', '737']);
    expect(world.results.taken.at(-1)).toMatchObject({ status: 'accepted' });
  });

  it('that comes after its batch was called off is not sent: the order is cancelled, and the key destroyed', async () => {
    // given an order of a batch that waits
    const world = aWorld();
    world.gateway.moods('refuses the connection');
    await world.deliver(aRecord(await sealedTransfer(world, { batchId: 'b-1' })));
    expect(world.results.taken).toMatchObject([needsCard]);

    // when its batch is called off, and the sender seals it anew
    await world.controls.cancelBatch('b-1', { by: 'ops', reason: 'wrong file', atMs: world.clock.nowMs() });
    const returned = await world.deliver(aRecord(await sealedTransfer(world, { batchId: 'b-1' })));

    // then
    expect(returned).toEqual([]);
    expect(world.results.taken[1]).toMatchObject({ status: 'cancelled', final: true });
    expect(world.waits()).toEqual([]);
    await world.sweep();
    expect(world.cardKeysLeft.size).toBe(0);
    expect(world.gateway.posts).toEqual([]);
  });

  it('is never waited for by an order whose money may have moved', async () => {
    const world = aWorld();
    world.gateway.moods('stalls');
    await world.deliver(aRecord(await sealedTransfer(world)));
    await world.deliver(aRecord(await sealedTransfer(world)));
    expect(world.gateway.posts).toHaveLength(1);
    await world.sweep();
    expect(world.cardKeysLeft.size).toBe(0);
    expect(world.results.taken.map(({ failure }) => failure?.code)).toEqual(['NO_ANSWER', 'NO_ANSWER']);
  });
});

it('while the secret of its merchant can not be read, an order waits unclaimed, and keeps its CVV', async () => {
  // given
  const world = aWorld();
  world.credentials.outage('down');
  const record = aRecord(await sealedTransfer(world), { messageId: 'm-1' });

  // when it waits, and waits again
  expect(await world.deliver(record)).toEqual(['m-1']);
  await world.again();

  // then nothing is told, nothing spent, and it is sent when the secret is there again
  expect(world.results.taken).toEqual([]);
  expect(world.cardKeysLeft.size).toBe(1);
  world.credentials.outage('up');
  await world.again();
  expect(sentCodes(world)).toEqual(['737']);
});

it('a refused signature has spent the CVV: new card data is sent with the fresh key', async () => {
  const world = aWorld();
  world.credentials.rotate('acme-eu', someCredentials({ login: 'acme-new-login', version: 'v2' }));
  world.gateway.moods('refuses the signature');
  await world.deliver(aRecord(await sealedTransfer(world)));
  expect(world.results.taken).toMatchObject([needsCard]);
  expect(world.results.taken[0]?.failure?.message).toMatch(/^AUTHENTICATION/);
  await world.deliver(aRecord(await sealedTransfer(world)));
  expect(sentCodes(world)).toEqual(['737', '737']);
  expect(world.results.taken[1]).toMatchObject({ status: 'accepted', attempts: 2 });
});

it('what failed for good after its claim lies in the dead-letter queue without its seal', async () => {
  // given a contract that does not know the CVV of this operation
  const world = aWorld();
  await world.deliver(
    aRecord(await sealedIn(world, aTransferByRefJob({ params: { cvv2: '737' } })), { messageId: 'm-1' }),
  );

  // then
  expect(world.results.taken).toMatchObject([{ status: 'failed', failure: { code: 'FIELD_NOT_IN_CONTRACT' } }]);
  const [letter] = world.jobsQueue.deadLetters.taken;
  expect(JSON.parse(letter?.body ?? '')).toMatchObject({
    sealedParams: '[card data cut out]',
    params: { amount: '1000' },
  });
  if (letter) await world.deliver(redriven(letter));
  expect(world.results.taken[1]).toMatchObject({ failure: { code: 'INVALID_MESSAGE' } });
});
