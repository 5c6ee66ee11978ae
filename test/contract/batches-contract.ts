// What lib/batches/batch-ports.ts promises of batches, as stories. An upload is killed at any row and goes on from here; a
// second person's approval rests on these conditions.
import { beforeAll, describe, expect, it } from 'vitest';
import type { Batches } from '../../lib/batches/batch-ports.ts';
import type { ClosedBatches } from '../../lib/batches/closed-batches.ts';
import {
  type Approval,
  type Batch,
  type BatchPart,
  type BatchRow,
  newBatch,
  rowsPerPart,
} from '../../lib/batches/batch.ts';
import type { Tally } from '../../lib/batches/tally.ts';
import { startMs } from '../support/time-and-chance.ts';

const minute = 60_000;
const fileHash = 'ab'.repeat(32);
const contentHash = '12'.repeat(32);
const heldUntilMs = startMs + 60 * minute;
const proof = { root: 'R'.repeat(43), blind: 'B'.repeat(43), mac: 'M'.repeat(43) };
const totals = { EUR: { count: 1_199, minorUnits: 9_007_199_254_740_993n }, JPY: { count: 1, minorUnits: 5n } };
const tally: Tally = [
  { standing: 'accepted', currency: 'EUR', count: 1_199, minorUnits: 9_007_199_254_740_993n, elsewhere: 8 },
  { standing: 'cancelled', currency: 'JPY', count: 1, minorUnits: 5n, elsewhere: 1 },
  { standing: 'in-doubt', count: 2, minorUnits: 0n, elsewhere: 1 },
];

let names = 0;
/** Every story has batches of its own, so that one store serves them all. */
const aName = () => `2026-11-payroll.${(names += 1)}`;

function aBatch(changes: Partial<Parameters<typeof newBatch>[0]> = {}): Batch {
  const content = { batchId: aName(), fileHash, contentHash, rows: 1_202, totals, merchant: 'acme-eu' };
  return newBatch({ ...content, by: 'ada', nowMs: startMs, ...changes });
}

const row = (orderId: string): BatchRow => ({
  orderKey: `acme-eu/${orderId}`,
  digest: 'd'.repeat(22),
  money: { currency: 'EUR', minorUnits: 1042n },
});

async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const list: T[] = [];
  for await (const item of items) list.push(item);
  return list;
}

/** Runs the suite over one store. */
export function describeBatches(name: string, make: () => Batches & ClosedBatches): void {
  describe(`the batches of ${name}`, () => {
    let batches: Batches & ClosedBatches;

    beforeAll(() => {
      batches = make();
    });

    const approval: Approval = { by: 'grace', reason: 'checked', atMs: startMs, expiresAtMs: startMs + 60 * minute };

    async function registered(changes: Parameters<typeof aBatch>[0] = {}): Promise<Batch> {
      const batch = aBatch(changes);
      expect(await batches.register(batch)).toEqual({ kind: 'registered' });
      return batch;
    }

    async function uploaded(): Promise<Batch> {
      const batch = await registered();
      expect(await batches.finishUpload(batch.batchId, startMs + minute)).toEqual({ kind: 'moved' });
      return { ...batch, state: 'uploaded', uploadedAtMs: startMs + minute };
    }

    const isDue = async ({ batchId }: Batch, beforeMs: number) =>
      (await all(batches.openBatches(beforeMs))).some((it) => it.batchId === batchId);

    describe('a header', () => {
      it('is found as it was registered, to the last minor unit', async () => {
        const batch = await registered();
        expect(await batches.find(batch.batchId)).toEqual(batch);
        const held = await registered({ heldUntilMs, totals: {} });
        expect(await batches.find(held.batchId)).toEqual({ ...held, state: 'awaiting-approval' });
        expect(await batches.find(aName())).toBeUndefined();
      });

      it('has one winner, however many register at once', async () => {
        const batch = aBatch();
        const ends = await Promise.all(
          Array.from({ length: 8 }, (_, n) => batches.register({ ...batch, by: `p${n}` })),
        );
        expect(ends.filter(({ kind }) => kind === 'registered')).toHaveLength(1);
      });
    });

    it('a file is taken by the first batch, again and again, and by no other', async () => {
      const hash = `${aName()}-hash`;
      expect(await batches.takeFile(hash, 'first')).toEqual({ kind: 'taken' });
      expect(await batches.takeFile(hash, 'first')).toEqual({ kind: 'taken' });
      expect(await batches.takeFile(hash, 'second')).toEqual({ kind: 'known', batchId: 'first' });
    });

    describe('the release by two persons', () => {
      it('lets an upload begin once somebody else has approved exactly this', async () => {
        const batch = await registered({ heldUntilMs });
        expect(await batches.approve(batch, approval, proof)).toEqual({ kind: 'moved' });
        const approved = { ...batch, state: 'approved', approval };
        expect(await batches.find(batch.batchId)).toEqual(approved);
        expect(await batches.startUpload(batch.batchId, approval.expiresAtMs - 1)).toEqual({ kind: 'moved' });
        expect(await batches.find(batch.batchId)).toEqual({
          ...approved,
          state: 'uploading',
          uploadMovedAtMs: approval.expiresAtMs - 1,
        });
      });

      it.each<[what: string, changes: Partial<Batch>]>([
        ['file', { fileHash: 'cd'.repeat(32) }],
        ['reading of the file', { contentHash: 'cd'.repeat(32) }],
        ['number of rows', { rows: 1_203 }],
        ['sum', { totals: { ...totals, JPY: { count: 1, minorUnits: 6n } } }],
        ['count', { totals: { ...totals, JPY: { count: 2, minorUnits: 5n } } }],
        ['currency', { totals: { EUR: totals.EUR } }],
      ])('refuses an approval of another %s', async (_, changes) => {
        const batch = await registered({ heldUntilMs });
        expect(await batches.approve({ ...batch, ...changes }, approval, proof)).toEqual({
          kind: 'found',
          batch,
        });
      });

      it('refuses the one who registered it', async () => {
        const batch = await registered({ heldUntilMs });
        expect(await batches.approve(batch, { ...approval, by: 'ada' }, proof)).toEqual({
          kind: 'found',
          batch,
        });
      });

      it('hands its proof to the sender and the checker of the jobs, and shows it nowhere else', async () => {
        const batch = await registered({ heldUntilMs });
        expect(await batches.grantOf(batch.batchId)).toBeUndefined();
        await batches.approve(batch, approval, proof);
        expect(await batches.grantOf(batch.batchId)).toEqual({
          registrar: 'ada',
          approver: 'grace',
          rows: 1_202,
          expiresAtMs: approval.expiresAtMs,
          ...proof,
        });
        expect(JSON.stringify(await batches.find(batch.batchId), (_, it) => String(it))).not.toContain(proof.blind);
        expect(await batches.grantOf(aName())).toBeUndefined();
      });

      it('tells the sweeper of a registrar who tried to approve, until it has been told', async () => {
        const batch = await registered({ heldUntilMs });
        await batches.noteOnePerson(batch.batchId, startMs);
        expect(await batches.find(batch.batchId)).toEqual({
          ...batch,
          state: 'awaiting-approval',
          onePersonAtMs: startMs,
        });
        expect(await isDue(batch, startMs + 1)).toBe(true);
        await batches.forgetOnePerson(batch.batchId);
        expect(await batches.find(batch.batchId)).toEqual({ ...batch, state: 'awaiting-approval' });
        expect(await isDue(batch, startMs + 1)).toBe(false);
      });

      it('may neither outlast the time for which the batch is held, nor be given after it', async () => {
        const batch = await registered({ heldUntilMs });
        const found = { kind: 'found', batch };
        const longer = { ...approval, expiresAtMs: heldUntilMs + 1 };
        expect(await batches.approve(batch, longer, proof)).toEqual(found);
        expect(await batches.approve(batch, { ...approval, atMs: heldUntilMs }, proof)).toEqual(found);
        expect(await batches.approve(batch, { ...approval, atMs: heldUntilMs - 1 }, proof)).toEqual({ kind: 'moved' });
      });

      it('is given once, and not to a batch that needs none or does not exist', async () => {
        const batch = await registered({ heldUntilMs });
        await batches.approve(batch, approval, proof);
        const later = { ...approval, expiresAtMs: approval.expiresAtMs + minute };
        expect(await batches.approve(batch, later, proof)).toEqual({
          kind: 'found',
          batch: { ...batch, state: 'approved', approval },
        });
        const free = await registered();
        expect(await batches.approve(free, approval, proof)).toEqual({ kind: 'found', batch: free });
        expect(await batches.approve(aBatch({ heldUntilMs }), approval, proof)).toEqual({ kind: 'absent' });
      });

      it('refuses an upload before the approval, and from the moment it has expired', async () => {
        const batch = await registered({ heldUntilMs });
        expect(await batches.startUpload(batch.batchId, startMs)).toEqual({ kind: 'found', batch });
        await batches.approve(batch, approval, proof);
        expect(await batches.startUpload(batch.batchId, approval.expiresAtMs)).toMatchObject({
          kind: 'found',
          batch: { state: 'approved' },
        });
      });
    });

    describe('the parts', () => {
      it('come back in their order, rows and all', async () => {
        const { batchId } = await registered();
        const rows: BatchRow[][] = [
          [row('A'), row(`with  spaces, "quotes" \\ and ~`)],
          [{ digest: 'd', orderKey: 'acme-eu/C' }],
          [{ digest: 'd', orderKey: 'acme-eu/Z', money: { currency: 'JPY', minorUnits: 9_007_199_254_740_993n } }],
        ];
        for (const [n, part] of rows.entries()) await batches.putPart(batchId, n, part);
        const expected = rows.map((part, n): BatchPart => ({ n, rows: part }));
        expect(await all(batches.parts({ batchId, parts: 3 }))).toEqual(expected);
        expect(await all(batches.parts({ batchId, parts: 9 }))).toEqual(expected);
      });

      it('stand as they were put first', async () => {
        const { batchId } = await registered();
        await batches.putPart(batchId, 0, [row('A')]);
        await batches.putPart(batchId, 0, [row('B')]);
        expect(await all(batches.parts({ batchId, parts: 1 }))).toEqual([{ n: 0, rows: [row('A')] }]);
      });

      it('are of one batch, even where another’s name begins alike', async () => {
        const { batchId } = await registered();
        await batches.putPart(batchId, 0, [row('A')]);
        expect(await batches.nextPart(`${batchId}0`)).toBe(0);
        expect(await batches.nextPart(batchId)).toBe(1);
      });

      it('tell where an upload goes on, after any number of them', async () => {
        const { batchId } = await registered();
        for (let n = 0; n < 20; n += 1) {
          expect(await batches.nextPart(batchId)).toBe(n);
          await batches.putPart(batchId, n, [row(`R-${n}`)]);
        }
      });

      it('hold as many rows as they may, each at its longest', async () => {
        const { batchId } = await registered();
        const largest = Array.from({ length: rowsPerPart }, (_, index): BatchRow => ({
          digest: 'd'.repeat(22),
          orderKey: `${'m'.repeat(64)}/${String(index).padStart(128, '~')}`,
          money: { currency: 'CLF', minorUnits: 9_999_999_999_999_999n },
        }));
        await batches.putPart(batchId, 0, largest);
        expect(await all(batches.parts({ batchId, parts: 1 }))).toEqual([{ n: 0, rows: largest }]);
      });

      it('are found with what their rows ask for, by when their batch was registered', async () => {
        const [before, after] = [await registered({ nowMs: startMs - 1 }), await registered()];
        const contents = { keyId: 'k1~abc', digests: Uint8Array.from([0, 255, 1, 2, 3, 4, 5, 6]) };
        await batches.putPart(after.batchId, 0, [row('A')], contents);
        await batches.putPart(after.batchId, 1, [row('B')]);
        await batches.putPart(after.batchId, 0, [row('C')], { ...contents, keyId: 'k2' });
        const since = await all(batches.registeredSince(startMs));
        expect(since).toContain(after.batchId);
        expect(since).not.toContain(before.batchId);
        const found = await all(batches.contents(after));
        expect(found.map(({ n, contents: it }) => [n, it?.keyId, it && [...it.digests]])).toEqual([
          [0, 'k1~abc', [0, 255, 1, 2, 3, 4, 5, 6]],
          [1, undefined, undefined],
        ]);
      });
    });

    describe('the end', () => {
      const closure = { revision: 1, atMs: startMs + 5 * minute, firstAtMs: startMs + 5 * minute, tally };

      it('closes what is uploaded, once, with its result still to publish', async () => {
        const batch = await uploaded();
        expect(await batches.find(batch.batchId)).toEqual(batch);
        expect(await batches.close(batch.batchId, closure)).toEqual({ kind: 'moved' });
        const closed = { ...batch, state: 'closed', closure, unpublished: true };
        expect(await batches.find(batch.batchId)).toEqual(closed);
        expect(await batches.close(batch.batchId, { ...closure, tally: [] })).toEqual({
          kind: 'found',
          batch: closed,
        });
      });

      it('does not close what is still uploaded to', async () => {
        const batch = await registered();
        expect(await batches.close(batch.batchId, closure)).toEqual({ kind: 'found', batch });
        expect(await batches.close(aName(), closure)).toEqual({ kind: 'absent' });
      });

      it('is told anew in the next revision, and in no other', async () => {
        const batch = await uploaded();
        const second = { ...closure, revision: 2, atMs: startMs + 9 * minute, tally: [] };
        expect(await batches.close(batch.batchId, second)).toEqual({ kind: 'found', batch });
        await batches.close(batch.batchId, closure);
        expect(await batches.close(batch.batchId, { ...second, revision: 3 })).toMatchObject({ kind: 'found' });
        expect(await batches.close(batch.batchId, second)).toEqual({ kind: 'moved' });
        expect(await batches.close(batch.batchId, second)).toMatchObject({ kind: 'found' });
        const told = { ...batch, state: 'closed', closure: second, unpublished: true };
        expect(await batches.find(batch.batchId)).toEqual(told);
      });

      it('is looked at again when that was said as it was published', async () => {
        const batch = await uploaded();
        await batches.close(batch.batchId, closure);
        await batches.markPublished(batch.batchId, 1, startMs + 9 * minute);
        expect(await isDue(batch, startMs + 9 * minute)).toBe(false);
        expect(await isDue(batch, startMs + 10 * minute)).toBe(true);
      });
    });

    describe('the sweeper', () => {
      it('is shown a batch that is half sent an hour after its registration, until it is let go', async () => {
        const batch = await registered();
        expect(await isDue(batch, startMs + 60 * minute)).toBe(false);
        expect(await isDue(batch, startMs + 60 * minute + 1)).toBe(true);
        await batches.uploadMoved(batch.batchId, startMs + 9 * minute);
        expect(await batches.find(batch.batchId)).toEqual({ ...batch, uploadMovedAtMs: startMs + 9 * minute });
        await batches.lookAgain(batch.batchId, startMs + 69 * minute);
        expect(await isDue(batch, startMs + 69 * minute)).toBe(false);
        expect(await isDue(batch, startMs + 70 * minute)).toBe(true);
        await batches.letGo(batch.batchId);
        expect(await isDue(batch, Number.MAX_SAFE_INTEGER)).toBe(false);
        await batches.finishUpload(batch.batchId, startMs + 80 * minute);
        await batches.letGo(batch.batchId);
        await batches.uploadMoved(batch.batchId, startMs + 81 * minute);
        expect(await isDue(batch, startMs + 81 * minute)).toBe(true);
        expect(await batches.find(batch.batchId)).toMatchObject({ uploadMovedAtMs: startMs + 9 * minute });
      });

      it('is shown a batch from the end of its upload to the telling of its result', async () => {
        const batch = await registered();
        const ever = Number.MAX_SAFE_INTEGER;
        await batches.finishUpload(batch.batchId, startMs);
        expect(await isDue(batch, startMs)).toBe(false);
        expect(await isDue(batch, startMs + 1)).toBe(true);
        await batches.close(batch.batchId, { revision: 1, atMs: startMs + 5, firstAtMs: startMs + 5, tally });
        expect((await all(batches.openBatches(ever))).find(({ batchId }) => batchId === batch.batchId)).toEqual(
          await batches.find(batch.batchId),
        );
        await batches.markPublished(batch.batchId, 1, startMs + 60);
        expect([await isDue(batch, startMs + 60), await isDue(batch, ever)]).toEqual([false, true]);
        await batches.rest(batch);
        expect(await isDue(batch, ever)).toBe(false);
      });

      it('is shown a closed batch that an order has woken', async () => {
        const closed = await uploaded();
        await batches.close(closed.batchId, { revision: 1, atMs: startMs, firstAtMs: startMs, tally });
        await batches.rest(closed);
        for (const batchId of [closed.batchId, aName()]) await batches.wake(batchId);
        const woken = await batches.find(closed.batchId);
        expect(await isDue(closed, (woken?.wokenAtMs ?? 0) + 1)).toBe(true);
        // Who has read the batch before that does not lay it to rest.
        await batches.rest(closed);
        expect(await isDue(closed, Number.MAX_SAFE_INTEGER)).toBe(true);
        await batches.lookAgain(closed.batchId, startMs, { digest: 'abc', sinceMs: startMs });
        await batches.rest({ ...closed, ...woken });
        expect((await batches.find(closed.batchId))?.looked).toBeUndefined();
        expect(await isDue(closed, Number.MAX_SAFE_INTEGER)).toBe(false);
      });

      it('looks again when it said, the longest due first', async () => {
        const [late, early] = [await uploaded(), await uploaded()];
        const counted = {
          rows: 50,
          tally: 'held EUR 50 52100 0',
          mayChangeUnheard: false,
          startedMs: startMs,
          revision: 0,
        };
        const looked = { digest: 'abc', sinceMs: startMs, counted };
        await batches.lookAgain(late.batchId, startMs + 9 * minute, looked);
        expect(await batches.find(late.batchId)).toEqual({ ...late, looked });
        await batches.lookAgain(early.batchId, startMs + 8 * minute);
        expect(await isDue(early, startMs + 8 * minute)).toBe(false);
        const due = (await all(batches.openBatches(startMs + 10 * minute))).map(({ batchId }) => batchId);
        expect(due.indexOf(early.batchId)).toBeLessThan(due.indexOf(late.batchId));
        expect(due.indexOf(early.batchId)).toBeGreaterThanOrEqual(0);
      });
    });
  });
}
