// Every end that a job of a batch can come to is found in the ledger afterwards: by its order, or by a note. Otherwise its
// batch could never close, or would tell another order's payment as its own.
import { describe, expect, it } from 'vitest';
import { rowStatusOf } from '../../lib/batches/batch-row.ts';
import { cancelOrder } from '../../lib/payout/operate/decide.ts';
import type { JobBody } from '../support/jobs.ts';
import { aRecord, longAgoMs } from '../support/records.ts';
import { aJobOf, batchId, rowOf } from '../support/uploaded-batch.ts';
import { aWorld, type World } from '../support/world.ts';

const aJob = (changes: Partial<JobBody> = {}) => aJobOf('INV-1', changes);

/** How the row of this job stands, as a report would tell it. */
async function standing({ rows }: World, body: JobBody = aJob(), of = batchId) {
  const row = rowOf(body);
  return rowStatusOf(row, of, (await rows.read(of, [row])).get(row.orderKey) ?? {});
}

const notSent = { kind: 'ended', end: 'failed', final: true, elsewhere: false };

describe('a row', () => {
  it('waits as long as its job does', async () => {
    expect(await standing(aWorld())).toEqual({ kind: 'open', state: 'waiting', inDoubt: false });
  });

  it('is told by its order', async () => {
    const world = aWorld();
    await world.deliver(aRecord(aJob()));
    expect(await standing(world)).toMatchObject({ kind: 'ended', end: 'accepted', final: true, elsewhere: false });
  });

  it('whose order id was used before for other content has failed, whatever became of that order', async () => {
    const world = aWorld();
    await world.deliver(aRecord(aJob({ batchId: 'earlier', params: { amount: '99.00' } })));
    await world.deliver(aRecord(aJob()));
    expect(await standing(world)).toMatchObject({ ...notSent, failure: { code: 'ORDER_ID_REUSED' } });
    expect(await standing(world)).not.toHaveProperty('entry');
  });

  it('is not paid by an order of the same amount to somebody else', async () => {
    const world = aWorld();
    await world.deliver(aRecord(aJob({ batchId: 'earlier', params: { account_number: 'DE02120300000000202051' } })));
    expect(await standing(world)).toEqual({ kind: 'open', state: 'waiting', inDoubt: false });
    await world.deliver(aRecord(aJob()));
    expect(await standing(world)).toMatchObject({ ...notSent, failure: { code: 'ORDER_ID_REUSED' } });
  });

  it('is for a person where its own batch sent two contents under one order id', async () => {
    const world = aWorld();
    await world.deliver(aRecord(aJob({ params: { account_number: 'DE02120300000000202051' } })));
    await world.deliver(aRecord(aJob()));
    expect(await standing(world)).toMatchObject({
      kind: 'ended',
      end: 'held',
      final: false,
      failure: { code: 'ORDER_ID_REUSED' },
    });
  });

  it('that another batch asked for before, to the letter, stands as that order does', async () => {
    const world = aWorld();
    await world.deliver(aRecord(aJob({ batchId: 'earlier' })));
    expect(await standing(world)).toEqual({ kind: 'open', state: 'waiting', inDoubt: false });
    await world.deliver(aRecord(aJob()));
    expect(world.gateway.postsOf('INV-1')).toBe(1);
    expect(await standing(world)).toMatchObject({ kind: 'ended', end: 'accepted', elsewhere: true });
    expect(await standing(world, aJob(), 'earlier')).toMatchObject({ end: 'accepted', elsewhere: false });
  });

  it('that takes up what another batch could not send is told too', async () => {
    const world = aWorld();
    world.gateway.moods('refuses the connection');
    await world.deliver(aRecord(aJob({ batchId: 'earlier' }), { receiveCount: 5 }));
    await world.deliver(aRecord(aJob()));
    expect(await standing(world)).toMatchObject({ kind: 'ended', end: 'accepted', elsewhere: true });
  });

  it('of a merchant that nobody knows has failed, and took no order id', async () => {
    const world = aWorld();
    const body = aJob({ merchant: 'nobody' });
    await world.deliver(aRecord(body, { sentAtMs: longAgoMs }));
    expect(await standing(world, body)).toMatchObject({ ...notSent, failure: { code: 'MERCHANT_UNKNOWN' } });
  });

  it('that came too late has failed, and took no order id', async () => {
    const world = aWorld();
    const late = aJob({ expiresAt: '2026-11-21T09:00:00Z' });
    await world.deliver(aRecord(late));
    expect(await standing(world, late)).toMatchObject({ ...notSent, failure: { code: 'EXPIRED' } });
  });

  it('waits on where a message that is no job says that it is the row: files are registered with jobs alone', async () => {
    const world = aWorld();
    await world.deliver(aRecord({ ...aJob(), params: { ...aJob().params, amount: '0' } }));
    expect(await standing(world)).toMatchObject({ kind: 'open', state: 'waiting' });
    expect(world.entries.size).toBe(0);
  });

  it('stands as its order does once a mended message was taken after all', async () => {
    const world = aWorld();
    await world.deliver(aRecord({ ...aJob(), endpointId: '' }));
    await world.deliver(aRecord(aJob()));
    expect(await standing(world)).toMatchObject({ kind: 'ended', end: 'accepted', elsewhere: false });
  });

  it('that was cancelled before its job came is cancelled, and so is one of a batch that was called off', async () => {
    const world = aWorld();
    const order = { operation: 'payout', merchant: 'acme-eu', orderId: 'INV-1' } as const;
    await cancelOrder({ ...order, by: 'ops', reason: 'twice' }, world.ports);
    const cancelled = { ...notSent, end: 'cancelled' };
    expect(await standing(world)).toMatchObject({ ...cancelled, entry: { state: 'cancelled' } });
    await world.deliver(aRecord(aJob()));
    expect(await standing(world)).toMatchObject({ ...cancelled, entry: { state: 'cancelled' } });

    await world.controls.cancelBatch(batchId, { by: 'ops', reason: 'twice', atMs: 0 });
    const other = aJob({ orderId: 'INV-2' });
    await world.deliver(aRecord(other));
    expect(await standing(world, other)).toMatchObject(cancelled);
  });
});

it.each([
  ['for another amount', { amount: '99.99' }],
  ['for another account', { account_number: 'DE75512108001245126199' }],
])('two rows of one order id, %s, of a batch that was called off are both cancelled', async (_, params) => {
  const world = aWorld();
  await world.controls.cancelBatch(batchId, { by: 'ops', reason: 'twice', atMs: 0 });
  const [one, other] = [aJob({ params: { ...aJob().params, ...params } }), aJob()];
  await world.deliver([aRecord(one), aRecord(other)]);
  expect(world.results.taken).toMatchObject([{ status: 'cancelled' }, { status: 'cancelled' }]);
  for (const row of [one, other]) expect(await standing(world, row)).toMatchObject({ kind: 'ended', end: 'cancelled' });
  expect(world.gateway.posts).toEqual([]);
});

describe('while a note can’t be written', () => {
  /** A row that its merchant’s contract no longer takes. */
  const outside = aJob({ params: { purpose: 'wages' } });

  it('the job tells its result and waits until it can', async () => {
    const world = aWorld();
    await world.deliver(aRecord(aJob({ batchId: 'earlier' })));
    world.rows.stays('down');
    await world.deliver(aRecord(aJob()));
    expect(world.results.taken).toHaveLength(2);
    expect(await standing(world)).toEqual({ kind: 'open', state: 'waiting', inDoubt: false });
    await world.again();
    world.rows.stays('up');
    await world.again();
    expect(world.waits()).toEqual([]);
    expect(await standing(world)).toMatchObject({ end: 'accepted', elsewhere: true });
    expect(world.gateway.postsOf('INV-1')).toBe(1);
  });

  it('a refused message waits too, and is told once its row is noted', async () => {
    const world = aWorld();
    world.rows.stays('down');
    await world.deliver(aRecord(outside, { messageId: 'm-1' }));
    expect([world.results.taken, world.jobsQueue.deadLetters.taken, world.waits().length]).toEqual([[], [], 1]);
    world.rows.stays('up');
    await world.again();
    expect(world.results.taken.map(({ resultId }) => resultId)).toEqual([expect.stringMatching(/^rejected\/m-1\//)]);
    expect(await standing(world, outside)).toMatchObject({ ...notSent, failure: { code: 'FIELD_NOT_IN_CONTRACT' } });
  });

  it('jobs of no batch, and of orders of their own batch, do not mind', async () => {
    const world = aWorld();
    world.rows.stays('down');
    const { batchId: _, ...single } = aJob({ orderId: 'single' });
    const messages = [aJob(), aJob(), single, { ...single, endpointId: '' }, single];
    for (const message of messages) expect(await world.deliver(aRecord(message))).toEqual([]);
    expect(world.waits()).toEqual([]);
    expect(world.results.taken).toHaveLength(5);
  });
});
