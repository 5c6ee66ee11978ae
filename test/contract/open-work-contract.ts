// What lib/payout/due-work.ts promises of the index of open work, as stories over a ledger and its index. What is not
// found here stands still for ever, unless somebody happens to send it again.
import { beforeEach, describe, expect, it } from 'vitest';
import { type DueWork, type DueWorkKind, looked, withMark } from '../../lib/payout/due-work.ts';
import type { Ledger } from '../../lib/payout/ports.ts';
import { type LedgerEntry, moved, type OrderState } from '../../lib/payout/ledger.ts';
import { anEntry } from '../support/ledger-entries.ts';
import { startMs } from '../support/time-and-chance.ts';

const kinds: readonly DueWorkKind[] = ['submitting', 'in-doubt', 'accepted', 'overdue', 'held', 'unpublished'];
const ever = Number.MAX_SAFE_INTEGER;

/** Runs the suite; each story has an empty ledger. */
export function describeOpenWork(name: string, makeLedger: () => Promise<Ledger & DueWork>): void {
  describe(`the open work that ${name} promises to find`, () => {
    let ledger: Ledger & DueWork;

    beforeEach(async () => {
      ledger = await makeLedger();
    });

    async function claimed(changes: Partial<LedgerEntry> = {}): Promise<LedgerEntry> {
      const entry = anEntry(changes);
      await ledger.claim(entry);
      return entry;
    }

    async function movedTo(state: OrderState, entry?: LedgerEntry, final = false): Promise<LedgerEntry> {
      const from = entry ?? (await claimed());
      const next = moved(from, { state, final, reason: 'x', nowMs: startMs + 1_000 });
      await ledger.advance(from, next);
      return next;
    }

    async function found(kind: DueWorkKind, beforeMs = ever): Promise<LedgerEntry[]> {
      const entries: LedgerEntry[] = [];
      for await (const entry of ledger.dueWork(kind, beforeMs)) entries.push(entry);
      return entries;
    }

    async function kindsOf(entry: LedgerEntry): Promise<DueWorkKind[]> {
      const listed = await Promise.all(kinds.map((kind) => found(kind)));
      return kinds.filter((_, place) => listed[place]?.some(({ key }) => key === entry.key));
    }

    it('is each open order under its own kind, whole', async () => {
      const open = {
        submitting: await claimed(),
        'in-doubt': await movedTo('in-doubt'),
        accepted: await movedTo('accepted'),
        held: await movedTo('held'),
      };
      for (const [kind, entry] of Object.entries(open)) {
        expect(await found(kind as DueWorkKind)).toStrictEqual([entry]);
      }
    });

    it('is an accepted order past its horizon apart from the others, until it moves', async () => {
      const accepted = await movedTo('accepted');
      const overdue = looked(
        { ...accepted, overdue: true },
        { count: 1, negatives: 0 },
        { nowMs: startMs, inSeconds: 60 },
      );
      await ledger.advance(accepted, overdue);
      expect(await kindsOf(overdue)).toEqual(['overdue']);
      expect(await found('overdue')).toStrictEqual([overdue]);
      const approved = await movedTo('approved', overdue, true);
      expect(await kindsOf(approved)).toEqual([]);
      expect(await ledger.read(approved.key)).toStrictEqual({ kind: 'found', entry: approved });
    });

    it('is no order that has come to its end, or waits for its message', async () => {
      const ended = [
        await movedTo('accepted', undefined, true),
        await movedTo('approved', await movedTo('accepted'), true),
        await movedTo('declined', undefined, true),
        await movedTo('failed', undefined, true),
        await movedTo('retryable'),
      ];
      for (const entry of ended) expect(await kindsOf(entry)).toEqual([]);
    });

    it('moves with its order from kind to kind, and out', async () => {
      const submitting = await claimed();
      expect(await kindsOf(submitting)).toEqual(['submitting']);
      const doubtful = await movedTo('in-doubt', submitting);
      expect(await kindsOf(doubtful)).toEqual(['in-doubt']);
      const held = await movedTo('held', doubtful);
      expect(await kindsOf(held)).toEqual(['held']);
      const accepted = await movedTo('accepted', held);
      expect(await kindsOf(accepted)).toEqual(['accepted']);
      const approved = await movedTo('approved', accepted, true);
      expect(await kindsOf(approved)).toEqual([]);
    });

    it('is what is due before the moment given, and nothing else', async () => {
      const { leaseUntilMs } = await claimed();
      const dueAtMs = leaseUntilMs + 120_000;
      expect(await found('submitting', dueAtMs)).toEqual([]);
      expect(await found('submitting', dueAtMs + 1)).toHaveLength(1);
    });

    it('is due anew after each look', async () => {
      const doubtful = await movedTo('in-doubt');
      const inquiries = { count: 1, negatives: 1, firstNegativeAtMs: startMs + 61_000 };
      const next = looked(doubtful, inquiries, { nowMs: startMs + 61_000, inSeconds: 3_600 });
      await ledger.advance(doubtful, next);
      expect(await found('in-doubt', startMs + 61_000 + 3_600_000)).toEqual([]);
      expect(await found('in-doubt', startMs + 61_000 + 3_600_001)).toStrictEqual([next]);
    });

    it('is an untold result under its own kind until it is told, whatever its order', async () => {
      const doubtful = await movedTo('in-doubt');
      await ledger.markUnpublished(doubtful, true);
      expect(await kindsOf(doubtful)).toEqual(['unpublished']);
      await ledger.markUnpublished(doubtful, false);
      expect(await kindsOf(doubtful)).toEqual(['in-doubt']);

      const from = await movedTo('accepted');
      const approved = moved(from, { state: 'approved', final: true, reason: 'x', nowMs: startMs + 2_000 });
      await ledger.advance(from, withMark(approved, true));
      expect(await found('unpublished', startMs + 122_000)).toEqual([]);
      expect(await found('unpublished', startMs + 122_001)).toStrictEqual([withMark(approved, true)]);
      await ledger.markUnpublished(approved, false);
      expect(await kindsOf(approved)).toEqual([]);
    });

    it('is in exactly one of so many parts', async () => {
      const orders = await Promise.all(Array.from({ length: 60 }, () => claimed()));
      const parts: string[][] = [];
      for (let part = 0; part < 4; part += 1) {
        const keys: string[] = [];
        for await (const { key } of ledger.dueWork('submitting', ever, { part: { part, of: 4 } })) keys.push(key);
        parts.push(keys);
      }
      expect(parts.flat().toSorted()).toEqual(orders.map(({ key }) => key).toSorted());
      for (const keys of parts) expect(keys.length).toBeGreaterThan(0);
    });

    it('is all of it, however much', async () => {
      const orders = await Promise.all(Array.from({ length: 60 }, () => claimed()));
      const keys = (await found('submitting')).map(({ key }) => key);
      expect(keys.toSorted()).toEqual(orders.map(({ key }) => key).toSorted());
    });
  });
}
