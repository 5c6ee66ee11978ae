// The orders that the leader has asked about, in a turn of their lane.
import { expect, it } from 'vitest';
import { createDueQuestions } from '../../../lib/payout/inquire/due-questions.ts';
import type { Order } from '../../../lib/payout/order/order.ts';
import { anOrder } from '../../support/orders.ts';
import { startMs } from '../../support/time-and-chance.ts';

const refusal = {
  kind: 'refused',
  about: 'pace',
  connected: true,
  atMs: 1,
  code: 'RATE_LIMITED',
  message: 'x',
} as const;

it('a mark that has outlived its result keeps no order from being asked about', async () => {
  // given an order whose end was published, though its mark is still there, and that was sent again by name and refused
  const order: Order = { ...anOrder({ attempt: { answer: refusal } }), unpublished: true };
  const dueWork = {
    async *dueWork(kind: string) {
      if (kind === 'submitting') yield order;
    },
    move: async () => true,
  };
  const questions = createDueQuestions({
    dueWork,
    ownQueue: { send: async () => new Set() },
    clock: { nowMs: () => startMs },
  });
  expect(await questions.due()).toMatchObject([{ key: order.key, lane: { merchant: order.merchant } }]);
});
