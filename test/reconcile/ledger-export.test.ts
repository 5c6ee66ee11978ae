// A line of the ledger's export: all that a merchant may see of an order, and nothing that is the worker's own.
import { describe, expect, it } from 'vitest';
import { exportedOrder } from '../../lib/reconcile/ledger-export.ts';
import { type OrderView } from '../../lib/payout/order/projection.ts';
import { aView } from '../support/orders.ts';
import { startMs } from '../support/time-and-chance.ts';

const exported = (changes: Partial<OrderView> = {}) => exportedOrder(aView({ orderId: 'INV-1', ...changes }));

describe('the line of an order', () => {
  it('that was sent once says where it stands, and nothing of what has not come about', () => {
    expect(exported()).toStrictEqual({
      version: 1,
      key: 'acme-eu/INV-1',
      operation: 'payout',
      standing: 'sending',
      final: false,
      revision: 0,
      attempts: 1,
      endpointId: '39915',
      amount: '10.42',
      currency: 'EUR',
      withoutResult: true,
      createdAt: '2026-11-21T10:00:00.000Z',
      sentAt: '2026-11-21T10:00:00.000Z',
      updatedAt: '2026-11-21T10:00:00.000Z',
    });
  });

  it('says how much of it was undone, where that is certain', () => {
    const undone = (type: string, status: string, amount?: string) =>
      exported({
        standing: 'paid',
        reversal: { type, status, ...(amount !== undefined && { amount }), atMs: startMs },
      }).reversed;
    expect(undone('reversal', 'approved')).toBe('10.42');
    expect(undone('partial-reversal', 'approved', '4.00')).toBe('4.00');
    expect(undone('reversal', 'processing', '4.00')).toBeUndefined();
    expect(undone('dispute', 'approved')).toBeUndefined();
  });

  it('keeps what is the worker’s own, and the sender’s words, in the ledger', () => {
    const line = JSON.stringify(exported({ context: '{"invoice":"secret-7"}' }));
    expect(line).not.toMatch(/k1\.fingerprint|worker-1|message-1|secret-7|lease|history|claimed/i);
  });
});
