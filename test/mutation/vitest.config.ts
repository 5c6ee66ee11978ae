// The tests that mutants of lib/domain, lib/oauth1 and lib/app must not survive: quick ones, without a socket.
import { defineConfig } from 'vitest/config';

// oxlint-disable-next-line import/no-default-export -- vitest asks for it
export default defineConfig({
  test: {
    isolate: false,
    include: ['test/{domain,oauth1,app,journey}/**/*.test.ts'],
  },
});
