// What lib/payout/waiting promises of the table of what waits and of the rights to drain, as stories.
import { beforeAll, describe, expect, it } from 'vitest';
import type { DrainRight, DrainRights } from '../../lib/payout/waiting/drain-right.ts';
import type { LinePlace, RowHead, WaitingRow, WaitingRows } from '../../lib/payout/waiting/waiting-row.ts';
import { startMs } from '../support/time-and-chance.ts';

let names = 0;
/** Every story has a merchant of its own, so that one store serves them all. */
const aMerchant = () => `merchant-${(names += 1)}`;

/** A row of an order of its own, unless a story says otherwise. */
export function aRow(changes: Partial<WaitingRow> = {}): Omit<WaitingRow, 'slot'> {
  const { slot: _, ...rest } = { slot: 0, ...changes };
  const merchant = changes.lane?.merchant ?? aMerchant();
  return {
    key: `${merchant}/INV-${(names += 1)}`,
    lane: { merchant, endpointId: '1144' },
    class: 'urgent',
    shard: 0,
    goAtMs: startMs,
    sinceMs: startMs - 5_000,
    nonce: `nonce-${(names += 1)}`,
    digest: Buffer.from(`digest ${(names += 1)}`).toString('base64url'),
    messageId: 'message-1',
    waits: 1,
    because: 'pace',
    sealed: { wrappedKey: 'key1', iv: 'aXYx', text: 'c2VhbGVk' },
    ...rest,
  };
}

/** Of what the index shows late, the suite asks until it is there. */
async function soon<T>(ask: () => Promise<T>, isThere: (answer: T) => boolean): Promise<T> {
  for (let tries = 0; ; tries += 1) {
    const answer = await ask();
    if (isThere(answer) || tries === 50) return answer;
    await new Promise((resolve) => void setTimeout(resolve, 20));
  }
}

/** Runs the suite. */
export function describeWaiting(name: string, make: () => WaitingRows): void {
  describe(`what waits in ${name}`, () => {
    let rows: WaitingRows;
    beforeAll(() => void (rows = make()));

    const put = async (changes: Partial<WaitingRow> = {}): Promise<WaitingRow> => {
      const row = aRow(changes);
      expect(await rows.put(row)).toBe('put');
      const standing = (await rows.ofOrder(row.key)).find(({ nonce }) => nonce === row.nonce);
      if (!standing) throw new Error('the row is not there');
      return standing;
    };
    const everything = async (merchant: string): Promise<RowHead[]> => {
      const found: RowHead[] = [];
      for await (const head of rows.all()) if (head.lane.merchant === merchant) found.push(head);
      return found;
    };

    it('is read as it was put, whole', async () => {
      const row = aRow({
        class: 'row',
        shard: 3,
        expiresAtMs: startMs + 60_000,
        batchId: 'salaries',
        money: { currency: 'EUR', minorUnits: 12_345_678_901_234_567n },
        redrives: 2,
        groupId: 'acme',
      });
      await rows.put(row);
      const [standing] = await rows.ofOrder(row.key);
      expect(standing).toStrictEqual({ ...row, slot: standing?.slot });
      expect(await rows.read({ key: row.key, slot: standing?.slot ?? 9 })).toStrictEqual(standing);
    });

    it('is one row however often its message is put, by the last word', async () => {
      const first = await put();
      const { slot: _, ...again } = { ...first, nonce: 'another' };
      expect(await rows.put(again)).toBe('put');
      expect(await rows.ofOrder(first.key)).toStrictEqual([{ ...first, nonce: 'another' }]);
    });

    it('holds four messages of an order, and no fifth, until one leaves', async () => {
      const { key, lane } = aRow();
      for (let message = 0; message < 4; message += 1) await put({ key, lane });
      expect(await rows.put(aRow({ key, lane }))).toBe('full');
      const [first = await put()] = await rows.ofOrder(key);
      expect(await rows.remove(first)).toBe(true);
      expect(await rows.put(aRow({ key, lane }))).toBe('put');
      expect((await rows.ofOrder(key)).map(({ slot }) => slot)).toEqual([0, 1, 2, 3]);
    });

    it('is not removed by who saw the message that stood there before', async () => {
      const before = await put();
      const { slot: _, ...again } = { ...before, nonce: 'put again' };
      await rows.put(again);
      expect(await rows.remove(before)).toBe(false);
      expect(await rows.move(before, { goAtMs: startMs + 1, because: 'busy' })).toBe(false);
      expect(await rows.ofOrder(before.key)).toHaveLength(1);
    });

    it('moves to a later moment, for another reason, and keeps all else', async () => {
      const row = await put();
      expect(await rows.move(row, { goAtMs: startMs + 900_000, because: 'paused' })).toBe(true);
      expect(await rows.read(row)).toStrictEqual({ ...row, goAtMs: startMs + 900_000, because: 'paused', waits: 2 });
    });

    it('stands in its line by the moment from which it may go', async () => {
      const lane = { merchant: aMerchant(), endpointId: 'group/7' };
      const later = await put({ lane, goAtMs: startMs + 2_000 });
      const first = await put({ lane, goAtMs: startMs - 1 });
      await put({ lane, class: 'row' });
      await put({ lane, shard: 1 });
      const shard = { lane, class: 'urgent', shard: 0 } as const;
      const line = await soon(
        () => rows.heads(shard, undefined, 10),
        (heads) => heads.length === 2,
      );
      expect(line.map(({ key }) => key)).toEqual([first.key, later.key]);
      expect(line[0]).toStrictEqual({
        key: first.key,
        slot: first.slot,
        lane,
        class: 'urgent',
        shard: 0,
        goAtMs: startMs - 1,
        sinceMs: startMs - 5_000,
        because: 'pace',
      });
      expect(await rows.heads(shard, undefined, 1)).toHaveLength(1);
      const behind = await rows.heads(shard, first satisfies LinePlace, 10);
      expect(behind.map(({ key }) => key)).toEqual([later.key]);
      expect(await rows.heads(shard, later, 10)).toEqual([]);
    });

    it('is counted by lane and class, with since when the first one waits', async () => {
      const lane = { merchant: aMerchant(), endpointId: '1144' };
      expect(await rows.length(lane, 'row')).toStrictEqual({ rows: 0 });
      for (let shard = 0; shard < 4; shard += 1)
        await put({ lane, class: 'row', shard, sinceMs: startMs - 1_000 * shard });
      await put({ lane });
      const ofRows = await soon(
        () => rows.length(lane, 'row'),
        (it) => it.rows === 4,
      );
      expect(ofRows).toStrictEqual({ rows: 4, oldestSinceMs: startMs - 3_000, firstGoAtMs: startMs });
      expect((await rows.length(lane, 'urgent')).rows).toBe(1);
    });

    it('is in one of so many parts of all that waits', async () => {
      const merchant = aMerchant();
      for (let n = 0; n < 20; n += 1) await put({ lane: { merchant, endpointId: '7' } });
      await soon(
        () => everything(merchant),
        (it) => it.length === 20,
      );
      const inParts: string[] = [];
      for (let part = 0; part < 4; part += 1)
        for await (const head of rows.all({ part, of: 4 })) if (head.lane.merchant === merchant) inParts.push(head.key);
      expect(inParts.toSorted()).toEqual((await everything(merchant)).map(({ key }) => key).toSorted());
    });

    it('is found without its lane, by batch and expiry', async () => {
      const merchant = aMerchant();
      const money = { currency: 'JPY', minorUnits: 700n };
      const row = await put({ lane: { merchant, endpointId: '7' }, batchId: 'b-1', expiresAtMs: startMs + 1, money });
      const [found] = await soon(
        () => everything(merchant),
        (it) => it.length === 1,
      );
      expect(found).toMatchObject({ key: row.key, batchId: 'b-1', expiresAtMs: startMs + 1, money });
    });
  });
}

const cursors = { urgent: [null, null, null, null], row: [null, null, null, null] };
const aRight = (changes: Partial<DrainRight> = {}): DrainRight => ({
  number: 1,
  writer: 'w-1',
  nextAtMs: startMs,
  leaseUntilMs: startMs + 60_000,
  cursors,
  ...changes,
});

/** Runs the suite. `storeMs` is the store's time. */
export function describeDrainRights(name: string, make: () => DrainRights, storeMs: () => number): void {
  describe(`the rights to drain in ${name}`, () => {
    let rights: DrainRights;
    beforeAll(() => void (rights = make()));
    const aLane = () => ({ merchant: aMerchant(), endpointId: 'group/7' });

    it('are read as they were written, with the time of the store', async () => {
      const lane = aLane();
      const right = aRight({
        isOver: true,
        againAtMs: startMs + 1,
        cursors: { ...cursors, row: [{ key: 'acme/1', slot: 2, goAtMs: startMs }, null, null, null] },
      });
      expect((await rights.write(lane, right)).kind).toBe('written');
      const read = await rights.read(lane);
      expect(read.right).toStrictEqual(right);
      expect(Math.abs(read.atMs - storeMs())).toBeLessThan(5_000);
    });

    it('go to one of two who want the same one', async () => {
      const lane = aLane();
      await rights.write(lane, aRight());
      expect((await rights.write(lane, aRight({ writer: 'w-2' }))).kind).toBe('lost');
      expect((await rights.write(lane, aRight({ number: 2, writer: 'w-3' }))).kind).toBe('written');
      expect((await rights.write(lane, aRight({ number: 2, writer: 'w-4' }))).kind).toBe('lost');
      expect((await rights.read(lane)).right?.writer).toBe('w-3');
    });

    it('name a lane of which a row is about to be put, before anybody has drained it, and once more without harm', async () => {
      const lane = aLane();
      await rights.name(lane);
      await rights.name(lane);
      expect((await rights.all()).filter(({ merchant }) => merchant === lane.merchant)).toEqual([lane]);
      expect((await rights.read(lane)).right).toBeUndefined();
      expect((await rights.write(lane, aRight())).kind).toBe('written');
      expect(await rights.all()).toContainEqual({ ...lane, right: aRight() });
    });

    it('name every lane that has had one', async () => {
      const lane = aLane();
      await rights.write(lane, aRight());
      expect(await rights.all()).toContainEqual({ ...lane, right: aRight() });
    });
  });
}
