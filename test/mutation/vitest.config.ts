// The tests that mutants of the kernel and the features must not survive: quick ones, without a socket.
import { defineConfig } from 'vitest/config';

// oxlint-disable-next-line import/no-default-export -- vitest asks for it
export default defineConfig({
  test: {
    isolate: false,
    // The slowest takes less than one. What waits for ever has been noticed; what a busy machine delays has not.
    testTimeout: 30_000,
    include: [
      'test/{oauth1,gateway,payout,card-data,batches,dead-letters,merchants,restore,reconcile,journey}/**/*.test.ts',
    ],
    // Thousands of histories, which every mutant of the journey would have to walk.
    exclude: ['test/dead-letters/redrive-plan.property.test.ts'],
  },
});
