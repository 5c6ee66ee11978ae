import { defineConfig } from 'vitest/config';

// oxlint-disable-next-line import/no-default-export -- vitest asks for it
export default defineConfig({
  test: {
    root: import.meta.dirname + '/../..',
    include: ['test/{conformance,lambda-runtime}/**/*.conformance.ts'],
    globalSetup: ['test/conformance/global-setup.ts'],
    // A landing runs them beside all else, which goes first: a limit is there to end what hangs.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    restoreMocks: true,
  },
});
