// What lib/card-data promises of card keys, as stories: a key that outlives its claim, or is handed out twice, is a CVV that can
// be read after its order was sent.
import { beforeAll, describe, expect, it } from 'vitest';
import { cardKeysRound, type LeftCardKeys } from '../../lib/card-data/dynamodb-left-card-keys.ts';
import type { CardKey, CardKeyStore, ClaimedCardKeys } from '../../lib/card-data/sealed-params.ts';
import type { Attempt } from '../../lib/payout/order/facts.ts';
import type { Order } from '../../lib/payout/order/order.ts';
import { anOrder, type OrderChoices, withFacts } from '../support/orders.ts';
import { startMs } from '../support/time-and-chance.ts';

/** A store as senders, the worker and the sweeper meet it, orders beside it, and a look at all that it holds of one. */
export interface Keeping {
  readonly store: CardKeyStore & ClaimedCardKeys & LeftCardKeys;
  readonly keepOrder: (order: Order) => Promise<void>;
  readonly rawTextOf: (orderKey: string) => Promise<string>;
}

const key = (id: string): CardKey => ({ id, secret: `${id}-`.padEnd(43, 'A') });
const [first, second] = [key('key-1'), key('key-2')];

/** What a sender calls the order. */
const named = ({ merchant, orderId }: Order) => ({ merchant, orderId, operation: 'payout' as const });

/** Runs the suite; every story brings an order id of its own. */
export function describeCardKeys(name: string, make: () => Keeping | Promise<Keeping>): void {
  describe(`the promises of ${name} about card keys`, () => {
    let keeping: Keeping;

    beforeAll(async () => {
      keeping = await make();
    });

    const left = async (order: Order, brought = first) => {
      expect(await keeping.store.deposit(named(order), brought)).toEqual(brought);
      return order;
    };
    const isThere = async ({ key: at }: Order) => (await keeping.rawTextOf(at)).length > '""'.length;

    it('a key is given once, and is deleted', async () => {
      const order = await left(anOrder());
      expect(await keeping.store.take(order.key, first.id)).toEqual(first);
      expect(await keeping.rawTextOf(order.key)).not.toContain(first.secret);
      expect(await keeping.store.take(order.key, first.id)).toBeUndefined();
    });

    it('of any number of takers one is handed the key', async () => {
      const order = await left(anOrder());
      const taken = await Promise.all(Array.from({ length: 12 }, () => keeping.store.take(order.key, first.id)));
      expect(taken.filter(Boolean)).toEqual([first]);
    });

    it('the key of newer card data is not taken for an older message, and stays', async () => {
      const order = await left(anOrder(), second);
      expect(await keeping.store.take(order.key, first.id)).toBeUndefined();
      expect(await keeping.rawTextOf(order.key)).toContain(second.secret);
    });

    it('the first key stays: who comes later is told which one it is', async () => {
      const order = await left(anOrder());
      expect(await keeping.store.deposit(named(order), second)).toEqual(first);
      expect(await keeping.rawTextOf(order.key)).toContain(first.secret);
    });

    it('of any number of keys one stays, and all are told the same', async () => {
      const order = anOrder();
      const keys = Array.from({ length: 12 }, (_, index) => key(`key-${index}`));
      const deposits = await Promise.all(keys.map((it) => keeping.store.deposit(named(order), it)));
      const taken = await keeping.store.take(order.key, deposits[0]?.id ?? '');
      expect(keys).toContainEqual(taken);
      expect(deposits).toEqual(keys.map(() => taken));
    });

    describe('the sweeper', () => {
      const sweeps = () => cardKeysRound(keeping.store, () => startMs)(startMs + 60_000);

      const taken: Partial<Attempt> = { answer: { kind: 'taken', atMs: startMs }, ids: ['9000123'] };
      const lapsed: Partial<Attempt> = { lapsed: { code: 'NO_ANSWER', message: 'reset' } };
      const refused = (about: 'order' | 'pace'): Partial<Attempt> => ({
        answer: { kind: 'refused', about, connected: false, atMs: startMs, code: 'NOT_SENT', message: 'no' },
      });

      /** A key beside an order of this attempt. */
      async function leftBeside(attempt: Partial<Attempt>, choices: OrderChoices = {}): Promise<Order> {
        const order = await left(anOrder({ ...choices, attempt }));
        await keeping.keepOrder(order);
        return order;
      }

      it.each<[is: string, attempt: Partial<Attempt>]>([
        ['in doubt', lapsed],
        ['held in doubt', { ...lapsed, overdue: true }],
        ['accepted', taken],
        ['approved', { ...taken, reports: ['approved'] }],
      ])('destroys the key of an order that is %s', async (_, attempt) => {
        const order = await leftBeside(attempt);
        await sweeps();
        expect(await isThere(order)).toBe(false);
      });

      it('destroys the key of an order that was cancelled for good', async () => {
        const order = await left(anOrder({ attempt: refused('pace') }));
        const said = { by: 'ada', reason: 'twice', atMs: startMs, saw: { 'attempt-1': '' } };
        const decisions = { 'decision-1': { id: 'decision-1', kind: 'cancel', ...said } } as const;
        await keeping.keepOrder(withFacts(order, { decisions }));
        await sweeps();
        expect(await isThere(order)).toBe(false);
      });

      it('destroys the key of a claim whose lease is over, and no sooner', async () => {
        const over = await leftBeside({ leaseUntilMs: startMs });
        const running = await leftBeside({ leaseUntilMs: startMs + 1 });
        await sweeps();
        expect([await isThere(over), await isThere(running)]).toEqual([false, true]);
      });

      it('leaves the keys of orders that may be claimed yet, or anew', async () => {
        const unclaimed = await left(anOrder());
        const waiting = [
          // its card data is spent: the key is that of the newly sealed one
          await leftBeside({ ...refused('pace'), cardKeyId: 'key-0' }),
          await leftBeside(refused('pace')),
          await leftBeside(refused('order')),
        ];
        await sweeps();
        expect(await Promise.all([unclaimed, ...waiting].map(isThere))).toEqual([true, true, true, true]);
      });

      it('is never shown a key, and destroys none but the one that it was shown', async () => {
        const order = await left(anOrder());
        expect(JSON.stringify(await keeping.store.next())).not.toContain(first.secret);
        await keeping.store.destroy({ orderKey: order.key, id: second.id });
        expect(await isThere(order)).toBe(true);
      });
    });
  });
}
