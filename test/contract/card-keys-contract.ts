// What lib/card-data promises of card keys, as stories: a key that outlives its claim, or is handed out twice, is a CVV that can
// be read after its order was sent.
import { beforeAll, describe, expect, it } from 'vitest';
import { cardKeysRound, type LeftCardKeys } from '../../lib/card-data/dynamodb-left-card-keys.ts';
import type { CardKeyStore, ClaimedCardKeys } from '../../lib/card-data/sealed-params.ts';
import type { LedgerEntry } from '../../lib/payout/ledger.ts';
import type { CardKey } from '../../lib/payout/ports.ts';
import { anEntry } from '../support/ledger-entries.ts';
import { startMs } from '../support/time-and-chance.ts';

/** A store as senders, the worker and the sweeper meet it, orders beside it, and a look at all that it holds of one. */
export interface Keeping {
  readonly store: CardKeyStore & ClaimedCardKeys & LeftCardKeys;
  readonly stands: (entry: LedgerEntry) => Promise<void>;
  readonly rawTextOf: (orderKey: string) => Promise<string>;
}

const key = (id: string): CardKey => ({ id, secret: `${id}-`.padEnd(43, 'A') });
const [first, second] = [key('key-1'), key('key-2')];

/** Runs the suite; every story brings an order id of its own. */
export function describeCardKeys(name: string, make: () => Keeping | Promise<Keeping>): void {
  describe(`the promises of ${name} about card keys`, () => {
    let keeping: Keeping;

    beforeAll(async () => {
      keeping = await make();
    });

    const left = async (entry: LedgerEntry, brought = first) => {
      expect(await keeping.store.deposit(entry, brought)).toStrictEqual({ kind: 'key', key: brought });
      return entry;
    };
    const isThere = async ({ key: at }: LedgerEntry) => (await keeping.store.idAt(at)) !== undefined;

    it('whoever takes a key has it, and it stands nowhere any more', async () => {
      const entry = await left(anEntry());
      expect(await keeping.store.take(entry.key, first.id)).toStrictEqual(first);
      expect(await keeping.rawTextOf(entry.key)).not.toContain(first.secret);
      expect(await keeping.store.take(entry.key, first.id)).toBeUndefined();
    });

    it('of any number of takers one is handed the key', async () => {
      const entry = await left(anEntry());
      const taken = await Promise.all(Array.from({ length: 12 }, () => keeping.store.take(entry.key, first.id)));
      expect(taken.filter(Boolean)).toStrictEqual([first]);
    });

    it('the key of newer card data is not taken for an older message, and stays', async () => {
      const entry = await left(anEntry(), second);
      expect(await keeping.store.take(entry.key, first.id)).toBeUndefined();
      expect(await keeping.store.idAt(entry.key)).toBe(second.id);
    });

    it('the first key stays: who comes later is told which one it is', async () => {
      const entry = await left(anEntry());
      expect(await keeping.store.deposit(entry, second)).toStrictEqual({ kind: 'key', key: first });
      expect(await keeping.store.idAt(entry.key)).toBe(first.id);
    });

    it('of any number of keys one stays, and all are told the same', async () => {
      const entry = anEntry();
      const keys = Array.from({ length: 12 }, (_, index) => key(`key-${index}`));
      const deposits = await Promise.all(keys.map((it) => keeping.store.deposit(entry, it)));
      const standing = await keeping.store.idAt(entry.key);
      const taken = await keeping.store.take(entry.key, standing ?? '');
      expect(keys).toContainEqual(taken);
      expect(deposits).toStrictEqual(keys.map(() => ({ kind: 'key', key: taken })));
    });

    it('keys of a payment and of a check under one id are kept apart', async () => {
      const payment = await left(anEntry());
      const check = { ...payment, operation: 'pan-eligibility' as const };
      expect(await keeping.store.deposit(check, second)).toStrictEqual({ kind: 'key', key: second });
      expect(await keeping.store.take(payment.key, first.id)).toStrictEqual(first);
    });

    describe('the sweeper', () => {
      const sweeps = () => cardKeysRound(keeping.store, () => startMs).run(startMs + 60_000);

      it.each<[state: LedgerEntry['state']]>([['in-doubt'], ['accepted'], ['approved'], ['declined'], ['cancelled']])(
        'destroys the key of an order that is %s',
        async (state) => {
          const entry = await left(anEntry({ state }));
          await keeping.stands(entry);
          await sweeps();
          expect(await isThere(entry)).toBe(false);
        },
      );

      it('destroys the key of a claim whose lease is over, and no sooner', async () => {
        const over = await left(anEntry({ state: 'submitting', leaseUntilMs: startMs }));
        const running = await left(anEntry({ state: 'submitting', leaseUntilMs: startMs + 1 }));
        for (const entry of [over, running]) await keeping.stands(entry);
        await sweeps();
        expect([await isThere(over), await isThere(running)]).toEqual([false, true]);
      });

      it('leaves the keys of orders that may be claimed yet, or anew', async () => {
        const unclaimed = await left(anEntry());
        const failure = { code: 'NEW_CARD_DATA_NEEDED', message: 'seal the card data anew' } as const;
        const waiting = [
          await left(anEntry({ state: 'held', failure })),
          await left(anEntry({ state: 'failed' })),
          await left(anEntry({ state: 'retryable' })),
        ];
        for (const entry of waiting) await keeping.stands(entry);
        await sweeps();
        expect(await Promise.all([unclaimed, ...waiting].map(isThere))).toEqual([true, true, true, true]);
      });

      it('is never shown a key, and destroys none but the one that it was shown', async () => {
        const entry = await left(anEntry());
        expect(JSON.stringify(await keeping.store.next())).not.toContain(first.secret);
        await keeping.store.destroy({ orderKey: entry.key, id: second.id });
        expect(await isThere(entry)).toBe(true);
      });
    });
  });
}
