import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    root: import.meta.dirname + '/..',
    include: ['test/**/*.test.ts'],
    testTimeout: 20_000,
    hookTimeout: 30_000,
    restoreMocks: true,
    // vitest leaves a core free by default; much of the time here is waiting on real queues and sockets.
    maxWorkers: 2,
  },
});
