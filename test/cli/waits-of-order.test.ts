// An approver reads orders, and not the table of what waits: the order is shown, and what could not be read is said.
import { expect, it } from 'vitest';
import { waitsOfOrder } from '../../lib/cli/orders/waits-of-order.ts';

const refused = Object.assign(new Error('User: arn:aws:iam::1:user/eve is not authorized'), {
  name: 'AccessDeniedException',
});

it('what AWS refuses is said by its code alone, and rejects nothing', async () => {
  const operator = { waitingOf: () => Promise.reject(refused), callbacksWaiting: async () => 0 };
  expect(await waitsOfOrder(operator, 'acme-eu/INV-1', 0)).toEqual({
    rows: 'not read',
    lines: '  whether more of it waits could not be read: AWS does not let you (AccessDeniedException)\n',
    callbacks: 0,
    unheard: '',
  });
});

it('nothing waits: nothing is said', async () => {
  const operator = { waitingOf: async () => [], callbacksWaiting: async () => 0 };
  expect(await waitsOfOrder(operator, 'acme-eu/INV-1', 0)).toEqual({ rows: [], lines: '', callbacks: 0, unheard: '' });
});
