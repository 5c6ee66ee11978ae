// What is counted of an order's way, and what is not: a move once, when the store has taken it.
import { describe, expect, it } from 'vitest';
import { createMetricsRecorder, countedOrders } from '../../lib/payout/metrics-recorder.ts';
import { ofAttempt } from '../../lib/payout/order/facts.ts';
import { lookedAt } from '../../lib/payout/order/open-work.ts';
import type { Order } from '../../lib/payout/order/order.ts';
import type { Orders } from '../../lib/payout/order/orders.ts';
import { createMemoryOrders } from '../support/memory-orders.ts';
import { anAttempt, anOrder, aView, withFacts } from '../support/orders.ts';
import { startMs } from '../support/time-and-chance.ts';

const none = { values: {}, perCurrency: new Map() };
const doubtful = anOrder({ orderId: 'INV-1', attempt: { lapsed: { code: 'NO_ANSWER', message: 'reset' } } });
const paid = anAttempt({ reports: ['approved'], ids: ['9'] });
const approved = withFacts(doubtful, ofAttempt(paid));

/** Orders of which this one stands there, and what is counted of their moves. */
function aCountedStore(stands?: Order, changes: Partial<Orders> = {}) {
  const tally = createMetricsRecorder();
  const orders = createMemoryOrders(new Map(stands && [[stands.key, stands]]));
  return { orders: countedOrders({ ...orders, ...changes }, tally), tally };
}

describe('an order that came into a state', () => {
  it('counts its failure once, whether it ended by it or waits to be sent again', () => {
    const failure = { code: 'AUTHENTICATION', message: 'refused' } as const;
    for (const state of ['failed', 'retryable'] as const) {
      const tally = createMetricsRecorder();
      tally.moved(aView({ state, failure }));
      expect(tally.taken().values).toMatchObject({ signatureRefusals: 1 });
    }
  });
});

describe('a write', () => {
  it('that moves the order is counted', async () => {
    const { orders, tally } = aCountedStore(doubtful);
    await orders.write(doubtful, approved);
    expect(tally.taken().values).toEqual({ becameApproved: 1 });
  });

  it('that somebody else was faster than is not', async () => {
    const { orders, tally } = aCountedStore(approved);
    expect(await orders.write(doubtful, approved)).toMatchObject({ kind: 'found' });
    expect(tally.taken()).toEqual(none);
  });

  it('that counts a look alone is not: the order is where it was', async () => {
    const { orders, tally } = aCountedStore(doubtful);
    const once = lookedAt(doubtful, { nowMs: startMs, inSeconds: 60, isLook: true });
    expect(await orders.write(doubtful, once)).toEqual({ kind: 'written' });
    expect(tally.taken()).toEqual(none);
  });
});
