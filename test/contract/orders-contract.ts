// What lib/payout/order/orders.ts promises of a store of orders, as stories. Another store must pass this suite:
// each promise that breaks here is an order that can be paid twice or an answer that can be lost.
import { beforeAll, describe, expect, it } from 'vitest';
import { ofAttempt } from '../../lib/payout/order/facts.ts';
import { askedAbout } from '../../lib/payout/order/open-work.ts';
import { newOrder, type Order } from '../../lib/payout/order/order.ts';
import type { Orders } from '../../lib/payout/order/orders.ts';
import { anAttempt, anOrder, theFullestOrder, theLargestOrder, withFacts, begun } from '../support/orders.ts';
import { startMs } from '../support/time-and-chance.ts';

const found = (order: Order) => ({ kind: 'found', order });
const written = { kind: 'written' };

/** The order after the gateway took it. */
const accepted = (order: Order): Order =>
  withFacts(order, ofAttempt(anAttempt({ answer: { kind: 'taken', atMs: startMs + 1_500 }, ids: ['9000123'] })));

/** The order after a connection that was never made. */
const refused = (order: Order): Order =>
  withFacts(order, ofAttempt(anAttempt({ answer: { ...notSent, kind: 'refused', about: 'pace', connected: false } })));
const notSent = { code: 'NOT_SENT', message: 'no connection (ECONNREFUSED)', atMs: startMs + 20 };

/** Twelve claims that were decided on the same order. */
const claims = (order: Order): readonly Order[] =>
  Array.from({ length: 12 }, (_, at) => withFacts(order, ofAttempt(anAttempt({ id: `claim-${at}`, number: 2 }))));

/** Runs the suite; every story brings an order id of its own, so one store serves them all. */
export function describeOrders(name: string, makeOrders: () => Orders | Promise<Orders>): void {
  describe(`the promises of ${name} about orders`, () => {
    let orders: Orders;

    beforeAll(async () => {
      orders = await makeOrders();
    });

    /** An order that is stored as given. */
    async function standing(order = anOrder()): Promise<Order> {
      expect(await begun(orders, order)).toEqual(written);
      return order;
    }

    async function moved(before: Order, next: Order): Promise<Order> {
      expect(await orders.write(before, next)).toEqual(written);
      return next;
    }

    const read = ({ key }: Order) => orders.read(key);

    async function orderAt(key: string): Promise<Order> {
      const it = await orders.read(key);
      if (it.kind !== 'found') throw new Error(`nothing is read at ${key}`);
      return it.order;
    }

    describe('an order', () => {
      it.each([
        ['with all that can be known of it', theFullestOrder()],
        ['with every text at its limit', theLargestOrder()],
        ['of which nothing is known but that it is there', { ...newOrder('acme-eu/BARE', startMs), version: 1 }],
        ['of more money than a float can hold', anOrder({ money: { currency: 'EUR', minorUnits: 2n ** 53n + 1n } })],
      ])('%s is read as it was written', async (_, order) => {
        await standing(order);
        expect(await read(order)).toEqual(found(order));
      });

      it('and one of another merchant with the same id are two', async () => {
        const { orderId } = await standing();
        const other = await standing(anOrder({ orderId, merchant: 'acme-us' }));
        expect(await read(other)).toEqual(found(other));
      });
    });

    describe('a first write', () => {
      it('has exactly one winner, however many there are at once; the others are told who won', async () => {
        const contenders = claims(anOrder());
        const ends = await Promise.all(contenders.map((it) => begun(orders, it)));
        const winners = contenders.filter((_, at) => ends[at]?.kind === 'written');
        expect(winners).toHaveLength(1);
        const [winner = anOrder()] = winners;
        expect(ends.filter(({ kind }) => kind !== 'written')).toEqual(Array(11).fill(found(winner)));
        expect(await read(winner)).toEqual(found(winner));
      });

      it('that comes again, or later, is told what the order is now, and changes nothing', async () => {
        const first = await standing();
        expect(await begun(orders, first)).toEqual(found(first));
        const stored = await moved(first, accepted(first));
        expect(await begun(orders, { ...first, createdAtMs: startMs + 1 })).toEqual(found(stored));
        expect(await read(first)).toEqual(found(stored));
      });
    });

    describe('a write where nothing is stored', () => {
      const missing = () => {
        const next = anOrder();
        return { before: newOrder(next.key, startMs, next.content), next };
      };

      it('decided on that begins the order', async () => {
        const { before, next } = missing();
        await moved(before, next);
        expect(await read(next)).toEqual(found(next));
      });

      it('is refused over a stored order, which it returns', async () => {
        const { before, next } = missing();
        const { key } = await standing();
        const stored = await orders.read(key);
        expect(await orders.write({ ...before, key }, { ...next, key })).toEqual(stored);
        expect(await orders.read(key)).toEqual(stored);
      });

      it('has exactly one winner, however many there are, a claim among them', async () => {
        const { before } = missing();
        const contenders = claims(anOrder()).map((it) => ({ ...it, key: before.key }));
        const ends = await Promise.all(
          contenders.map((it, at) => (at % 3 === 0 ? begun(orders, it) : orders.write(before, it))),
        );
        expect(ends.filter(({ kind }) => kind === 'written')).toHaveLength(1);
        expect(ends.find(({ kind }) => kind !== 'written')).toMatchObject({
          order: { version: contenders[ends.findIndex(({ kind }) => kind === 'written')]?.version },
        });
      });
    });

    describe('a write', () => {
      it('goes over the version that it was decided on', async () => {
        const first = await standing();
        const next = await moved(first, accepted(first));
        expect(await read(first)).toEqual(found(next));
      });

      it('takes away what the next version no longer has', async () => {
        const full = await standing(theFullestOrder());
        const bare = { ...newOrder(full.key, startMs), version: full.version + 1 };
        await moved(full, bare);
        expect(await read(full)).toEqual(found(bare));
      });

      it('decided on a version that others have written over is refused, which returns the stored order', async () => {
        const first = await standing();
        const stored = await moved(first, accepted(first));
        expect(await orders.write(first, refused(first))).toEqual(found(stored));
        expect(await orders.write(first, stored)).toEqual(found(stored));
        expect(await read(first)).toEqual(found(stored));
      });

      it('decided on a version that is yet to be written is refused too', async () => {
        const first = await standing();
        const next = accepted(first);
        expect(await orders.write(next, aLookAt(next))).toEqual(found(first));
        expect(await read(first)).toEqual(found(first));
      });

      it('has exactly one winner, however many were decided on the same version', async () => {
        const first = await standing();
        const free = await moved(first, refused(first));
        const contenders = claims(free);
        const ends = await Promise.all(contenders.map((it) => orders.write(free, it)));
        const winners = contenders.filter((_, at) => ends[at]?.kind === 'written');
        expect(winners).toHaveLength(1);
        const [winner = first] = winners;
        expect(ends.filter(({ kind }) => kind !== 'written')).toEqual(Array(11).fill(found(winner)));
        expect(await read(first)).toEqual(found(winner));
      });

      it('that does not raise the version is none', async () => {
        const first = await standing();
        await expect(orders.write(first, { ...accepted(first), version: first.version })).rejects.toThrow(RangeError);
        expect(await read(first)).toEqual(found(first));
      });

      it('of an order that was never put fails: nothing is put in its place', async () => {
        const order = anOrder();
        await expect(orders.write(order, accepted(order))).rejects.toThrow(/no such order|vanished/);
        expect(await read(order)).toEqual({ kind: 'none' });
      });
    });

    describe('the mark of a result still to publish', () => {
      const marked = async (order = anOrder({ attempt: lapsed })) => standing({ ...order, unpublished: true });

      it('is taken away, and nothing else of the order but its version', async () => {
        const { unpublished: _, ...order } = await marked(theFullestOrder());
        for (let times = 0; times < 2; times += 1) {
          await orders.markPublished({ ...order, unpublished: true });
          expect(await orderAt(order.key)).toEqual({ ...order, version: order.version + 1 });
        }
      });

      it('is taken away by a publisher that has not seen the last question: the result is the same', async () => {
        const first = await marked();
        const asked = await moved(first, aLookAt(first));
        await orders.markPublished(first);
        const { unpublished: _, ...after } = asked;
        expect(await orderAt(first.key)).toEqual({ ...after, version: asked.version + 1 });
      });

      it('is left as it is where the order has another result by now', async () => {
        const first = await marked();
        const second = await moved(first, { ...accepted(first), unpublished: true });
        expect(second.published.revision).toBeGreaterThan(first.published.revision);
        await orders.markPublished(first);
        expect(await read(first)).toEqual(found(second));
      });

      it('stays for a write that was decided beside it: that one is told', async () => {
        const first = await marked();
        await orders.markPublished(first);
        const after = await orderAt(first.key);
        expect(await orders.write(first, accepted(first))).toEqual(found(after));
        await moved(after, accepted(after));
      });
    });
  });
}

const lapsed = { lapsed: { code: 'WORKER_LOST', message: 'lost' } };

const aLookAt = (order: Order): Order => ({
  ...askedAbout(order, {
    asked: { attempt: 'a-1', account: 'account' },
    isAnswered: true,
    nowMs: startMs + 60_000,
    inSeconds: 60,
  }),
  version: order.version + 1,
});
