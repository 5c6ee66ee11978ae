// A dead letter that a person throws away: the message ends in a result first, and what may have been sent, or is known to
// the letter alone, is not thrown away.
import { rowOf } from '../support/uploaded-batch.ts';
import { someCredentials } from '../support/fake-credentials.ts';
import { describe, expect, it } from 'vitest';
import { claimOrder } from '../../lib/payout/submit/claim.ts';
import { discardDeadLetter } from '../../lib/dead-letters/discard-dead-letter.ts';
import type { DeadMessage } from '../../lib/dead-letters/dead-letter.ts';
import { planRedrive } from '../../lib/dead-letters/redrive-dead-letters.ts';
import { aDeadLetterWorld, type DeadLetterWorld } from '../support/dead-letter-world.ts';
import { aPayoutJob, aTransferJob, jobOf, testCards, withoutParams } from '../support/jobs.ts';
import { aRecord, longAgoMs } from '../support/records.ts';

const saying = { by: 'ops', reason: 'the customer called it off' };
const claimant = { source: 'another message', credentials: someCredentials() };
const because = { code: 'DISCARDED', message: 'ops: the customer called it off' };

async function discard({ deadLetters, ports }: DeadLetterWorld, letter: DeadMessage) {
  const taken = (await deadLetters.take()).find(({ messageId }) => messageId === letter.messageId);
  return discardDeadLetter(taken ?? letter, saying, ports);
}

describe('the letter of an order that was never sent', () => {
  it('is gone; the order has failed with who and why, and a copy of the message changes nothing', async () => {
    const it = aDeadLetterWorld();
    const { world, deadLetters } = it;
    const record = aRecord(aPayoutJob(), { messageId: 'm-1' });
    const ended = await discard(it, deadLetters.move(record, 'm-1'));
    expect(ended).toMatchObject({ kind: 'discarded', result: { resultId: 'acme-eu/INV-1/1', failure: because } });
    expect(world.results.taken).toMatchObject([{ status: 'failed', final: true, attempts: 0, failure: because }]);
    expect(deadLetters.letters).toEqual([]);
    expect(world.entries.get('acme-eu/INV-1')).toMatchObject({ state: 'failed', failure: because });
    expect(world.entries.get('acme-eu/INV-1')).not.toHaveProperty('unpublished');

    // when SQS brings the message once more
    expect(await world.deliver(record)).toEqual([]);
    expect(world.results.taken[1]).toEqual(world.results.taken[0]);
    expect(world.jobsQueue.deadLetters.taken).toEqual([]);
    expect(world.gateway.posts).toEqual([]);

    // and when the job is sent again by its end's name
    const { endId: resends = '' } = world.results.taken[0] ?? {};
    await world.deliver(aRecord(aPayoutJob({ resends })));
    expect(world.results.taken.at(-1)).toMatchObject({ status: 'accepted', revision: 2 });
    expect(world.gateway.postsOf('INV-1')).toBe(1);
  });

  it('that failed before tells that failure again', async () => {
    const it = aDeadLetterWorld();
    it.world.gateway.stays('refuses the connection');
    await it.world.deliver(aRecord(aPayoutJob(), { sentAtMs: longAgoMs }));
    it.lay();
    const [letter] = it.deadLetters.letters;
    if (!letter) throw new Error('there is no letter');
    await discard(it, letter);
    expect(it.world.results.taken).toMatchObject([
      { status: 'failed', revision: 1, failure: { code: 'WAITED_TOO_LONG' } },
      { status: 'failed', revision: 1, failure: { code: 'WAITED_TOO_LONG' } },
    ]);
  });

  it('stays while its result can’t be told', async () => {
    const it = aDeadLetterWorld();
    it.world.results.stays('down');
    const letter = it.deadLetters.move(aRecord(aPayoutJob()));
    expect(await discard(it, letter)).toEqual({
      kind: 'refused',
      why: 'the results queue did not take its result: try again',
    });
    expect(it.deadLetters.letters).toHaveLength(1);
    expect(it.world.entries.get('acme-eu/INV-1')).toMatchObject({ state: 'failed', unpublished: true });

    it.world.results.stays('up');
    expect(await discard(it, letter)).toMatchObject({ kind: 'discarded', result: { revision: 1, failure: because } });
    expect(it.deadLetters.letters).toEqual([]);
  });

  it('is not thrown away under the hands of a worker that has just claimed it', async () => {
    const it = aDeadLetterWorld();
    const { read } = it.ports.orders;
    const claimed = async (key: string) => {
      const found = await read(key);
      await claimOrder(jobOf(aPayoutJob()), claimant, it.world.ports);
      return found;
    };
    const ports = { ...it.ports, orders: { ...it.ports.orders, read: claimed } };
    const ended = await discardDeadLetter(it.deadLetters.move(aRecord(aPayoutJob())), saying, ports);
    expect(ended).toEqual({
      kind: 'refused',
      why: 'somebody moved its order meanwhile: look at it again',
    });
    expect(it.world.entries.get('acme-eu/INV-1')?.state).toBe('submitting');
    expect(it.deadLetters.letters).toHaveLength(1);
  });

  it('whose deletion fails has ended all the same, and may be thrown away again', async () => {
    const it = aDeadLetterWorld();
    it.deadLetters.fails('remove', 'all');
    const letter = it.deadLetters.move(aRecord(aPayoutJob()));
    expect(await discard(it, letter)).toMatchObject({ kind: 'not-deleted', result: { failure: because } });
    expect(await discard(it, letter)).toMatchObject({ kind: 'discarded' });
  });
});

describe('a letter whose end is known already', () => {
  it('tells it again, and is gone: the order stands', async () => {
    const it = aDeadLetterWorld();
    await it.world.deliver(aRecord(aPayoutJob()));
    await discard(it, it.deadLetters.move(aRecord(aPayoutJob())));
    const [accepted, again] = it.world.results.taken;
    expect(again).toEqual(accepted);
    expect(it.world.entries.get('acme-eu/INV-1')).toMatchObject({ state: 'accepted', revision: 1 });
    expect(it.deadLetters.letters).toEqual([]);
  });

  it('that can’t be read ends as invalid under the id of the message that was sent', async () => {
    const it = aDeadLetterWorld();
    await discard(it, it.deadLetters.move(aRecord('no job'), 'm-7'));
    expect(it.world.results.taken).toMatchObject([
      {
        resultId: expect.stringMatching(/^rejected\/m-7\//),
        status: 'rejected',
        failure: { code: 'INVALID_MESSAGE', message: 'message is not JSON' },
      },
    ]);
    expect(it.deadLetters.letters).toEqual([]);
  });

  it('that asks for other content under a known order id is told so', async () => {
    const it = aDeadLetterWorld();
    await it.world.deliver(aRecord(aPayoutJob()));
    await discard(it, it.deadLetters.move(aRecord(aPayoutJob({ params: { amount: '99.00' } })), 'm-8'));
    expect(it.world.results.taken.at(-1)).toMatchObject({
      resultId: expect.stringMatching(/^rejected\/m-8\//),
      failure: { code: 'ORDER_ID_REUSED' },
    });
  });
});

describe('a letter of a batch', () => {
  it('that is a row of it, and became no order of it, leaves a note, so that the batch can close', async () => {
    const it = aDeadLetterWorld();
    const row = aPayoutJob({ batchId: 'b-1', orderId: 'BAD' });
    await it.world.deliver(aRecord(aPayoutJob({ batchId: 'b-0', orderId: 'BAD', params: { amount: '1.00' } })));
    await discard(it, it.deadLetters.move(aRecord(row)));
    const record = (await it.world.rows.read('b-1', [rowOf(row)])).get('acme-eu/BAD');
    expect(record).toMatchObject({ note: { kind: 'refused', failure: { code: 'ORDER_ID_REUSED' } } });
  });

  it('that is no job proves to be no row of it, and leaves none', async () => {
    const it = aDeadLetterWorld();
    const row = aPayoutJob({ batchId: 'b-1', orderId: 'BAD' });
    await discard(it, it.deadLetters.move(aRecord({ ...row, version: 7 })));
    expect((await it.world.rows.read('b-1', [rowOf(row)])).get('acme-eu/BAD')).toBeUndefined();
  });

  it('stays while that can’t be noted', async () => {
    const it = aDeadLetterWorld();
    it.world.rows.stays('down');
    await it.world.deliver(aRecord(aPayoutJob({ batchId: 'b-0', params: { amount: '1.00' } })));
    const letter = it.deadLetters.move(aRecord(aPayoutJob({ batchId: 'b-1' })));
    expect(await discard(it, letter)).toEqual({
      kind: 'refused',
      why: 'its end could not be noted for its batch: try again',
    });
    expect(it.deadLetters.letters).toHaveLength(1);
  });
});

describe('a letter with card data', () => {
  it('in the clear ends as refused for that', async () => {
    const it = aDeadLetterWorld();
    const ended = await discard(it, it.deadLetters.move(aRecord(withoutParams(aTransferJob(), 'cvv2'))));
    expect(ended).toMatchObject({ kind: 'discarded', result: { failure: { code: 'PLAIN_CARD_DATA' } } });
    expect(it.world.entries.size).toBe(0);
  });

  it.each([
    ['in its fields', { params: { credit_card_number: testCards.receiver } }],
    ['in its description', { params: { order_desc: `card ${testCards.receiver}` } }],
    ['in its context', { context: { note: `card ${testCards.receiver}` } }],
  ])('%s is never sent as it was cut, and ends as a message: its order id stays free', async (_, changes) => {
    // given a payout that the worker refused and cut
    const it = aDeadLetterWorld();
    await it.world.deliver(aRecord(aPayoutJob(changes)));
    it.lay();
    const [letter] = it.deadLetters.letters;
    if (!letter) throw new Error('there is no letter');

    // when a person plans its redrive, then throws it away
    const { plan } = await planRedrive(() => true, it.ports);
    expect(plan.deadLetters).toMatchObject([{ class: 'reject' }]);
    await discard(it, letter);

    // then it was refused, both times for what the worker saw, and its order can be paid
    const [first, second] = it.world.results.taken;
    expect(first).toMatchObject({ status: 'rejected', failure: { code: 'PLAIN_CARD_DATA' } });
    expect(second).toMatchObject({ status: 'rejected', failure: first?.failure });
    await it.world.deliver(aRecord(aPayoutJob()));
    expect(it.world.results.taken.at(-1)).toMatchObject({ orderId: 'INV-1', status: 'accepted' });
  });
});

describe('is not thrown away:', () => {
  it.each([0, 100_000])('an order that is being sent, %i ms after its claim', async (afterMs) => {
    const why = 'a worker is at its order: look again when that has ended';
    const it = aDeadLetterWorld();
    await claimOrder(jobOf(aPayoutJob()), claimant, it.world.ports);
    it.world.clock.advance(afterMs);
    expect(await discard(it, it.deadLetters.move(aRecord(aPayoutJob())))).toEqual({ kind: 'refused', why });
    expect(it.deadLetters.letters).toHaveLength(1);
    expect(it.world.results.taken).toEqual([]);
  });

  it('the message of an order that this version can’t read', async () => {
    const it = aDeadLetterWorld();
    const newer = { ...it.ports.orders, read: async () => ({ kind: 'unreadable', reason: 'newer' }) as const };
    const letter = it.deadLetters.move(aRecord(aPayoutJob()));
    expect(await discardDeadLetter(letter, saying, { ...it.ports, orders: newer })).toEqual({
      kind: 'refused',
      why: 'newer: use the version and the keys that wrote it',
    });
  });
});

it('who and why are logged without card data, before the letter is gone', async () => {
  const it = aDeadLetterWorld();
  const letter = it.deadLetters.move(aRecord(aPayoutJob()), 'm-1');
  await discardDeadLetter(letter, { by: 'ops', reason: `card ${testCards.sender} is closed` }, it.ports);
  expect(it.world.log).toEqual([
    {
      level: 'info',
      event: 'dead-letter-discarded',
      fields: {
        messageId: 'm-1',
        merchant: 'acme-eu',
        orderId: 'INV-1',
        state: 'failed',
        note: 'ops: card [redacted] is closed',
      },
    },
  ]);
});
