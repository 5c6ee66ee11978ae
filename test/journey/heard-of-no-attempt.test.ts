// What the gateway says of an order, and of no attempt that is known, while none of those lives: a person is to know.
import { expect, it } from 'vitest';
import { exportedOrder } from '../../lib/reconcile/ledger-export.ts';
import { judgeOrder } from '../../lib/reconcile/reconcile.ts';
import { reportDecisionOf } from '../../lib/reconcile/report-decisions.ts';
import { aWorld } from '../support/world.ts';

it('no report of the gateway decides an order that nobody sent from here: it may list another one than was called back', async () => {
  const world = aWorld();
  const word = { status: 'processing', orderid: '9000001', client_orderid: 'INV-1', amount: '10.42', currency: 'EUR' };
  expect(await world.callBack(word)).toBe(200);
  const view = world.entries.get('acme-eu/INV-1');
  if (!view) throw new Error('no order');
  const ledger = { ...exportedOrder(view), at: new Date(view.createdAtMs).toISOString() };
  const gateway = [
    { meaning: 'unpaid', status: 'declined', amount: '10.42', currency: 'EUR', gatewayOrderId: '8000009' },
  ] as const;
  const order = { ledger, results: [], gateway };
  expect(reportDecisionOf(view.key, order, judgeOrder(order))).toBeUndefined();
});
