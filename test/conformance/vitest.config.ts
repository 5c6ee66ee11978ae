import { defineConfig } from 'vitest/config';

// oxlint-disable-next-line import/no-default-export -- vitest asks for it
export default defineConfig({
  test: {
    root: import.meta.dirname + '/../..',
    include: ['test/{conformance,lambda-runtime}/**/*.conformance.ts'],
    globalSetup: ['test/conformance/global-setup.ts'],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    restoreMocks: true,
  },
});
