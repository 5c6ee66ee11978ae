// The ledger over a table that was copied or restored, verb by verb: what passes, what goes into doubt, what is refused.
// Every way to a POST leads through here; the stories are in test/journey/restored-ledger.test.ts.
import { beforeEach, describe, expect, it } from 'vitest';
import { createMemoryLedger } from '../support/memory-ledger.ts';
import { createMemoryRestoration } from '../support/memory-restoration.ts';
import { createMemoryControls } from '../support/memory-controls.ts';
import { controlsAfterRestore, ForeignLedgerError, ledgerAfterRestore } from '../../lib/restore/restored-ledger.ts';
import { type LedgerEntry, moved, type OrderState } from '../../lib/payout/ledger.ts';
import { cancelledBeforehand } from '../../lib/payout/release.ts';
import { anEntry } from '../support/ledger-entries.ts';
import { startMs } from '../support/time-and-chance.ts';

const minute = 60_000;
const sinceMs = startMs + 10 * minute;
const nowMs = startMs + 20 * minute;
const lost = { by: 'anna', reason: 'the table was deleted', atMs: 0 };

let entries: Map<string, LedgerEntry>;
let restoration: ReturnType<typeof createMemoryRestoration>;
beforeEach(() => {
  entries = new Map();
  restoration = createMemoryRestoration();
});
const ledger = () => ledgerAfterRestore(createMemoryLedger(entries), restoration);

const restore = () => restoration.begin({ toMs: startMs, sinceMs }, lost);
const handOver = () => restoration.handOver('payouts-prod-ledger-2', lost);

/** An entry that stands in the table; of before the gap unless it says otherwise. */
function standing(changes: Partial<LedgerEntry>): LedgerEntry {
  const entry = anEntry(changes);
  entries.set(entry.key, entry);
  return entry;
}

/** A claim, or an operator's word, over what stands. */
const over = (entry: LedgerEntry, state: OrderState) =>
  ({ ...moved(entry, { state, final: false, reason: 'x', nowMs }), owner: 'worker-2' }) as LedgerEntry;

const notBeforehand = { operation: 'payout', merchant: 'acme-eu', orderId: 'INV-1' } as const;
const cancelled = () => cancelledBeforehand({ ...notBeforehand, by: 'anna', reason: 'x', owner: 'desk', nowMs });

describe('a table that is the ledger', () => {
  it('is claimed, read and moved on as it is', async () => {
    const entry = anEntry();
    expect(await ledger().claim(entry)).toEqual({ kind: 'claimed' });
    const next = over(entry, 'retryable');
    expect(await ledger().advance(entry, next)).toEqual({ kind: 'advanced' });
    const again = over(next, 'submitting');
    expect(await ledger().advance(next, again)).toEqual({ kind: 'advanced' });
    expect(await ledger().read(entry.key)).toEqual({ kind: 'found', entry: again });
  });

  it('marks and unmarks results', async () => {
    const entry = standing({ state: 'approved' });
    await ledger().markUnpublished(entry, true);
    expect(entries.get(entry.key)).toMatchObject({ unpublished: true });
  });
});

describe('a table that is another’s', () => {
  it('is neither claimed nor read, and says whose it is and what to do', async () => {
    await handOver();
    const says =
      'the table is the ledger of payouts-prod-ledger-2; after a restore, say: `npx payouts restore begin --to TIME --reason WHY`';
    const claim = ledger().claim(anEntry());
    await expect(claim).rejects.toThrow(ForeignLedgerError);
    await expect(claim).rejects.toMatchObject({ code: 'LEDGER_FOREIGN', message: says });
    await expect(ledger().read('acme-eu/INV-1')).rejects.toThrow(says);
    expect(entries.size).toBe(0);
  });

  it.each<OrderState>(['retryable', 'in-doubt', 'held', 'failed'])('moves on no order that is %s', async (state) => {
    const entry = standing({ state });
    await handOver();
    await expect(ledger().advance(entry, over(entry, 'accepted'))).rejects.toThrow(ForeignLedgerError);
    expect(entries.get(entry.key)).toEqual(entry);
  });

  it('takes the answer of a claim that stands in it: nobody else has that answer', async () => {
    const entry = standing({ state: 'submitting' });
    await handOver();
    expect(await ledger().advance(entry, over(entry, 'accepted'))).toEqual({ kind: 'advanced' });
  });
});

describe('in a restored table a claim of an order that it does not know', () => {
  it('finds it in doubt, written there in the place of the claim', async () => {
    await restore();
    const claim = anEntry({ updatedAtMs: nowMs });
    const answer = await ledger().claim(claim);
    expect(answer).toMatchObject({ kind: 'found', entry: { state: 'in-doubt', attempts: 0 } });
    expect(answer).toEqual({ kind: 'found', entry: entries.get(claim.key) });
  });

  it('finds what somebody else has put there meanwhile', async () => {
    await restore();
    const stands = standing({ state: 'approved' });
    expect(await ledger().claim(anEntry({ orderId: stands.orderId }))).toEqual({ kind: 'found', entry: stands });
    expect(entries.get(stands.key)).toEqual(stands);
  });

  it('is a claim again once the restore is settled', async () => {
    await restore();
    await restoration.settle(lost);
    const claim = anEntry();
    expect(await ledger().claim(claim)).toEqual({ kind: 'claimed' });
    expect(entries.get(claim.key)).toEqual(claim);
  });

  it('is one where it is a check: that moves no money', async () => {
    await restore();
    expect(await ledger().claim(anEntry({ operation: 'pan-eligibility' }))).toEqual({ kind: 'claimed' });
  });

  it('calls off nothing that may have been sent, and says what must come first', async () => {
    await restore();
    expect(await ledger().claim(cancelled())).toEqual({
      kind: 'unreadable',
      reason: 'the ledger was restored and may have forgotten this order; end the restore first',
    });
    expect(entries.size).toBe(0);
    const stands = standing({ state: 'accepted', orderId: 'INV-1' });
    expect(await ledger().claim(cancelled())).toEqual({ kind: 'found', entry: stands });
  });

  it('calls off what is new once the restore is settled', async () => {
    await restore();
    await restoration.settle(lost);
    expect(await ledger().claim(cancelled())).toEqual({ kind: 'claimed' });
  });
});

describe('in a restored table an order that it calls never sent', () => {
  it.each<[OrderState, OrderState]>([
    ['retryable', 'submitting'],
    ['retryable', 'cancelled'],
    ['retryable', 'failed'],
    ['failed', 'submitting'],
    ['failed', 'cancelled'],
  ])('and that is %s goes into doubt where it would become %s', async (state, next) => {
    const entry = standing({ state, revision: 2 });
    await restore();
    const answer = await ledger().advance(entry, over(entry, next));
    expect(answer).toMatchObject({ kind: 'found', entry: { state: 'in-doubt', revision: 93_436_002 } });
    expect(answer).toEqual({ kind: 'found', entry: entries.get(entry.key) });
  });

  it.each<OrderState>(['accepted', 'approved'])('becomes %s where the gateway says so', async (state) => {
    const entry = standing({ state: 'failed' });
    await restore();
    const next = over(entry, state);
    expect(await ledger().advance(entry, next)).toEqual({ kind: 'advanced' });
    expect(entries.get(entry.key)).toEqual(next);
  });

  it('is believed where that was written after the gap', async () => {
    const entry = standing({ state: 'failed', updatedAtMs: sinceMs + minute });
    await restore();
    expect(await ledger().advance(entry, over(entry, 'submitting'))).toEqual({ kind: 'advanced' });
  });

  it('is as somebody has left it meanwhile, where somebody was first', async () => {
    const entry = anEntry({ state: 'failed' });
    const stands = standing({ ...entry, state: 'declined', revision: 2 });
    await restore();
    expect(await ledger().advance(entry, over(entry, 'submitting'))).toEqual({ kind: 'found', entry: stands });
  });
});

it('in a restored table doubt that an inquiry ends is ended: "never sent" is news of after the gap', async () => {
  const entry = standing({ state: 'in-doubt' });
  await restore();
  expect(await ledger().advance(entry, over(entry, 'failed'))).toEqual({ kind: 'advanced' });
});

describe('the controls', () => {
  it('are as they are while the table is the ledger, restored or not', async () => {
    const controls = controlsAfterRestore(createMemoryControls(), restoration);
    expect(await controls.of('acme-eu')).toEqual({ paused: false, batchCancelled: false, doubt: {} });
    await restore();
    expect(await controls.of('acme-eu')).toMatchObject({ paused: false });
  });

  it('let everybody wait while it is another’s, and still say what was called off', async () => {
    const controls = controlsAfterRestore(createMemoryControls(), restoration);
    await controls.cancelBatch('b-1', lost);
    await handOver();
    expect(await controls.of('acme-eu', 'b-1')).toEqual({ paused: true, batchCancelled: true, doubt: {} });
  });
});
