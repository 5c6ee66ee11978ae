// Throwing a letter away, case by case: what is told, what is written and noted, and the words by which a person learns why
// a letter stays. The stories of it are in test/stories/dead-letters.test.ts.
import { describe, expect, it } from 'vitest';
import { settleBatches } from '../../lib/batches/settle-batches.ts';
import { discardDeadLetter } from '../../lib/dead-letters/discard-dead-letter.ts';
import { cancelOrder, shownNow } from '../../lib/payout/operate/decide.ts';
import { sealJob } from '../../lib/client/jose-seal-job.ts';
import { cardJwks } from '../support/card-keys.ts';
import { aDeadLetterWorld, type DeadLetterWorld } from '../support/dead-letter-world.ts';
import { aPayoutJob, aTransferJob, type JobBody, testCards, withoutParams } from '../support/jobs.ts';
import { anOrder } from '../support/orders.ts';
import { aRecord, type Delivery } from '../support/records.ts';
import { startMs } from '../support/time-and-chance.ts';
import { aJobOf, batchId, upload } from '../support/uploaded-batch.ts';

const saying = { by: 'ops', reason: 'the customer called it off' };
const because = { code: 'DISCARDED', message: 'ops: the customer called it off' };

function discard({ deadLetters, ports }: DeadLetterWorld, body: JobBody | string, delivery: Delivery = {}) {
  return discardDeadLetter(deadLetters.move(aRecord(body, delivery), 'l-1'), saying, ports);
}

describe('an order that was never sent', () => {
  it('ends for a sealed job too, once a claim has made it known', async () => {
    const it = aDeadLetterWorld();
    const sealed = await sealJob(withoutParams(aTransferJob(), 'cvv2'), { jwks: cardJwks });
    it.world.gateway.moods('refuses the connection');
    await it.world.deliver(aRecord(sealed, {}));
    expect(await discard(it, sealed)).toMatchObject({ kind: 'discarded', result: { failure: because, revision: 1 } });
  });

  it.each([
    ['another card', { credit_card_number: testCards.receiver }, because],
    ['another description', { order_desc: 'rent' }, { code: 'ORDER_ID_REUSED' }],
  ])('stays if the sealed job has %s, and goes on by its own message', async (_, params, failure) => {
    const it = aDeadLetterWorld();
    const job = withoutParams(aTransferJob(), 'cvv2');
    it.world.gateway.moods('refuses the connection');
    await it.world.deliver(aRecord(await sealJob(job, { jwks: cardJwks })));
    const other = await sealJob({ ...job, params: { ...job.params, ...params } }, { jwks: cardJwks });
    expect(await discard(it, other)).toMatchObject({ kind: 'discarded', result: { status: 'rejected', failure } });
    expect(it.world.entries.get('acme-eu/TRF-1')).toMatchObject({ standing: 'waiting' });
  });

  it('of a merchant without a secret ends as well: nothing is sent for it', async () => {
    const ended = await discard(aDeadLetterWorld(), aPayoutJob({ merchant: 'unknown-eu' }));
    expect(ended).toMatchObject({ kind: 'discarded', result: { merchant: 'unknown-eu', failure: because } });
  });
});

describe('an order that has ended or waits', () => {
  it('keeps the mark of its result, so that the leader brings forward what waits of it', async () => {
    const it = aDeadLetterWorld();
    await discard(it, aPayoutJob());
    expect(it.world.items.get('acme-eu/INV-1')).toMatchObject({ unpublished: true, published: { revision: 1 } });
    await it.world.pass(300_000);
    expect(it.world.items.get('acme-eu/INV-1')).not.toHaveProperty('unpublished');
    expect(new Set(it.world.results.taken.map(({ resultId }) => resultId))).toEqual(new Set(['acme-eu/INV-1/1']));
  });

  it('and was cancelled before its job came is told as that', async () => {
    const it = aDeadLetterWorld();
    await cancelOrder({ merchant: 'acme-eu', orderId: 'INV-1', ...saying }, it.ports);
    const ended = await discard(it, aPayoutJob({ batchId: 'b-1', context: { invoice: '1' } }));
    expect(ended).toMatchObject({ kind: 'discarded', result: { resultId: 'acme-eu/INV-1/1', status: 'cancelled' } });
  });
});

describe('a payout that was to open the end of its order', () => {
  it('takes that end, so that its batch closes', async () => {
    // given an order that was declined, and the dead letter of a batch that asks for it once more
    const it = aDeadLetterWorld();
    it.world.gateway.moods('refuses the order');
    await it.world.deliver(aRecord(aJobOf('A', { batchId: 'first' })));
    const resends = it.world.entries.get('acme-eu/A')?.endId ?? '';
    const again = aJobOf('A', { resends });
    await upload(it.world, [again]);
    await settleBatches(Infinity, it.ports);
    expect(it.world.batchResults).toEqual([]);

    // when the letter is thrown away
    expect(await discard(it, again)).toMatchObject({ kind: 'discarded', result: { status: 'declined' } });

    // then the batch closes
    await it.world.pass(3 * 60_000);
    expect(it.world.batchResults).toMatchObject([{ batchId, status: 'closed', outcomes: [{ standing: 'declined' }] }]);
  });
});

describe('a letter that is told of, and not its order', () => {
  it('names the letter that SQS moved, whatever its sender wrote beside it', async () => {
    const it = aDeadLetterWorld();
    await it.world.deliver(aRecord(aPayoutJob()));
    const ended = await discard(it, aPayoutJob({ params: { amount: '99.00' }, context: { invoice: '1' } }), {
      attributes: { originMessageId: 'm-1' },
    });
    expect(ended).toMatchObject({
      result: {
        resultId: expect.stringMatching(/^rejected\/l-1\//),
        status: 'rejected',
        orderId: 'INV-1',
        context: '{"invoice":"1"}',
        failure: { code: 'ORDER_ID_REUSED', message: 'this order id was used before for other content' },
      },
    });
    expect(it.world.entries.get('acme-eu/INV-1')).toMatchObject({ standing: 'accepted', revision: 1 });
  });

  it('for its card data says which, under its own names', async () => {
    const it = aDeadLetterWorld();
    const ended = await discard(it, withoutParams(aTransferJob(), 'cvv2'), { attributes: { originMessageId: 'm-1' } });
    expect(ended).toMatchObject({
      result: {
        resultId: expect.stringMatching(/^rejected\/l-1\//),
        merchant: 'acme-eu',
        orderId: 'TRF-1',
        failure: { code: 'PLAIN_CARD_DATA' },
      },
    });
  });

  it('and can’t be read is logged with what is known of it, which may be nothing', async () => {
    const it = aDeadLetterWorld();
    await discard(it, 'no job');
    expect(it.world.log.map(({ fields }) => fields)).toEqual([
      { messageId: 'l-1', standing: 'rejected', note: 'ops: the customer called it off' },
    ]);
  });
});

describe('a letter that stays says why', () => {
  it('where its order was made known under a key that is gone', async () => {
    const it = aDeadLetterWorld();
    await it.world.deliver(aRecord(aPayoutJob()));
    const [order] = it.world.items.values();
    if (order?.content)
      it.world.items.set(order.key, { ...order, content: { ...order.content, fingerprint: 'gone.fingerprint' } });
    expect(await discard(it, aPayoutJob())).toEqual({
      kind: 'refused',
      why: 'its fingerprint was made under a key that is not among the keys: use the version and the keys that wrote it',
    });
  });

  it('but not where that order was called off', async () => {
    const it = aDeadLetterWorld();
    it.world.gateway.moods('refuses the connection');
    await it.world.deliver(aRecord(aPayoutJob()));
    const [order] = it.world.items.values();
    const content = order?.content && { ...order.content, fingerprint: 'gone.fingerprint' };
    if (order) it.world.items.set(order.key, { ...order, content });
    const seen = order && shownNow(order, startMs);
    await cancelOrder({ merchant: 'acme-eu', orderId: 'INV-1', seen, ...saying }, it.ports);
    expect(await discard(it, aPayoutJob())).toMatchObject({ kind: 'discarded', result: { status: 'cancelled' } });
  });

  it('where it could not be deleted; its end is told and logged all the same', async () => {
    const it = aDeadLetterWorld();
    it.deadLetters.fails('remove', [0]);
    expect(await discard(it, aPayoutJob())).toMatchObject({ kind: 'not-deleted', result: { failure: because } });
    expect(it.world.results.taken).toHaveLength(1);
    expect(it.world.log).toHaveLength(1);
    expect(it.deadLetters.letters).toHaveLength(1);
  });

  it('and none was logged as thrown away that was refused', async () => {
    const it = aDeadLetterWorld();
    const claimed = anOrder({ orderId: 'INV-1', fingerprint: '' });
    it.world.items.set(claimed.key, claimed);
    expect(await discard(it, aPayoutJob())).toMatchObject({ kind: 'refused' });
    expect(it.world.log).toEqual([]);
  });
});
