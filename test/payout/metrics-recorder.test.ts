// What is counted of an order's way, and what is not: a move once, when the ledger has taken it.
import { describe, expect, it } from 'vitest';
import type { Ledger } from '../../lib/payout/ports.ts';
import { countedLedger, createMetricsRecorder } from '../../lib/payout/metrics-recorder.ts';
import { type LedgerEntry, moved } from '../../lib/payout/ledger.ts';
import { looked } from '../../lib/payout/due-work.ts';
import { anEntry } from '../support/ledger-entries.ts';
import { startMs } from '../support/time-and-chance.ts';
import { aWorld } from '../support/world.ts';

const none = { values: {}, perCurrency: new Map() };
const doubtful = anEntry({ orderId: 'INV-1', state: 'in-doubt', revision: 2 });
const approved = moved(doubtful, { state: 'approved', final: true, reason: 'x', nowMs: startMs });
const calledOff = anEntry({ orderId: 'INV-1', state: 'cancelled', final: true });
const newer = async () => ({ kind: 'unreadable', reason: 'newer' }) as const;

/** A ledger in which this stands, and what is counted of its moves. */
function aCountedLedger(stands?: LedgerEntry, changes: Partial<Ledger> = {}) {
  const world = aWorld();
  if (stands) world.entries.set(stands.key, stands);
  const tally = createMetricsRecorder();
  return { ledger: countedLedger({ ...world.ledger, ...changes }, tally), tally };
}

describe('an order that came into a state', () => {
  it('is counted with its money', () => {
    const tally = createMetricsRecorder();
    tally.moved(approved);
    tally.moved(approved);
    const perCurrency = new Map([['EUR', { moneyApproved: 20.84 }]]);
    expect(tally.taken()).toEqual({ values: { becameApproved: 2 }, perCurrency });
  });

  it('counts its failure once, whether it ended by it or waits to be sent again', () => {
    const failure = { code: 'AUTHENTICATION', message: 'refused' } as const;
    for (const state of ['failed', 'retryable'] as const) {
      const tally = createMetricsRecorder();
      tally.moved(anEntry({ state, failure }));
      expect(tally.taken().values).toMatchObject({ signatureRefusals: 1 });
    }
  });

  it('without money is counted alone', () => {
    const { money: _, ...check } = anEntry({ operation: 'pan-eligibility', state: 'accepted', final: true });
    const tally = createMetricsRecorder();
    tally.moved(check);
    expect(tally.taken()).toEqual({ values: { becameAccepted: 1 }, perCurrency: new Map() });
  });

  it('by a check moves no money, and a validated one waits for nobody', () => {
    const tally = createMetricsRecorder();
    const failure = { code: 'CHECK_VALIDATED', message: 'checked' } as const;
    tally.moved(anEntry({ operation: 'payout-check', state: 'accepted' }));
    tally.moved(anEntry({ operation: 'payout-check', state: 'held', failure }));
    expect(tally.taken()).toEqual({ values: { becameAccepted: 1 }, perCurrency: new Map() });
  });
});

describe('a claim', () => {
  it('that ends an order before it was sent is counted', async () => {
    const { ledger, tally } = aCountedLedger();
    await ledger.claim(calledOff);
    expect(tally.taken().values).toEqual({ becameCancelled: 1 });
  });

  it('that finds the order there already is not', async () => {
    const { ledger, tally } = aCountedLedger(doubtful);
    expect(await ledger.claim(calledOff)).toMatchObject({ kind: 'found' });
    expect(tally.taken()).toEqual(none);
  });
});

describe('a write', () => {
  it('that moves the order is counted', async () => {
    const { ledger, tally } = aCountedLedger(doubtful);
    await ledger.advance(doubtful, approved);
    expect(tally.taken().values).toEqual({ becameApproved: 1 });
  });

  it('that somebody else was faster than is not', async () => {
    const { ledger, tally } = aCountedLedger(approved);
    expect(await ledger.advance(doubtful, approved)).toMatchObject({ kind: 'found' });
    expect(tally.taken()).toEqual(none);
  });

  it('over what newer code wrote is not', async () => {
    const { ledger, tally } = aCountedLedger(doubtful, { advance: newer });
    await ledger.advance(doubtful, approved);
    expect(tally.taken()).toEqual(none);
  });

  it('that counts a look alone is not: the order is where it was', async () => {
    const { ledger, tally } = aCountedLedger(doubtful);
    const once = looked(doubtful, { count: 1, negatives: 0 }, { nowMs: startMs, inSeconds: 60 });
    expect(await ledger.advance(doubtful, once)).toMatchObject({ kind: 'advanced' });
    expect(tally.taken()).toEqual(none);
  });
});
