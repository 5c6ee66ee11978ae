// What the index of a batch promises (lib/batches/batch-payouts.ts), as stories.
import { beforeAll, describe, expect, it } from 'vitest';
import type { BatchIndex } from '../../lib/batches/batch-payouts.ts';
import { type BatchEntry, readBatchEntry } from '../../lib/payout/order/batch-entry.ts';
import { noFacts } from '../../lib/payout/order/facts.ts';
import type { Order } from '../../lib/payout/order/order.ts';
import type { Orders } from '../../lib/payout/order/orders.ts';
import { recorded } from '../../lib/payout/order/record.ts';
import { anAttempt, anOrder, withFacts, begun } from '../support/orders.ts';
import { startMs } from '../support/time-and-chance.ts';

let names = 0;
const aName = () => `batch-${(names += 1)}`;

const declined = {
  kind: 'refused',
  about: 'order',
  connected: true,
  atMs: startMs,
  code: 'GATEWAY_DECLINED',
  message: 'no funds',
  gatewayCode: '51',
} as const;

/** Runs the suite over one store. */
export function describeBatchIndex(name: string, make: () => { orders: Orders; batchIndex: BatchIndex }): void {
  describe(`the index of batches of ${name}`, () => {
    let orders: Orders;
    let batchIndex: BatchIndex;
    beforeAll(() => ({ orders, batchIndex } = make()));

    async function shown(batchId: string): Promise<Readonly<Record<string, BatchEntry>>> {
      const entries: Record<string, BatchEntry> = {};
      for await (const { orderKey, text } of batchIndex.entries(batchId)) entries[orderKey] = readBatchEntry(text);
      return entries;
    }
    const claimed = (batchId: string, orderId = `O-${(names += 1)}`) => anOrder({ batchId, orderId });
    /** The order with the answer of its attempt, and what follows. */
    function answered(order: Order, answer: NonNullable<ReturnType<typeof anAttempt>['answer']>): Order {
      const [attempt] = Object.values(order.facts.attempts);
      const next = withFacts(order, { attempts: { [attempt?.id ?? '']: { ...anAttempt(), ...attempt, answer } } });
      return recorded({ ...next, version: order.version }, noFacts, { nowMs: startMs, endId: `end-${order.orderId}` });
    }

    it('shows an order once the write after its claim is there', async () => {
      const [batchId, order] = [aName(), claimed(aName())];
      const its = { ...order, content: { ...(order.content ?? fail()), batchId } };
      await begun(orders, its);
      expect(await shown(batchId)).toEqual({});
      const over = answered(its, declined);
      await orders.write(its, { ...over, version: its.version + 1 });
      expect(await shown(batchId)).toEqual({
        [its.key]: {
          standing: 'declined',
          money: its.content.money,
          failure: { code: 'GATEWAY_DECLINED', gatewayCode: '51' },
          ...(its.content.digest !== undefined && { digest: its.content.digest }),
        },
      });
    });

    it('shows all orders of a batch, and none of another', async () => {
      const [batchId, other] = [aName(), aName()];
      const all = Array.from({ length: 60 }, () => claimed(batchId));
      for (const order of [...all, claimed(other)]) {
        await begun(orders, order);
        const next = answered(order, { kind: 'taken', atMs: startMs });
        await orders.write(order, { ...next, version: order.version + 1 });
      }
      const entries = await shown(batchId);
      expect(Object.keys(entries).toSorted()).toEqual(all.map(({ key }) => key).toSorted());
      expect(new Set(Object.values(entries).map(({ standing }) => standing))).toEqual(new Set(['confirming']));
    });

    it('shows a claim at once that opens an end, and the order under the batch that claimed it last', async () => {
      const [first, second] = [aName(), aName()];
      const order = claimed(first);
      await begun(orders, order);
      const over = { ...answered(order, declined), version: order.version + 1 };
      await orders.write(order, over);
      const [end] = Object.values(over.facts.ends);
      const again = anAttempt({ id: 'again', number: over.version + 1, reopens: end?.id ?? '' });
      const opened: Order = {
        ...withFacts(over, { ...over.facts, attempts: { ...over.facts.attempts, again } }),
        version: over.version + 1,
        content: { ...(over.content ?? fail()), batchId: second },
      };
      await orders.write(over, opened);
      expect(await shown(first)).toEqual({});
      expect(await shown(second)).toMatchObject({ [order.key]: { standing: 'sending' } });
    });
  });
}

function fail(): never {
  throw new Error('the order has no content');
}
