// What lib/payout/inquire/due-work.ts promises of the index of open work, as stories over a store of orders and its index. What is not
// found here never moves again, unless its job is sent again.
import { beforeEach, describe, expect, it } from 'vitest';
import type { DueWork, MeasuredKind, MeasuredOrder } from '../../lib/payout/inquire/due-work.ts';
import { type Attempt, ofAttempt } from '../../lib/payout/order/facts.ts';
import { askedAbout, openWorkOf, type OpenWorkKind } from '../../lib/payout/order/open-work.ts';
import type { Order } from '../../lib/payout/order/order.ts';
import type { Orders } from '../../lib/payout/order/orders.ts';
import { anAttempt, anOrder, asMarked, withFacts, begun } from '../support/orders.ts';
import { startMs } from '../support/time-and-chance.ts';

const kinds: readonly OpenWorkKind[] = ['submitting', 'in-doubt', 'accepted', 'overdue', 'held', 'unpublished'];
const ever = Number.MAX_SAFE_INTEGER;

const taken: Partial<Attempt> = { answer: { kind: 'taken', atMs: startMs }, ids: ['9000123'] };
const lapsed: Partial<Attempt> = { lapsed: { code: 'NO_ANSWER', message: 'reset' } };
const refused = { kind: 'refused', connected: false, atMs: startMs, code: 'NOT_SENT', message: 'no' } as const;

/** Runs the suite; each story has an empty store. */
export function describeOpenWork(name: string, makeOrders: () => Promise<Orders & DueWork>): void {
  describe(`the open work that ${name} promises to find`, () => {
    let orders: Orders & DueWork;

    beforeEach(async () => {
      orders = await makeOrders();
    });

    /** An order with this attempt. */
    async function standing(attempt: Partial<Attempt> = {}): Promise<Order> {
      const { askable = true } = attempt;
      const order = anOrder({ attempt: { askable } });
      await begun(orders, order);
      return Object.keys(attempt).length > 0 ? after(order, attempt) : order;
    }

    /** The order after this was heard of its attempt, and published. */
    async function after(before: Order, attempt: Partial<Attempt>): Promise<Order> {
      return over(before, withFacts(before, ofAttempt(anAttempt(attempt)), startMs + 1_000));
    }

    async function over(before: Order, next: Order): Promise<Order> {
      expect(await orders.write(before, next)).toEqual({ kind: 'written' });
      return next;
    }

    const markedAs = (order: Order) => over(order, asMarked(order));

    async function found(kind: OpenWorkKind, beforeMs = ever): Promise<Order[]> {
      const all: Order[] = [];
      for await (const order of orders.dueWork(kind, beforeMs)) all.push(order);
      return all;
    }

    async function measured(kind: MeasuredKind): Promise<MeasuredOrder[]> {
      const all: MeasuredOrder[] = [];
      for await (const it of orders.measured(kind)) all.push(it);
      return all;
    }

    async function kindsOf({ key }: Order): Promise<OpenWorkKind[]> {
      const listed = await Promise.all(kinds.map((kind) => found(kind)));
      return kinds.filter((_, place) => listed[place]?.some((order) => order.key === key));
    }

    it('is each open order under its own kind, whole', async () => {
      const open = {
        submitting: await standing(),
        'in-doubt': await standing(lapsed),
        accepted: await standing(taken),
        overdue: await standing({ ...taken, overdue: true }),
        held: await standing({ ...lapsed, overdue: true }),
      };
      for (const [kind, order] of Object.entries(open)) {
        expect(await kindsOf(order)).toEqual([kind]);
        expect(await found(kind as OpenWorkKind)).toEqual([order]);
      }
    });

    it.each<[string, Partial<Attempt>]>([
      ['was accepted, and cannot be asked about', { ...taken, askable: false }],
      ['is approved', { ...taken, reports: ['approved'] }],
      ['is declined', { ...taken, reports: ['declined'] }],
      ['was refused', { answer: { ...refused, about: 'order' } }],
    ])('is no order that %s', async (_, attempt) => {
      expect(await kindsOf(await standing(attempt))).toEqual([]);
    });

    it('moves with its order from kind to kind, and out', async () => {
      const submitting = await standing();
      expect(await kindsOf(submitting)).toEqual(['submitting']);
      const doubtful = await after(submitting, lapsed);
      expect(await kindsOf(doubtful)).toEqual(['in-doubt']);
      const held = await after(doubtful, { overdue: true });
      expect(await kindsOf(held)).toEqual(['held']);
      const accepted = await after(held, taken);
      expect(await kindsOf(accepted)).toEqual(['overdue']);
      const approved = await after(accepted, { reports: ['approved'] });
      expect(await kindsOf(approved)).toEqual([]);
    });

    it('is what is due before the moment given, and nothing else', async () => {
      await standing(lapsed);
      const dueAtMs = startMs + 6_000;
      expect(await found('in-doubt', dueAtMs)).toEqual([]);
      expect(await found('in-doubt', dueAtMs + 1)).toHaveLength(1);
    });

    it('is due anew after each look', async () => {
      const doubtful = await standing(lapsed);
      const asked = { attempt: 'a-1', account: 'account' };
      const it = { asked, isAnswered: true, nowMs: startMs + 61_000, inSeconds: 3_600 };
      const next = await over(doubtful, { ...askedAbout(doubtful, it), version: doubtful.version + 1 });
      expect(await found('in-doubt', startMs + 61_000 + 3_600_000)).toEqual([]);
      expect(await found('in-doubt', startMs + 61_000 + 3_600_001)).toEqual([next]);
    });

    it('is an unpublished result until it is published, whatever its order', async () => {
      for (const [attempt, marked, ...open] of [
        [lapsed, 'in-doubt', 'in-doubt'],
        [{ ...taken, reports: ['approved'] }, 'submitting'],
        [{ ...lapsed, overdue: true }, 'unpublished', 'held'],
      ] as const) {
        const order = await markedAs(await standing(attempt));
        expect(await kindsOf(order)).toEqual([marked]);
        await orders.markPublished(order);
        expect(await kindsOf(order)).toEqual(open);
      }
    });

    it('is an order about which a callback asks, at its time, ended or not', async () => {
      for (const order of [await standing(taken), await standing({ ...taken, reports: ['approved'] })]) {
        const asks = Object.keys(order.facts.attempts).map((attempt) => ({ attempt, account: 'account' }));
        await over(order, { ...order, version: order.version + 1, asks, dueAtMs: startMs + 2_000 });
        expect(await kindsOf(order)).toEqual(['unpublished']);
      }
      expect(await found('unpublished', startMs + 2_000)).toEqual([]);
      expect(await found('unpublished', startMs + 2_001)).toHaveLength(2);
    });

    it('says of each that is in doubt, held or overdue what is summed of it, and of no other', async () => {
      const money = { currency: 'EUR', minorUnits: 1042n };
      const since = { merchant: 'acme-eu', sinceMs: startMs + 1_000, money };
      await standing();
      await standing(taken);
      await standing(lapsed);
      await standing({ ...taken, overdue: true });
      await markedAs(await standing({ ...lapsed, overdue: true }));
      await markedAs(await standing({ ...taken, reports: ['approved'] }));
      expect(await measured('in-doubt')).toEqual([{ ...since, state: 'in-doubt' }]);
      expect(await measured('overdue')).toEqual([{ ...since, state: 'overdue' }]);
      expect(await measured('held')).toEqual([]);
      expect(await measured('unpublished')).toEqual([{ ...since, state: 'held' }]);
    });

    it('is what is due since a moment, where one is given', async () => {
      await standing(lapsed);
      const due = async (sinceMs: number) => (await all(orders.dueWork('in-doubt', ever, { sinceMs }))).length;
      expect([await due(startMs + 6_000), await due(startMs + 6_001)]).toEqual([1, 0]);
    });

    it('is moved ahead without a version, where nothing has moved it meanwhile', async () => {
      const doubtful = await standing(lapsed);
      const dueAtMs = openWorkOf(doubtful)?.atMs ?? 0;
      expect(await orders.move(doubtful.key, dueAtMs, startMs + 400_000)).toBe(true);
      expect(await orders.move(doubtful.key, dueAtMs, startMs + 500_000)).toBe(false);
      expect(await found('in-doubt', startMs + 400_000)).toEqual([]);
      expect(await found('in-doubt', startMs + 400_001)).toEqual([{ ...doubtful, dueAtMs: startMs + 400_000 }]);
      // The version that was read before can still be written over. The due time is that of the write, not of the move.
      const next = await over(doubtful, { ...doubtful, looks: 1, version: doubtful.version + 1 });
      expect(await found('in-doubt', startMs + 400_000)).toEqual([next]);
    });

    it.each<[string, OpenWorkKind, Partial<Attempt>]>([
      ['under its lease', 'submitting', {}],
      ['to be sent again', 'submitting', { answer: { ...refused, about: 'pace' } }],
      ['in doubt', 'in-doubt', lapsed],
      ['accepted', 'accepted', taken],
      ['accepted for too long', 'overdue', { ...taken, overdue: true }],
    ])(
      'is moved again by its new moment, if the order is %s and the first move led to nothing',
      async (_, kind, it) => {
        const { key } = await standing(it);
        const moveTo = async (toMs: number) => {
          const [order] = await found(kind);
          return orders.move(key, (order && openWorkOf(order)?.atMs) ?? 0, toMs);
        };
        const laterMs = startMs + 30 * 86_400_000;
        expect(await moveTo(laterMs)).toBe(true);
        expect(await found(kind, laterMs)).toEqual([]);
        expect(await moveTo(laterMs + 1)).toBe(true);
      },
    );
  });
}

const all = async <T>(items: AsyncIterable<T>): Promise<T[]> => {
  const found: T[] = [];
  for await (const it of items) found.push(it);
  return found;
};
