// How a row stands, over everything that the ledger can hold of it: no row is told an end that is another order's.
import { describe, expect, it } from 'vitest';
import type { BatchRow } from '../../lib/batches/batch.ts';
import { type RowRecord, rowStatusOf } from '../../lib/batches/batch-row.ts';
import type { RowNote } from '../../lib/payout/submit/note-row.ts';
import type { OrderView } from '../../lib/payout/order/projection.ts';
import { orderStates, type OrderState } from '../../lib/payout/order/states.ts';
import { aView } from '../support/orders.ts';

const batchId = 'payroll';
const row: BatchRow = { digest: 'd', orderKey: 'acme-eu/INV-1', money: { currency: 'EUR', minorUnits: 1042n } };
const reused: RowNote = { kind: 'refused', failure: { code: 'ORDER_ID_REUSED', message: 'used before' } };
const invalid: RowNote = { kind: 'refused', failure: { code: 'INVALID_MESSAGE', message: 'amount is zero' } };
const elsewhere: RowNote = { kind: 'elsewhere' };

/** Orders that may stand under the row's key, none of which is the row's own. */
const others: Readonly<Record<string, Partial<OrderView>>> = {
  'another batch': { batchId: 'earlier' },
  'no batch': {},
  'another amount': { batchId, money: { currency: 'EUR', minorUnits: 1043n } },
  'another currency': { batchId, money: { currency: 'USD', minorUnits: 1042n } },
};

function anOrder(state: OrderState, changes: Partial<OrderView> = { batchId }): OrderView {
  return aView({ state, orderId: 'INV-1', final: state === 'approved', ...changes });
}

const standing = (record: RowRecord) => rowStatusOf(row, batchId, record);

describe('a row of which the ledger holds', () => {
  it('nothing waits', () => {
    expect(standing({})).toMatchObject({ kind: 'open', state: 'waiting' });
    expect(standing({ note: elsewhere })).toMatchObject({ kind: 'open', state: 'waiting' });
  });

  it.each([
    ['submitting', undefined],
    ['retryable', undefined],
    ['in-doubt', undefined],
    ['held', 'held'],
    ['accepted', 'accepted'],
    ['approved', 'approved'],
    ['declined', 'declined'],
    ['failed', 'failed'],
    ['cancelled', 'cancelled'],
  ] as const)('its own order as %s stands as it does', (state, end) => {
    const entry = anOrder(state);
    expect(standing({ entry })).toEqual(
      end === undefined
        ? { kind: 'open', state, inDoubt: state === 'in-doubt', entry }
        : { kind: 'ended', end, final: state === 'approved', elsewhere: false, inDoubt: state === 'held', entry },
    );
    expect(standing({ entry, note: elsewhere })).toEqual(standing({ entry }));
    expect(standing({ entry, note: invalid })).toEqual(standing({ entry }));
  });

  it('its own order that was called off, and a refusal of other content under its name, is cancelled', () => {
    const record = { entry: anOrder('cancelled'), note: reused };
    expect(standing(record)).toMatchObject({ kind: 'ended', end: 'cancelled' });
  });

  it('its own order, and a refusal of other content under its name, is for a person', () => {
    for (const state of orderStates.filter((it) => it !== 'cancelled')) {
      expect(standing({ entry: anOrder(state), note: reused })).toMatchObject({
        kind: 'ended',
        end: 'held',
        final: false,
        elsewhere: false,
        failure: { code: 'ORDER_ID_REUSED' },
      });
    }
  });
});

describe.each(Object.entries(others))('a row whose order is of %s', (_, changes) => {
  it.each(orderStates)('and stands as %s: waits without a note, and is not paid by it', (state) => {
    expect(standing({ entry: anOrder(state, changes) })).toMatchObject({ kind: 'open', state: 'waiting' });
  });

  it.each(orderStates)('and stands as %s: has failed where it was refused', (state) => {
    for (const note of [reused, invalid]) {
      expect(standing({ entry: anOrder(state, changes), note })).toEqual({
        kind: 'ended',
        end: 'failed',
        final: true,
        elsewhere: false,
        inDoubt: false,
        failure: note.failure,
      });
    }
  });

  it.each(orderStates)('and stands as %s: stands like it where it is the same, and says so', (state) => {
    const entry = anOrder(state, changes);
    const own = standing({ entry: anOrder(state) });
    expect(standing({ entry, note: elsewhere })).toEqual({
      ...own,
      ...(own.kind === 'ended' && { elsewhere: true }),
      entry,
    });
  });
});
