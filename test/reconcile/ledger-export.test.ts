// A line of the ledger's export: all that a merchant may see of an order, and nothing that is the worker's own.
import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { exportedOrder, exportedOrderSchema } from '../../lib/reconcile/ledger-export.ts';
import { type OrderView, orderStates } from '../../lib/payout/order/view.ts';
import { aView } from '../support/orders.ts';
import { startMs } from '../support/time-and-chance.ts';

const exported = (changes: Partial<OrderView> = {}) => exportedOrder(aView({ orderId: 'INV-1', ...changes }));

describe('the line of an order', () => {
  it('that was sent once says where it stands, and nothing of what has not come about', () => {
    expect(exported()).toStrictEqual({
      version: 1,
      key: 'acme-eu/INV-1',
      operation: 'payout',
      state: 'submitting',
      final: false,
      revision: 0,
      attempts: 1,
      endpointId: '39915',
      amount: '10.42',
      currency: 'EUR',
      moneyState: 'unknown',
      withoutResult: true,
      createdAt: '2026-11-21T10:00:00.000Z',
      sentAt: '2026-11-21T10:00:00.000Z',
      updatedAt: '2026-11-21T10:00:00.000Z',
    });
  });

  it('that has been through everything says all of it', () => {
    const failure = {
      code: 'GATEWAY_DECLINED',
      message: 'the bank refused it',
      gatewayCode: '12',
      httpStatus: 400,
    } as const;
    const changes = {
      state: 'declined',
      final: true,
      revision: 4,
      attempts: 2,
      gatewayOrderId: '777',
      failure,
      note: 'ada: asked the bank',
      batchId: 'payroll',
      unpublished: true,
      updatedAtMs: startMs + 1_500,
    } as const;
    const { withoutResult: _, ...before } = exported();
    expect(exported(changes)).toStrictEqual({
      ...before,
      state: 'declined',
      moneyState: 'declined',
      final: true,
      revision: 4,
      attempts: 2,
      gatewayOrderId: '777',
      failureCode: 'GATEWAY_DECLINED',
      failureMessage: 'the bank refused it',
      note: 'ada: asked the bank',
      batchId: 'payroll',
      untold: true,
      updatedAt: '2026-11-21T10:00:01.500Z',
    });
  });

  it('that was cancelled before its job came says that it has no result, as its endpoint and its money are not known', () => {
    const { money: _, ...nothing } = aView({ state: 'cancelled', beforehand: true, endpointId: '' });
    const line = exportedOrder({ ...nothing, attempts: 0 });
    expect(line).toMatchObject({ state: 'cancelled', withoutResult: true, attempts: 0 });
    for (const name of ['endpointId', 'amount', 'currency']) expect(line).not.toHaveProperty(name);
    // One that was cancelled after its job came, or that was adopted and is not cancelled, is an order like any other.
    expect(exported({ state: 'cancelled' })).not.toHaveProperty('withoutResult');
    expect(exported({ state: 'approved', beforehand: true })).not.toHaveProperty('withoutResult');
  });

  it.each<[string, Partial<OrderView>]>([
    ['unknown', { state: 'submitting' }],
    ['unknown', { state: 'in-doubt' }],
    ['unknown', { state: 'held', failure: { code: 'NO_ANSWER', message: '' } }],
    ['not sent', { state: 'held', failure: { code: 'CAP_EXCEEDED', message: '' } }],
    ['not sent', { state: 'held', failure: { code: 'NEW_CARD_DATA_NEEDED', message: '' } }],
    ['not sent', { state: 'retryable' }],
    ['not sent', { state: 'failed' }],
    ['not sent', { state: 'cancelled' }],
    ['accepted', { state: 'accepted' }],
    ['approved', { state: 'approved' }],
    ['declined', { state: 'declined' }],
    // No money moves by a check, whatever its state.
    ['no money', { state: 'accepted', operation: 'pan-eligibility' }],
    ['no money', { state: 'in-doubt', operation: 'pan-eligibility' }],
  ])('says that its money is %s: %j', (moneyState, changes) => {
    expect(exported(changes)).toMatchObject({ moneyState });
  });

  it('says how much of it was undone, where that is certain', () => {
    const undone = (type: string, status: string, amount?: string) =>
      exported({
        state: 'approved',
        reversal: { type, status, ...(amount !== undefined && { amount }), atMs: startMs },
      }).reversed;
    expect(undone('reversal', 'approved')).toBe('10.42');
    expect(undone('partial-reversal', 'approved', '4.00')).toBe('4.00');
    expect(undone('reversal', 'processing', '4.00')).toBeUndefined();
    expect(undone('dispute', 'approved')).toBeUndefined();
  });

  it('writes money with the digits of its currency', () => {
    expect(exported({ money: { currency: 'JPY', minorUnits: 1000n } })).toMatchObject({ amount: '1000' });
    expect(exported({ money: { currency: 'KWD', minorUnits: 5n } })).toMatchObject({ amount: '0.005' });
  });

  it('keeps what is the worker’s own, and the sender’s words, in the ledger', () => {
    const line = JSON.stringify(exported({ context: '{"invoice":"secret-7"}' }));
    expect(line).not.toMatch(/k1\.fingerprint|worker-1|message-1|secret-7|lease|history|claimed/i);
  });
});

describe('who reads the export', () => {
  it.each(orderStates)('takes the line of an order that is %s', (state) => {
    const line: unknown = JSON.parse(JSON.stringify(exported({ state, operation: 'pan-eligibility' })));
    expect(v.parse(exportedOrderSchema, line)).toEqual(line);
  });

  it.each([
    ['no key', { key: 'INV-1' }],
    ['a key without an order id', { key: 'acme-eu/' }],
    ['a state that is none', { state: 'paid' }],
    ['a revision before the first', { revision: -1 }],
    ['half an attempt', { attempts: 0.5 }],
    ['a time that is a number', { createdAt: startMs }],
    ['a time that is none', { createdAt: 'yesterday' }],
    ['no word about its money', { moneyState: 'paid' }],
    ['another version', { version: 2 }],
  ])('takes no line with %s', (_, changes) => {
    expect(v.is(exportedOrderSchema, { ...exported(), ...changes })).toBe(false);
  });
});
