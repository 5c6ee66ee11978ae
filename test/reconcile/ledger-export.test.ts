// A line of the ledger's export: all that a merchant may see of an order, and nothing that is the worker's own.
import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { exportedOrder, exportedOrderSchema } from '../../lib/reconcile/ledger-export.ts';
import { type LedgerEntry, moves, type OrderState } from '../../lib/payout/ledger.ts';
import { anEntry } from '../support/ledger-entries.ts';
import { startMs } from '../support/time-and-chance.ts';
import { unknownContent } from '../../lib/payout/fingerprint.ts';

const exported = (changes: Partial<LedgerEntry> = {}) => exportedOrder(anEntry({ orderId: 'INV-1', ...changes }));

describe('the line of an order', () => {
  it('that was sent once says where it stands, and nothing of what has not come about', () => {
    expect(exported()).toStrictEqual({
      version: 1,
      key: 'acme-eu/INV-1',
      operation: 'payout',
      state: 'submitting',
      final: false,
      revision: 1,
      attempts: 1,
      endpointId: '39915',
      amount: '10.42',
      currency: 'EUR',
      createdAt: '2026-11-21T10:00:00.000Z',
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
    expect(exported(changes)).toStrictEqual({
      ...exported(),
      state: 'declined',
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

  it('that was cancelled before its job came says that it was, as its endpoint and its money are not known', () => {
    const { money: _, ...nothing } = anEntry({ state: 'cancelled', fingerprint: unknownContent, endpointId: '' });
    const line = exportedOrder({ ...nothing, attempts: 0 });
    expect(line).toMatchObject({ state: 'cancelled', beforehand: true, attempts: 0 });
    for (const name of ['endpointId', 'amount', 'currency']) expect(line).not.toHaveProperty(name);
    // One that was cancelled after its job came, or that was adopted and is not cancelled, is an order like any other.
    expect(exported({ state: 'cancelled' })).not.toHaveProperty('beforehand');
    expect(exported({ state: 'approved', fingerprint: unknownContent })).not.toHaveProperty('beforehand');
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
  it.each(Object.keys(moves) as OrderState[])('takes the line of an order that is %s', (state) => {
    const line: unknown = JSON.parse(JSON.stringify(exported({ state, operation: 'pan-eligibility' })));
    expect(v.parse(exportedOrderSchema, line)).toEqual(line);
  });

  it.each([
    ['no key', { key: 'INV-1' }],
    ['a key without an order id', { key: 'acme-eu/' }],
    ['a state that is none', { state: 'paid' }],
    ['a revision before the first', { revision: 0 }],
    ['half an attempt', { attempts: 0.5 }],
    ['a time that is a number', { createdAt: startMs }],
    ['another version', { version: 2 }],
  ])('takes no line with %s', (_, changes) => {
    expect(v.is(exportedOrderSchema, { ...exported(), ...changes })).toBe(false);
  });
});
