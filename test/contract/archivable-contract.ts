// What lib/archive/archive-orders.ts promises of a ledger that is archived, as stories. A promise that breaks here is an order
// cut down over a later word of it, or one that is forgotten.
import { beforeAll, describe, expect, it } from 'vitest';
import { type ArchivableLedger, type EndedOrder, remainderOf } from '../../lib/archive/archive-orders.ts';
import { type LedgerEntry, moved } from '../../lib/payout/ledger.ts';
import type { Ledger } from '../../lib/payout/ports.ts';
import { resultOf } from '../../lib/payout/result.ts';
import { anEntry, theLargestEntry } from '../support/ledger-entries.ts';
import { startMs } from '../support/time-and-chance.ts';

/** A ledger as its two users meet it. */
export interface BothWays {
  readonly ledger: Ledger;
  readonly archivable: ArchivableLedger;
}

/** Runs the suite; the ledger may hold other orders. */
export function describeArchivable(name: string, make: () => Promise<BothWays>): void {
  describe(`a ledger that is archived, ${name}`, () => {
    let ledger: Ledger;
    let archivable: ArchivableLedger;
    beforeAll(async () => ({ ledger, archivable } = await make()));

    async function standsAs(...entries: readonly [LedgerEntry, ...LedgerEntry[]]): Promise<LedgerEntry> {
      let [stands] = entries;
      await ledger.claim(stands);
      for (const next of entries.slice(1)) {
        expect(await ledger.advance(stands, next)).toMatchObject({ kind: 'advanced' });
        stands = next;
      }
      return stands;
    }

    async function found(key: string): Promise<EndedOrder | undefined> {
      let next: string | undefined;
      do {
        const page = await archivable.page(next);
        const order = page.orders.find(({ entry }) => entry.key === key);
        if (order) return order;
        ({ next } = page);
      } while (next !== undefined);
      return undefined;
    }

    async function foundOne(key: string): Promise<EndedOrder> {
      const order = await found(key);
      if (!order) throw new Error(`${key} was not found`);
      return order;
    }

    const approved = (changes: Partial<LedgerEntry> = {}) => {
      const claimed = anEntry(changes);
      return [claimed, ended(claimed)] as const;
    };

    it('shows an ended order as it stands, and all that is stored of it', async () => {
      const entry = await standsAs(...approved());
      const order = await foundOne(entry.key);
      expect(order.entry).toStrictEqual(entry);
      expect(order.stored).toContain(entry.messageId);
    });

    it('shows neither what is open nor what is still to be told', async () => {
      const open = await standsAs(anEntry());
      const [claimed, ending] = approved();
      const untold = await standsAs(claimed, { ...ending, unpublished: true });
      expect(await found(open.key)).toBeUndefined();
      expect(await found(untold.key)).toBeUndefined();
    });

    it('cuts an order down: what is left is read as the same end, and is not shown again', async () => {
      const entry = await standsAs(...approved({ context: '{"invoice":"7"}', batchId: 'monday' }));
      const order = await foundOne(entry.key);
      const remainder = remainderOf(order.entry, 'an-object');
      expect(await archivable.cutDown(order, remainder)).toBe(true);
      const stands = await ledger.read(entry.key);
      expect(stands).toStrictEqual({ kind: 'found', entry: remainder });
      expect(stands?.kind === 'found' && resultOf(stands.entry)).toStrictEqual(resultOf(entry));
      expect(await found(entry.key)).toBeUndefined();
    });

    it('leaves what contradicts its end: it may be the proof of a second payment', async () => {
      const entry = await standsAs(...approved());
      await ledger.recordSurprise(entry.key, 'declined 9000002');
      const order = await foundOne(entry.key);
      expect(await archivable.cutDown(order, remainderOf(order.entry, 'an-object'))).toBe(true);
      expect(await ledger.read(entry.key)).toMatchObject({ entry: { surprises: ['declined 9000002'] } });
    });

    it('cuts the largest order down too', async () => {
      const claimed = { ...theLargestEntry(), state: 'submitting' as const };
      const entry = await standsAs(claimed, ended(claimed));
      const order = await foundOne(entry.key);
      expect(await archivable.cutDown(order, remainderOf(order.entry, 'an-object'))).toBe(true);
    });

    it('leaves an order that has changed since it was read', async () => {
      const entry = await standsAs(...approved());
      const order = await foundOne(entry.key);
      const declined = moved(entry, { state: 'declined', final: true, reason: 'declined', nowMs: startMs + 9_000 });
      expect(await ledger.advance(entry, declined)).toMatchObject({ kind: 'advanced' });
      expect(await archivable.cutDown(order, remainderOf(order.entry, 'an-object'))).toBe(false);
      expect(await ledger.read(entry.key)).toStrictEqual({ kind: 'found', entry: declined });
    });

    it('leaves an order about which the gateway has said another word since', async () => {
      const entry = await standsAs(...approved());
      const order = await foundOne(entry.key);
      expect(await ledger.recordSurprise(entry.key, 'approved 7')).toBe('recorded');
      expect(await archivable.cutDown(order, remainderOf(order.entry, 'an-object'))).toBe(false);
      expect(await ledger.read(entry.key)).toMatchObject({
        entry: { surprises: ['approved 7'], messageId: 'message-1' },
      });
    });

    it('leaves an order whose result became untold since', async () => {
      const entry = await standsAs(...approved());
      const order = await foundOne(entry.key);
      await ledger.markUnpublished(entry, true);
      expect(await archivable.cutDown(order, remainderOf(order.entry, 'an-object'))).toBe(false);
    });

    it('a repeat of a cut, however late, changes nothing', async () => {
      const entry = await standsAs(...approved());
      const order = await foundOne(entry.key);
      await archivable.cutDown(order, remainderOf(order.entry, 'the-first'));
      expect(await archivable.cutDown(order, remainderOf(order.entry, 'the-second'))).toBe(false);
      expect(await ledger.read(entry.key)).toMatchObject({ entry: { archive: { id: 'the-first' } } });
    });

    it('late truth moves what is left, which is shown again with the place of what is stored', async () => {
      const entry = await standsAs(...approved());
      const order = await foundOne(entry.key);
      const remainder = remainderOf(order.entry, 'an-object');
      await archivable.cutDown(order, remainder);
      const declined = moved(remainder, { state: 'declined', final: true, reason: 'declined', nowMs: startMs + 9_000 });
      expect(await ledger.advance(remainder, declined)).toMatchObject({ kind: 'advanced' });
      expect((await foundOne(entry.key)).entry).toStrictEqual(declined);
      expect(declined.archive).toStrictEqual({ id: 'an-object', revision: entry.revision });
    });

    it('remembers how far a walk came', async () => {
      await archivable.note('acme-eu/INV-7');
      expect(await archivable.mark()).toBe('acme-eu/INV-7');
      await archivable.note(undefined);
      expect(await archivable.mark()).toBeUndefined();
    });
  });
}

/** The entry after the gateway paid it. */
function ended(entry: LedgerEntry): LedgerEntry {
  const accepted = { state: 'accepted', final: false, reason: 'accepted', nowMs: startMs + 1_500 } as const;
  const approved = { state: 'approved', final: true, reason: 'approved', nowMs: startMs + 3_000 } as const;
  return moved(moved(entry, { ...accepted, gatewayOrderId: '9000123' }), approved);
}
