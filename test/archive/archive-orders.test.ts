// The archiver, told as stories: what it stores, what it leaves, and what a worker then says of an order that is asked for again.
import { describe, expect, it } from 'vitest';
import { type ArchivePorts, archiveOrders, isDue, remainderOf } from '../../lib/archive/archive-orders.ts';
import { type LedgerEntry, moved } from '../../lib/payout/ledger.ts';
import { resultOf } from '../../lib/payout/result.ts';
import { anEntry } from '../support/ledger-entries.ts';
import { createMemoryArchivable, createMemoryArchive } from '../support/memory-archive.ts';
import { createManualClock, startMs } from '../support/time-and-chance.ts';

const dayMs = 86_400_000;
const twoYearsLater = startMs + 730 * dayMs;

function anEnded(orderId: string, changes: Partial<LedgerEntry> = {}): LedgerEntry {
  const history = [{ state: 'approved', atMs: startMs, attempts: 1, reason: 'approved' }] as const;
  return { ...anEntry({ orderId, state: 'approved', final: true, revision: 3, history, ...changes }) };
}

function anArchiver(...orders: LedgerEntry[]) {
  const entries = new Map(orders.map((entry) => [entry.key, entry]));
  const objects = new Map<string, readonly string[]>();
  const clock = createManualClock(twoYearsLater);
  const log: object[] = [];
  const ports: ArchivePorts = {
    ledger: createMemoryArchivable(entries),
    archive: createMemoryArchive(objects),
    isLedger: async () => true,
    afterDays: 400,
    clock,
    log: { write: (level, event, fields) => void log.push({ level, event, ...fields }) },
  };
  const run = (other: Partial<ArchivePorts> = {}, forMs = 890_000) =>
    archiveOrders(clock.nowMs() + forMs, { ...ports, ...other });
  return { entries, objects, clock, log, ports, run };
}

describe('an order that ended long ago', () => {
  it('is stored whole, and cut down to what must never be forgotten', async () => {
    const order = anEnded('INV-7', { context: '{"invoice":"7"}', gatewayOrderId: '9000123', note: 'by hand' });
    const { run, entries, objects, log } = anArchiver(order);
    expect(await run()).toBe(1);
    const [[id, lines] = ['', []]] = objects;
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({
      version: 1,
      key: 'acme-eu/INV-7',
      result: { resultId: 'acme-eu/INV-7/3', status: 'approved', context: { invoice: '7' } },
      item: { messageId: 'message-1', note: 'by hand' },
    });
    expect(entries.get(order.key)).toMatchObject({ owner: '', messageId: '', archive: { id, revision: 3 } });
    expect(entries.get(order.key)).not.toHaveProperty('note');
    expect(log).toEqual([{ level: 'info', event: 'orders-archived', records: 1, failedRecords: 0 }]);
  });

  it('is told as it always was: the same result, to the last byte', async () => {
    const order = anEnded('INV-7', {
      context: '{"invoice":"7"}',
      batchId: 'monday',
      gatewayAmount: '10.43 EUR',
      reversal: { type: 'chargeback', status: 'approved', atMs: startMs },
    });
    const { run, entries } = anArchiver(order);
    await run();
    const left = entries.get(order.key);
    expect(left && JSON.stringify(resultOf(left))).toBe(JSON.stringify(resultOf(order)));
  });

  it('is archived again once late truth has moved what is left, and says where the rest is', async () => {
    const { run, entries, objects, clock } = anArchiver(anEnded('INV-7'));
    await run();
    const left = entries.get('acme-eu/INV-7') ?? anEntry();
    const declined = moved(left, { state: 'declined', final: true, reason: 'declined', nowMs: clock.nowMs() });
    entries.set(left.key, declined);
    expect(await run()).toBe(0);
    clock.advance(400 * dayMs);
    expect(await run()).toBe(1);
    const [before] = objects.keys();
    expect([...objects.values()].at(-1)?.map((line) => JSON.parse(line))).toMatchObject([{ before }]);
  });
});

describe('left as they are', () => {
  it.each<[what: string, order: LedgerEntry]>([
    ['an order that ended less than 400 days ago', anEnded('INV-7', { updatedAtMs: twoYearsLater - 400 * dayMs + 1 })],
    ['an open order, however old', anEntry({ state: 'in-doubt' })],
    ['one that waits for a person', anEntry({ state: 'held' })],
    ['one whose end was never told', anEnded('INV-7', { unpublished: true })],
  ])('%s', async (_, order) => {
    const { run, entries, objects } = anArchiver(order);
    expect(await run()).toBe(0);
    expect(isDue(order, twoYearsLater, 400)).toBe(false);
    expect([entries.get(order.key), objects.size]).toEqual([order, 0]);
  });

  it('all of them, in a table that is another’s copy or may have forgotten what it sent', async () => {
    const { run, objects } = anArchiver(anEnded('INV-7'));
    expect(await run({ isLedger: async () => false })).toBe(0);
    expect(objects.size).toBe(0);
  });

  it('all of them, while the archive does not say that it has them; and somebody hears of it', async () => {
    const { run, entries, ports } = anArchiver(anEnded('INV-7'));
    const silent = { store: () => Promise.reject(new Error('no answer')) };
    await expect(run({ archive: silent })).rejects.toThrow('no answer');
    expect(entries.get('acme-eu/INV-7')).not.toHaveProperty('archive');
    expect(await ports.ledger.mark()).toBeUndefined();
    expect(await run()).toBe(1);
  });

  it('one that changes between being read and being cut', async () => {
    const { run, entries, ports } = anArchiver(anEnded('INV-7'), anEnded('INV-8'));
    const changed = anEnded('INV-7', { state: 'declined', revision: 4 });
    const slow = {
      async store(lines: readonly string[]) {
        entries.set(changed.key, changed);
        return ports.archive.store(lines);
      },
    };
    expect(await run({ archive: slow })).toBe(1);
    expect(entries.get('acme-eu/INV-7')).toEqual(changed);
  });
});

describe('a run', () => {
  const many = Array.from({ length: 9 }, (_, at) => anEnded(`INV-${at}`));

  it('goes on where the last one stopped, and begins anew once it has seen all', async () => {
    const { run, ports, clock } = anArchiver(...many);
    // a page, and less than a page's time to walk on
    expect(await run({}, 300)).toBe(2);
    expect(await ports.ledger.mark()).toBe('acme-eu/INV-1');
    expect(await run()).toBe(7);
    expect(await ports.ledger.mark()).toBeUndefined();
    clock.advance(1);
    expect(await run()).toBe(0);
  });

  it('stores the orders of many pages as one object', async () => {
    const { run, objects } = anArchiver(...many);
    await run();
    expect([...objects.values()].map((lines) => lines.length)).toEqual([9]);
  });

  it('leaves to the next what a ledger in trouble did not take, and hears of one that takes nothing', async () => {
    const { run, ports, log } = anArchiver(...many);
    let calls = 0;
    const cutDown: typeof ports.ledger.cutDown = (...it) =>
      (calls += 1) === 3 ? Promise.reject(new Error('throttled')) : ports.ledger.cutDown(...it);
    expect(await run({ ledger: { ...ports.ledger, cutDown } })).toBe(8);
    expect(log).toMatchObject([{ records: 8, failedRecords: 1 }]);
    const never = { ...ports.ledger, cutDown: () => Promise.reject(new Error('AccessDenied')) };
    await expect(run({ ledger: never })).rejects.toThrow('AccessDenied');
    expect(await run()).toBe(1);
  });

  it('cuts nothing down after its time', async () => {
    const { run, ports, clock, entries } = anArchiver(...many);
    const slow = {
      async store(lines: readonly string[]) {
        clock.advance(900_000);
        return ports.archive.store(lines);
      },
    };
    expect(await run({ archive: slow })).toBe(0);
    expect([...entries.values()].filter(({ archive }) => archive)).toEqual([]);
  });

  it('takes the time to live away from what is not due yet', async () => {
    const young = anEnded('INV-7', { updatedAtMs: twoYearsLater });
    const kept: string[] = [];
    const { run, ports } = anArchiver(young);
    await run({
      ledger: {
        ...ports.ledger,
        page: async () => ({ orders: [{ entry: young, stored: '{}', expires: true }] }),
        keep: async ({ entry }) => void kept.push(entry.key),
      },
    });
    expect(kept).toEqual(['acme-eu/INV-7']);
  });
});

it('what is left says that it was in doubt once, and how it ended', () => {
  const line = (state: LedgerEntry['state'], reason: string) => ({ state, atMs: startMs, attempts: 1, reason });
  const history = [line('submitting', 'claimed'), line('in-doubt', 'NO_ANSWER'), line('held', 'horizon')];
  const ended = anEnded('INV-7', { history: [...history, line('failed', 'released-as-not-paid')] });
  expect(remainderOf(ended, 'it').history.map(({ reason }) => reason)).toEqual(['horizon', 'released-as-not-paid']);
  const reopened = anEnded('INV-8', { history: [...history, line('failed', 'adopted-3'), line('failed', 'reopened')] });
  expect(remainderOf(reopened, 'it').history.map(({ reason }) => reason)).toEqual(['horizon', 'adopted-3', 'reopened']);
});

it('what is left keeps the words that contradict its end, which may be the proof of a second payment', () => {
  const words = ['declined 9000002 at 2026-11-21T11:02:07.795Z'];
  expect(remainderOf(anEnded('INV-1', { surprises: words, moreSurprises: 2 }), 'an-object')).toMatchObject({
    surprises: words,
    moreSurprises: 2,
  });
});
