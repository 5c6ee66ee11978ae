// What lib/batches/batch-ports.ts promises of announced changes, as stories: none is lost between the announcement and the
// counting, whoever announces once more meanwhile.
import { beforeAll, describe, expect, it } from 'vitest';
import type { AnnouncedChange, OrderChanges } from '../../lib/batches/batch-row.ts';
import type { OrderChange } from '../../lib/payout/order/order-changes.ts';
import type { Orders } from '../../lib/payout/order/orders.ts';
import type { NotedRows } from '../support/memory-batch-rows.ts';
import { aUsualOrder } from '../support/orders.ts';

/** What the suite is run over; the clock is moved by the stories. */
interface ChangesUnderTest {
  readonly changes: OrderChanges;
  readonly rows: NotedRows;
  readonly orders: Orders;
  readonly clock: { nowMs: () => number; advance: (ms: number) => void };
}

const ever = Number.MAX_SAFE_INTEGER;
let names = 0;
const aKey = () => `acme-eu/changed-${(names += 1)}/x`;

/** Runs the suite over one store. */
export function describeOrderChanges(name: string, make: () => ChangesUnderTest): void {
  describe(`the announced changes of ${name}`, () => {
    let under: ChangesUnderTest;

    beforeAll(() => {
      under = make();
    });

    async function announced(orderKey: string, beforeMs = ever): Promise<AnnouncedChange[]> {
      const found: AnnouncedChange[] = [];
      for await (const change of under.changes.announced(beforeMs))
        if (change.orderKey === orderKey) found.push(change);
      return found.toSorted((a, b) => a.revision - b.revision);
    }

    async function anAnnounced(more: Partial<OrderChange> = {}): Promise<AnnouncedChange> {
      const change = { orderKey: aKey(), revision: 7, batchId: 'payroll', ...more };
      await under.changes.announce(change);
      return { ...change, announcedAtMs: under.clock.nowMs() };
    }

    it('wait from then on, with or without a batch, until they were counted', async () => {
      const change = await anAnnounced();
      expect(await announced(change.orderKey)).toEqual([change]);
      expect(await announced(change.orderKey, change.announcedAtMs)).toEqual([]);
      await under.changes.counted(change);
      expect(await announced(change.orderKey)).toEqual([]);
      const orderKey = aKey();
      await under.changes.announce({ orderKey, revision: 2 });
      expect(await announced(orderKey)).toEqual([{ orderKey, revision: 2, announcedAtMs: under.clock.nowMs() }]);
    });

    it('are told apart by revision and batch', async () => {
      const change = await anAnnounced();
      await under.changes.announce({ ...change, revision: 8 });
      await under.changes.announce({ ...change, revision: 0, batchId: 'other' });
      await under.changes.counted(change);
      expect(await announced(change.orderKey)).toMatchObject([{ revision: 0, batchId: 'other' }, { revision: 8 }]);
    });

    it('wait on where one was announced once more before it was counted', async () => {
      const change = await anAnnounced();
      under.clock.advance(1);
      await under.changes.announce(change);
      await under.changes.counted(change);
      expect(await announced(change.orderKey)).toHaveLength(1);
      under.clock.advance(1);
      const again = await anAnnounced({ orderKey: change.orderKey });
      await under.changes.counted(again);
      expect(await announced(change.orderKey)).toEqual([]);
      await under.changes.announce(again);
      expect(await announced(change.orderKey)).toHaveLength(1);
    });

    it('know where their orders stand, and whose rows they are beside their own batch', async () => {
      const order = aUsualOrder();
      await under.orders.put(order);
      for (const batchId of ['second', 'third', 'second'])
        await under.rows.note({ batchId: batchId, orderKey: order.key, digest: 'd' }, { kind: 'elsewhere' });
      const unknown = aKey();
      const changed = await under.changes.changed([order.key, unknown]);
      const { revision, elsewhere = [] } = changed.get(order.key) ?? {};
      expect([revision, elsewhere.toSorted()]).toEqual([order.published.revision, ['second', 'third']]);
      expect(changed.get(unknown) ?? { elsewhere: [] }).toEqual({ elsewhere: [] });
    });

    it('come of notes that may change how a row had ended, and of no others', async () => {
      const refused = (code: 'INVALID_MESSAGE' | 'ORDER_ID_REUSED') =>
        ({ kind: 'refused', failure: { code, message: '' } }) as const;
      const [first, taken, reused] = [aKey(), aKey(), aKey()];
      await under.rows.note({ batchId: 'payroll', orderKey: first, digest: 'd' }, refused('INVALID_MESSAGE'));
      expect(await announced(first)).toEqual([]);
      await under.rows.note({ batchId: 'payroll', orderKey: taken, digest: 'd' }, { kind: 'elsewhere' });
      expect(await announced(taken)).toEqual([]);
      await under.rows.note({ batchId: 'payroll', orderKey: first, digest: 'd' }, { kind: 'elsewhere' });
      expect(await announced(first)).toMatchObject([{ batchId: 'payroll', revision: 0 }]);
      await under.rows.note({ batchId: 'payroll', orderKey: reused, digest: 'd' }, refused('ORDER_ID_REUSED'));
      expect(await announced(reused)).toMatchObject([{ batchId: 'payroll', revision: 0 }]);
    });

    it('come of a redriven row before its order begins, and wait for the first result of that', async () => {
      const orderKey = aKey();
      await under.rows.announceOrder({ batchId: 'payroll', orderKey });
      expect(await announced(orderKey)).toMatchObject([{ batchId: 'payroll', revision: 1 }]);
    });
  });
}
