// An order that leaves an end is announced before it is written; what moves by itself costs no word.
import { expect, it } from 'vitest';
import type { Attempt } from '../../../lib/payout/order/facts.ts';
import { ofAttempt } from '../../../lib/payout/order/facts.ts';
import type { Order } from '../../../lib/payout/order/order.ts';
import { type OrderState, viewOf } from '../../../lib/payout/order/view.ts';
import { announcingOrders, type OrderChange } from '../../../lib/payout/order/order-changes.ts';
import { createMemoryOrders } from '../../support/memory-orders.ts';
import { anAttempt, anOrder, withFacts } from '../../support/orders.ts';
import { startMs } from '../../support/time-and-chance.ts';

const taken: Partial<Attempt> = { answer: { kind: 'taken', atMs: startMs }, ids: ['9'] };
const lapsed = { code: 'NO_ANSWER', message: 'reset' };
const refusal = { kind: 'refused', connected: true, atMs: startMs, code: 'RATE_LIMITED', message: 'later' } as const;

/** What an order's one attempt was by then. */
const attempts: Readonly<Record<string, Partial<Attempt>>> = {
  submitting: {},
  retryable: { askable: false, answer: { ...refusal, about: 'pace' } },
  'in-doubt': { lapsed },
  held: { lapsed, overdue: true },
  declined: { answer: { ...refusal, about: 'order' } },
  accepted: taken,
  'accepted for good': { ...taken, askable: false },
  approved: { ...taken, reports: ['approved'] },
};

/** An order that stands like this. */
const standing = (name: string, batchId: string | undefined = 'payroll'): Order =>
  anOrder({ attempt: attempts[name] ?? {}, ...(batchId !== undefined && { batchId }) });

/** Orders of which this one stands there, and what is announced of it beside how it stood at that moment. */
function storeOf(order: Order) {
  const items = new Map([[order.key, order]]);
  const stands = () => viewOf(items.get(order.key) ?? order).state;
  const announced: { change: OrderChange; stood: OrderState }[] = [];
  const announce = async (change: OrderChange) => void announced.push({ change, stood: stands() });
  return { orders: announcingOrders(createMemoryOrders(items), { announce }), announced, stands };
}

/** The order after its attempt was heard of (or another one was claimed). */
const after = (order: Order, changes: Partial<Attempt>) =>
  withFacts(order, ofAttempt({ ...anAttempt(), ...Object.values(order.facts.attempts)[0], ...changes }));

it.each<[from: string, stood: OrderState, changes: Partial<Attempt>, to: OrderState]>([
  ['declined', 'declined', { reports: ['approved'], ids: ['9'] }, 'approved'],
  [
    'approved',
    'approved',
    { reports: ['reversed'], reversal: { type: 'reversal', status: 'approved', atMs: 1 } },
    'approved',
  ],
  ['accepted for good', 'accepted', { reports: ['approved'] }, 'approved'],
  ['held', 'held', { reports: ['approved'], ids: ['9'] }, 'approved'],
])('what changes of an order that is %s is announced, and then written', async (from, stood, changes, to) => {
  const order = standing(from);
  const { orders, announced, stands } = storeOf(order);
  expect(stands()).toBe(stood);
  const next = after(order, changes);
  await orders.write(order, next);
  const change = { orderKey: order.key, revision: order.published.revision + 1, batchId: 'payroll' };
  expect(announced).toEqual([{ change, stood }]);
  expect(stands()).toBe(to);
});

it('a claim that opens an end is announced by the revision that its answer will have', async () => {
  const before = standing('accepted');
  const end = { id: 'end-1', number: 2, reason: 'declined', code: 'DECLINED', message: 'no', atMs: startMs } as const;
  const declined = withFacts(withFacts(before, ofAttempt({ ...anAttempt(), ...taken, reports: ['declined'] })), {
    ends: { 'end-1': { ...end, saw: {}, sawUnattributed: '' } },
  });
  expect(viewOf(declined).state).toBe('declined');
  const { orders, announced, stands } = storeOf(declined);
  await orders.write(
    declined,
    withFacts(declined, ofAttempt(anAttempt({ id: 'attempt-2', number: 9, reopens: 'end-1' }))),
  );
  expect(stands()).toBe('submitting');
  expect(announced).toMatchObject([{ change: { revision: declined.published.revision + 1 }, stood: 'declined' }]);
});
