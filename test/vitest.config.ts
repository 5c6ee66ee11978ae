import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    root: import.meta.dirname + '/..',
    include: ['test/**/*.test.ts'],
    testTimeout: 90_000,
    hookTimeout: 60_000,
    restoreMocks: true,
    // vitest leaves a core free by default; much of the time here is waiting on real queues and sockets.
    maxWorkers: 2,
  },
});
