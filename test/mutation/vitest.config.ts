// The tests that mutants must not survive: quick ones, without a process of their own.
import { defineConfig } from 'vitest/config';
import { longOnly } from '../vitest.config.ts';
import { roomsVariable, testsOf } from './rooms.ts';

const mutated = process.env[roomsVariable]?.split(' ') ?? [];

// oxlint-disable-next-line import/no-default-export -- vitest asks for it
export default defineConfig({
  test: {
    isolate: false,
    // The slowest takes less than one. What waits for ever has been noticed; what a busy machine delays has not.
    testTimeout: 30_000,
    include: testsOf(mutated).map((folder) => `test/${folder}/**/*.test.ts`),
    // Files without a short story.
    exclude: longOnly,
  },
});
