// What lib/payout/ports.ts promises of a ledger, as stories. Whoever writes another ledger runs this suite on it: each
// promise that breaks here is an order that can be paid twice or an answer that can be lost.
import { beforeAll, describe, expect, it } from 'vitest';
import type { Ledger } from '../../lib/payout/ports.ts';
import { type LedgerEntry, moved } from '../../lib/payout/ledger.ts';
import { looked } from '../../lib/payout/due-work.ts';
import { anEntry, theLargestEntry } from '../support/ledger-entries.ts';
import { startMs } from '../support/time-and-chance.ts';

const found = (entry: LedgerEntry) => ({ kind: 'found', entry });

/** The entry after the gateway took the order. */
function accepted(entry: LedgerEntry): LedgerEntry {
  const move = { state: 'accepted', final: true, reason: 'accepted', nowMs: startMs + 1_500 } as const;
  return moved(entry, { ...move, gatewayOrderId: '9000123' });
}

/** The entry after a connection that was never made. */
function retryable(entry: LedgerEntry): LedgerEntry {
  const failure = { code: 'NOT_SENT', message: 'no connection (ECONNREFUSED)' } as const;
  return moved(entry, { state: 'retryable', final: false, reason: 'NOT_SENT', nowMs: startMs + 20, failure });
}

/** Runs the suite; every story brings an order id of its own, so one ledger serves them all. */
export function describeLedger(name: string, makeLedger: () => Ledger | Promise<Ledger>): void {
  describe(`the ledger promises of ${name}`, () => {
    let ledger: Ledger;

    beforeAll(async () => {
      ledger = await makeLedger();
    });

    /** An order that stands as the given entry. */
    async function claimed(entry = anEntry()): Promise<LedgerEntry> {
      expect(await ledger.claim(entry)).toStrictEqual({ kind: 'claimed' });
      return entry;
    }

    async function advanced(expected: LedgerEntry, next: LedgerEntry): Promise<LedgerEntry> {
      expect(await ledger.advance(expected, next)).toStrictEqual({ kind: 'advanced' });
      return next;
    }

    const standing = (entry: LedgerEntry) => ledger.read(entry.key);

    describe('a claim', () => {
      it('takes an order that nobody has', async () => {
        const entry = await claimed();
        expect(await standing(entry)).toStrictEqual(found(entry));
      });

      it('has exactly one winner, however many claim at once; the others are told who won', async () => {
        const entry = anEntry();
        const contenders = Array.from({ length: 12 }, (_, index) => ({ ...entry, owner: `worker-${index}` }));
        const ends = await Promise.all(contenders.map((contender) => ledger.claim(contender)));
        const winners = contenders.filter((_, index) => ends[index]?.kind === 'claimed');
        expect(winners).toHaveLength(1);
        const [winner = entry] = winners;
        expect(ends.filter((end) => end.kind !== 'claimed')).toStrictEqual(Array(11).fill(found(winner)));
        expect(await standing(entry)).toStrictEqual(found(winner));
      });

      it('whose answer was lost is asked again and finds its own write', async () => {
        const entry = await claimed();
        expect(await ledger.claim(entry)).toStrictEqual(found(entry));
      });

      it('that comes later is told where the order stands, and changes nothing', async () => {
        const first = await claimed();
        const stands = await advanced(first, accepted(first));
        const later = { ...first, owner: 'worker-2', messageId: 'message-2' };
        expect(await ledger.claim(later)).toStrictEqual(found(stands));
        expect(await standing(first)).toStrictEqual(found(stands));
      });
    });

    describe('a move', () => {
      it('is written over the entry it expects', async () => {
        const first = await claimed();
        const next = await advanced(first, accepted(first));
        expect(await standing(first)).toStrictEqual(found(next));
      });

      it('takes away what the next entry no longer has', async () => {
        const first = await claimed(anEntry({ gatewayOrderId: '9000123', unpublished: true }));
        const told = await advanced(first, { ...retryable(first), unpublished: true });
        const { failure: _1, gatewayOrderId: _2, unpublished: _3, ...bare } = told;
        const again: LedgerEntry = { ...bare, state: 'submitting', revision: 3, owner: 'worker-2' };
        await advanced(told, again);
        expect(await standing(first)).toStrictEqual(found(again));
      });

      it.each<[what: string, stale: Partial<LedgerEntry>]>([
        ['state', { state: 'retryable' }],
        ['owner', { owner: 'worker-2' }],
        ['revision', { revision: 2 }],
      ])('that expects another %s is refused and told what stands', async (_, stale) => {
        const entry = await claimed();
        expect(await ledger.advance({ ...entry, ...stale }, accepted(entry))).toStrictEqual(found(entry));
        expect(await standing(entry)).toStrictEqual(found(entry));
      });

      it('whose answer was lost is asked again and finds its own write', async () => {
        const entry = await claimed();
        const next = await advanced(entry, accepted(entry));
        expect(await ledger.advance(entry, next)).toStrictEqual(found(next));
      });

      it('has exactly one winner, however many start from the same entry', async () => {
        const first = await claimed();
        const free = await advanced(first, retryable(first));
        const contenders = Array.from({ length: 12 }, (_, index) => ({
          ...moved(free, { state: 'submitting', final: false, reason: 'claimed', nowMs: startMs + 30 }),
          owner: `worker-${index}`,
        }));
        const ends = await Promise.all(contenders.map((contender) => ledger.advance(free, contender)));
        const winners = contenders.filter((_, index) => ends[index]?.kind === 'advanced');
        expect(winners).toHaveLength(1);
        expect(await standing(first)).toStrictEqual(found(winners[0] ?? first));
      });

      it('of an order that was never claimed fails: nothing is put in its place', async () => {
        const entry = anEntry();
        await expect(ledger.advance(entry, accepted(entry))).rejects.toThrow(/ledger/);
        expect(await standing(entry)).toBeUndefined();
      });
    });

    describe('a look at the gateway', () => {
      const inquiries = { count: 1, negatives: 1, firstNegativeAtMs: startMs + 60_000 };
      const once = (entry: LedgerEntry) => looked(entry, inquiries, { nowMs: startMs + 60_000, inSeconds: 120 });
      const twice = (entry: LedgerEntry) =>
        looked(entry, { ...inquiries, count: 2 }, { nowMs: startMs + 180_000, inSeconds: 240 });

      /** An order in doubt. */
      async function doubtful(): Promise<LedgerEntry> {
        const entry = await claimed();
        return advanced(
          entry,
          moved(entry, { state: 'in-doubt', final: false, reason: 'NO_ANSWER', nowMs: startMs + 20 }),
        );
      }

      it('is written without a new revision', async () => {
        const entry = await doubtful();
        const first = await advanced(entry, once(entry));
        expect(await standing(entry)).toStrictEqual(found(first));
        const second = await advanced(first, twice(first));
        expect(await standing(entry)).toStrictEqual(found(second));
        expect(second.revision).toBe(entry.revision);
      });

      it('is ended by the next move', async () => {
        const entry = await doubtful();
        const first = await advanced(entry, once(entry));
        const next = await advanced(first, accepted(first));
        expect(await standing(entry)).toStrictEqual(found(next));
        expect(next).not.toHaveProperty('looks');
      });

      it('does not wipe out a mark that was set meanwhile', async () => {
        const entry = await doubtful();
        await ledger.markUnpublished(entry, true);
        const marked = found({ ...entry, unpublished: true });
        expect(await ledger.advance(entry, once(entry))).toStrictEqual(marked);
        expect(await standing(entry)).toStrictEqual(marked);
      });

      it('does not set a mark again that was taken away meanwhile', async () => {
        const entry = await doubtful();
        await ledger.markUnpublished(entry, true);
        const marked: LedgerEntry = { ...entry, unpublished: true };
        await ledger.markUnpublished(entry, false);
        expect(await ledger.advance(marked, once(marked))).toStrictEqual(found(entry));
      });

      it('does not overwrite a look that was counted meanwhile', async () => {
        const entry = await doubtful();
        const first = await advanced(entry, once(entry));
        expect(await ledger.advance(entry, once(entry))).toStrictEqual(found(first));
        const second = await advanced(first, twice(first));
        expect(await ledger.advance(first, twice(first))).toStrictEqual(found(second));
      });

      it('may be followed by a move that does not know of it', async () => {
        const entry = await doubtful();
        await advanced(entry, once(entry));
        const next = await advanced(entry, accepted(entry));
        expect(await standing(entry)).toStrictEqual(found(next));
      });
    });

    describe('what was written', () => {
      it('comes back whole: every field, at its limit', async () => {
        const entry = await claimed(theLargestEntry());
        expect(await standing(entry)).toStrictEqual(found(entry));
      });

      it('comes back without the fields that it does not have', async () => {
        const { money: _, ...check } = anEntry({ operation: 'pan-eligibility', orderId: 'CHK-1' });
        expect(Object.keys(check)).not.toContain('failure');
        await claimed(check);
        expect(await standing(check)).toStrictEqual(found(check));
      });

      it('of a check comes back as its payment, once that has claimed it', async () => {
        const check = await claimed(anEntry({ operation: 'payout-check' }));
        const paid = await advanced(check, { ...accepted(check), operation: 'payout-pay' });
        expect(await standing(check)).toStrictEqual(found(paid));
      });

      it('keeps an amount that no float can hold', async () => {
        const entry = await claimed(anEntry({ money: { currency: 'EUR', minorUnits: 9_007_199_254_740_993n } }));
        const read = await standing(entry);
        expect(read?.kind === 'found' && read.entry.money?.minorUnits).toBe(9_007_199_254_740_993n);
      });

      it('keeps a check and a payment of one order id apart', async () => {
        const orderId = `BOTH-${anEntry().orderId}`;
        const payment = await claimed(anEntry({ orderId }));
        const check = await claimed(anEntry({ operation: 'pan-eligibility', orderId }));
        const paid = await advanced(payment, accepted(payment));
        expect(await standing(payment)).toStrictEqual(found(paid));
        expect(await standing(check)).toStrictEqual(found(check));
      });

      it('keeps two merchants with one order id apart', async () => {
        const { orderId } = await claimed();
        const other = await claimed(anEntry({ orderId, merchant: 'acme-us' }));
        expect(await standing(other)).toStrictEqual(found(other));
      });

      it('is nothing where nothing was written', async () => {
        expect(await standing(anEntry())).toBeUndefined();
      });
    });

    describe('a word of the gateway that fits nowhere', () => {
      it('is kept once, whatever moves the order at the same time', async () => {
        const entry = await claimed();
        expect(await ledger.recordSurprise(entry.key, 'approved 2')).toBe('recorded');
        const next = await advanced(entry, accepted(entry));
        expect(await ledger.recordSurprise(entry.key, 'approved 2')).toBe('known');
        expect(await ledger.recordSurprise(entry.key, 'approved 1')).toBe('recorded');
        expect(await standing(entry)).toStrictEqual(found({ ...next, surprises: ['approved 1', 'approved 2'] }));
      });

      it('is counted beyond the eighth', async () => {
        const entry = await claimed();
        const words = Array.from({ length: 10 }, (_, index) => `word ${index}`);
        for (const word of words.slice(0, 8)) expect(await ledger.recordSurprise(entry.key, word)).toBe('recorded');
        for (const word of words.slice(8)) expect(await ledger.recordSurprise(entry.key, word)).toBe('counted');
        expect(await ledger.recordSurprise(entry.key, 'word 0')).toBe('known');
        expect(await standing(entry)).toStrictEqual(
          found({ ...entry, surprises: words.slice(0, 8), moreSurprises: 2 }),
        );
      });

      it('makes no entry out of nothing', async () => {
        const entry = anEntry();
        expect(await ledger.recordSurprise(entry.key, 'approved 1')).toBe('none');
        expect(await standing(entry)).toBeUndefined();
      });
    });

    describe('the mark of a result still to publish', () => {
      it('is set and taken away without a new revision', async () => {
        const entry = await claimed();
        const stands = await advanced(entry, accepted(entry));
        await ledger.markUnpublished(stands, true);
        expect(await standing(entry)).toStrictEqual(found({ ...stands, unpublished: true }));
        await ledger.markUnpublished(stands, false);
        expect(await standing(entry)).toStrictEqual(found(stands));
      });

      it('may be set and taken away twice', async () => {
        const entry = await claimed();
        for (const unpublished of [true, true, false, false]) await ledger.markUnpublished(entry, unpublished);
        expect(await standing(entry)).toStrictEqual(found(entry));
      });

      it('does not hinder the next move, which ends it', async () => {
        const entry = await claimed();
        await ledger.markUnpublished(entry, true);
        const next = await advanced(entry, accepted(entry));
        expect(await standing(entry)).toStrictEqual(found(next));
      });

      it.each([true, false])('is left as it is once the order has moved on (set: %s)', async (unpublished) => {
        const entry = await claimed();
        const stands = await advanced(entry, accepted(entry));
        await ledger.markUnpublished(stands, !unpublished);
        const before = await standing(entry);
        await ledger.markUnpublished(entry, unpublished);
        expect(await standing(entry)).toStrictEqual(before);
      });

      it('makes no entry out of nothing', async () => {
        const entry = anEntry();
        await ledger.markUnpublished(entry, true);
        expect(await standing(entry)).toBeUndefined();
      });
    });
  });
}
