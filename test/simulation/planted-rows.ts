// Planted bugs of the rows of batches: jobs that end and leave nothing behind by which their batch could close.
import type { PlantedBug } from './planted-steps.ts';

/** Bugs of settle-order.ts. */
export const rowBugs: readonly PlantedBug[] = [
  {
    name: 'a job of a batch that ends without an order of it leaves no note',
    foundBy: 'seeds',
    breaks: /nothing says how its row/,
    sabotage: { ports: (ports) => ({ ...ports, rowNotes: { ...ports.rowNotes, note: async () => {} } }) },
  },
];
