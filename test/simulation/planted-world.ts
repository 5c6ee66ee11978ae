// Planted bugs of workers that trust a service too far: an index for the table, the present secret, a restored table for the
// one it was.
import type { Order } from '../../lib/payout/order/order.ts';
import { type PlantedBug, step } from './planted-steps.ts';

type Requests = typeof import('../../lib/payout/order/account.ts');
type Restored = typeof import('../../lib/restore/restored-orders.ts');

/** Orders as a page of the index showed them. */
const shownByIndex = new WeakSet<Order>();

/** The bugs of trust in the world. */
export const worldBugs: readonly PlantedBug[] = [
  {
    name: 'what comes back from the dead letters is thrown away',
    foundBy: 'seeds',
    breaks: /vanished/,
    sabotage: {
      handler: (handler, queues) => (event, context) => {
        const isBack = ({ messageId, messageAttributes }: (typeof event.Records)[number]) =>
          messageId.startsWith('message-') && messageAttributes['originMessageId'] !== undefined;
        for (const it of event.Records.filter(isBack)) queues.delete(it.receiptHandle);
        return handler({ Records: event.Records.filter((it) => !isBack(it)) }, context);
      },
    },
  },
  {
    name: 'the sweep writes by what its index shows, whatever stands',
    foundBy: 'seeds',
    breaks: /without raising its version|wiped out|vanished uncounted/,
    sabotage: {
      store: (orders, items) => ({
        ...orders,
        async write(before, next) {
          if (!shownByIndex.has(before)) return orders.write(before, next);
          items.set(next.key, next);
          return { kind: 'written' };
        },
      }),
      ports: (ports) => ({
        ...ports,
        dueWork: {
          ...ports.dueWork,
          async *dueWork(kind, beforeMs, which) {
            for await (const order of ports.dueWork.dueWork(kind, beforeMs, which)) {
              shownByIndex.add(order);
              yield order;
            }
          },
        },
      }),
    },
  },
  {
    name: 'whom to ask about an order is read in the secret of now, wherever it was sent',
    foundBy: 'paths',
    breaks: /counts as unknown/,
    steps: [
      step('../../lib/payout/order/account.ts', () => ({
        matchAccount: (...[, credentials]: Parameters<Requests['matchAccount']>) => ({ kind: 'present', credentials }),
      })),
    ],
  },
  {
    name: 'a worker does not ask whether its ledger was restored',
    foundBy: 'restores',
    breaks: /a second POST left|paid twice|was told differently/,
    steps: [
      step('../../lib/restore/restored-orders.ts', () => ({
        ordersAfterRestore: (...[orders]: Parameters<Restored['ordersAfterRestore']>) => orders,
      })),
    ],
  },
];
