// How mutants are run, be they all of them (run.ts) or a sample of a change (sample.ts).
import type { Stryker } from '@stryker-mutator/core';

/** Where the copies of the repository are that faults are planted into. */
export const copiesIn = '.stryker-tmp';

/** Options of both runs. */
export const strykerOptions: ConstructorParameters<typeof Stryker>[0] = {
  testRunner: 'vitest',
  tempDirName: copiesIn,
  cleanTempDir: 'always',
  plugins: [import.meta.resolve('@stryker-mutator/vitest-runner')],
  coverageAnalysis: 'perTest',
  // Tables that are built once, when their file is loaded, would need every test anew for each fault; those of the pages
  // are compared with it by test/docs.
  ignoreStatic: true,
  concurrency: 2,
  // Generous, as a busy machine must not pass for a test that noticed: only what goes round for ever is stopped by it.
  timeoutMS: 30_000,
  timeoutFactor: 4,
  ignorePatterns: ['.build', '.local', 'reports'],
  // Stryker would rewrite the compiler's settings with an API that this compiler does not have; nothing needs it.
  tsconfigFile: 'none',
  clearTextReporter: { allowColor: false, logTests: false, reportTests: false },
};
