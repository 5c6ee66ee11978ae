// What lib/payout/ports.ts and lib/card-data/open-card-data.ts promise of card keys, as stories: a key that outlives its claim, or is
// handed out twice, is a CVV that can be read after its order was sent.
import type { FailureCode } from '../../lib/payout/failures.ts';
import { beforeAll, describe, expect, it } from 'vitest';
import type { CardKeyStore } from '../../lib/card-data/sealed-params.ts';
import type { CardKey, Ledger } from '../../lib/payout/ports.ts';
import { type LedgerEntry, moved } from '../../lib/payout/ledger.ts';
import { anEntry } from '../support/ledger-entries.ts';
import { startMs } from '../support/time-and-chance.ts';

/** A ledger, its depot, and a look at everything that the table holds under an order's key. */
export interface Keeping {
  readonly ledger: Ledger;
  readonly depot: CardKeyStore;
  readonly rawTextOf: (orderKey: string) => Promise<string>;
}

const key = (id: string): CardKey => ({ id, secret: `${id}-`.padEnd(43, 'A') });
const [first, second] = [key('key-1'), key('key-2')];
const found = (entry: LedgerEntry) => ({ kind: 'found', entry });

/** Runs the suite; every story brings an order id of its own. */
export function describeCardKeys(name: string, make: () => Keeping | Promise<Keeping>): void {
  describe(`the promises of ${name} about card keys`, () => {
    let keeping: Keeping;

    beforeAll(async () => {
      keeping = await make();
    });

    const left = async (entry: LedgerEntry, brought = first) => {
      expect(await keeping.depot.deposit(entry, brought)).toStrictEqual({ kind: 'key', key: brought });
      return entry;
    };
    const held = (entry: LedgerEntry, code: FailureCode = 'NEW_CARD_DATA_NEEDED') =>
      moved(entry, {
        state: 'held',
        final: false,
        reason: code,
        nowMs: startMs + 20,
        failure: { code, message: 'seal the card data anew' },
      });

    it('a claim of an order for which a key was left is handed that key, and destroys it', async () => {
      const entry = await left(anEntry());
      expect(await keeping.ledger.claim(entry)).toStrictEqual({ kind: 'claimed', cardKey: first });
      expect(await keeping.ledger.read(entry.key)).toStrictEqual(found(entry));
      expect(await keeping.rawTextOf(entry.key)).not.toContain(first.secret);
    });

    it('of any number of claims one is handed the key', async () => {
      const entry = await left(anEntry());
      const contenders = Array.from({ length: 12 }, (_, index) => ({ ...entry, owner: `worker-${index}` }));
      const ends = await Promise.all(contenders.map((contender) => keeping.ledger.claim(contender)));
      expect(ends.filter((end) => end.kind === 'claimed')).toStrictEqual([{ kind: 'claimed', cardKey: first }]);
    });

    it('a claim that repeats itself finds its own entry, and no key', async () => {
      const entry = await left(anEntry());
      await keeping.ledger.claim(entry);
      expect(await keeping.ledger.claim(entry)).toStrictEqual(found(entry));
    });

    it('a key is no order', async () => {
      const entry = await left(anEntry());
      expect(await keeping.ledger.read(entry.key)).toBeUndefined();
    });

    it('an order that is cancelled before its job comes takes the key along, and hands it to nobody', async () => {
      const entry = await left(anEntry());
      const cancelled = { ...entry, state: 'cancelled' as const, final: true };
      expect(await keeping.ledger.claim(cancelled)).toStrictEqual({ kind: 'claimed' });
      expect(await keeping.rawTextOf(entry.key)).not.toContain(first.secret);
    });

    it('the first key stays: who comes later is told which one it is', async () => {
      const entry = await left(anEntry());
      expect(await keeping.depot.deposit(entry, second)).toStrictEqual({ kind: 'key', key: first });
      expect(await keeping.ledger.claim(entry)).toStrictEqual({ kind: 'claimed', cardKey: first });
    });

    it('of any number of keys one stays, and all are told the same', async () => {
      const entry = anEntry();
      const keys = Array.from({ length: 12 }, (_, index) => key(`key-${index}`));
      const deposits = await Promise.all(keys.map((it) => keeping.depot.deposit(entry, it)));
      const claim = await keeping.ledger.claim(entry);
      const cardKey = claim.kind === 'claimed' ? claim.cardKey : undefined;
      expect(keys).toContainEqual(cardKey);
      expect(deposits).toStrictEqual(keys.map(() => ({ kind: 'key', key: cardKey })));
    });

    it('keys of a payment and of a check under one id are kept apart', async () => {
      const payment = await left(anEntry());
      const check = { ...payment, operation: 'pan-eligibility' as const };
      expect(await keeping.depot.deposit(check, second)).toStrictEqual({ kind: 'key', key: second });
      expect(await keeping.ledger.claim(payment)).toStrictEqual({ kind: 'claimed', cardKey: first });
    });

    it.each<[state: LedgerEntry['state']]>([
      ['submitting'],
      ['in-doubt'],
      ['accepted'],
      ['approved'],
      ['declined'],
      ['cancelled'],
    ])('no key is left for an order that is %s', async (state) => {
      const entry = anEntry({ state });
      await keeping.ledger.claim(entry);
      expect(await keeping.depot.deposit(entry, first)).toStrictEqual({ kind: 'closed' });
      expect(await keeping.rawTextOf(entry.key)).not.toContain(first.secret);
    });

    it('no key is left for an order that is held for another reason', async () => {
      const entry = anEntry();
      await keeping.ledger.claim(entry);
      await keeping.ledger.advance(entry, held(entry, 'NO_ANSWER'));
      expect(await keeping.depot.deposit(entry, first)).toStrictEqual({ kind: 'closed' });
    });

    describe('a key that is left beside an order that may be claimed anew', () => {
      async function waiting(): Promise<LedgerEntry> {
        const entry = anEntry();
        await keeping.ledger.claim(entry);
        const next = held(entry);
        await keeping.ledger.advance(entry, next);
        return next;
      }

      const again = (entry: LedgerEntry): LedgerEntry => ({
        ...moved(entry, { state: 'submitting', final: false, reason: 'claimed', nowMs: startMs + 30 }),
        owner: 'worker-2',
      });

      it('shows its id there, never itself, and leaves the order as it was', async () => {
        const entry = await left(await waiting());
        const stands = found({ ...entry, cardKeyId: first.id });
        expect(await keeping.ledger.read(entry.key)).toStrictEqual(stands);
        expect(JSON.stringify(await keeping.ledger.read(entry.key), (_, it) => String(it))).not.toContain(first.secret);
        expect(await keeping.depot.deposit(entry, second)).toStrictEqual({ kind: 'key', key: first });
      });

      it('is handed to the claim that takes the order over, and destroyed', async () => {
        const entry = await left(await waiting());
        const claim = again({ ...entry, cardKeyId: first.id });
        expect(await keeping.ledger.advance(entry, claim)).toStrictEqual({ kind: 'advanced', cardKey: first });
        expect(await keeping.ledger.read(entry.key)).toStrictEqual(found(claim));
        expect(await keeping.rawTextOf(entry.key)).not.toContain(first.secret);
      });

      it('is destroyed by any other move too, and handed to nobody', async () => {
        const entry = await left(await waiting());
        const released = moved(entry, { state: 'failed', final: true, reason: 'released', nowMs: startMs + 30 });
        expect(await keeping.ledger.advance(entry, released)).toStrictEqual({ kind: 'advanced' });
        expect(await keeping.rawTextOf(entry.key)).not.toContain(first.secret);
      });

      it('stays while a result is marked and unmarked', async () => {
        const entry = await left(await waiting());
        await keeping.ledger.markUnpublished(entry, true);
        await keeping.ledger.markUnpublished(entry, false);
        expect(await keeping.ledger.advance(entry, again(entry))).toStrictEqual({ kind: 'advanced', cardKey: first });
      });

      it('may be left beside orders that failed, or come back to be sent', async () => {
        for (const state of ['failed', 'retryable'] as const) {
          const entry = anEntry();
          await keeping.ledger.claim(entry);
          const next = moved(entry, { state, final: state === 'failed', reason: 'NOT_SENT', nowMs: startMs + 20 });
          await keeping.ledger.advance(entry, next);
          await left(next);
          expect(await keeping.ledger.advance(next, again(next))).toStrictEqual({ kind: 'advanced', cardKey: first });
        }
      });
    });
  });
}
