// What an outside gateway sees, and what waiting costs, in one table (`npm run bench -- walks`); virtual time.
import type { Benchmark } from './harness.ts';
import { waitingCosts, walked, walkNames } from './pace/walks.ts';

/** All benchmarks of this file. */
export const walksBenchmarks: readonly Benchmark[] = [
  ...walkNames.map((name) => ({
    name: `walks-${name}`,
    description: '300 jobs at an outside gateway; virtual time',
    run: walked(name),
  })),
  {
    name: 'walks-costs',
    description: 'what delivering, pacing and waiting cost a million, beside the payment itself; virtual time',
    run: ({ jobs = 20_000 }) => waitingCosts(jobs),
  },
];
