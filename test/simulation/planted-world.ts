// Planted bugs of workers that take a service at its word: the secret of now, a restored table for the one it was.
import { type PlantedBug, step } from './planted-steps.ts';

type Requests = typeof import('../../lib/gateway/signed-request.ts');
type Restored = typeof import('../../lib/restore/restored-orders.ts');

/** All of them. */
export const worldBugs: readonly PlantedBug[] = [
  {
    name: 'whom to ask about an order is read in the secret of now, wherever it was sent',
    foundBy: 'paths',
    breaks: /counts as unknown/,
    steps: [
      step('../../lib/gateway/signed-request.ts', () => ({
        matchAccount: (...[, credentials]: Parameters<Requests['matchAccount']>) => ({ kind: 'present', credentials }),
      })),
    ],
  },
  {
    name: 'a worker does not ask whether its ledger was restored',
    foundBy: 'restores',
    breaks: /a second POST left|paid twice/,
    steps: [
      step('../../lib/restore/restored-orders.ts', () => ({
        ordersAfterRestore: (...[orders]: Parameters<Restored['ordersAfterRestore']>) => orders,
      })),
    ],
  },
];
