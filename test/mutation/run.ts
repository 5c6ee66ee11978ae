// npm run test:mutation [-- domain oauth1 app]: small faults are planted all over these folders of lib/, one at a time, and
// the quick tests are run on each; a fault that no test notices has survived. Fails below 90 % killed in any folder.
import { Stryker } from '@stryker-mutator/core';

const folders = ['domain', 'oauth1', 'app'];
const leastScore = 90;

const chosen = process.argv.slice(2);
const unknown = chosen.filter((it) => !folders.includes(it));
if (unknown.length > 0) throw new Error(`no such folder to mutate: ${unknown.join(', ')}`);
const mutated = chosen.length > 0 ? chosen : folders;

const mutants = await new Stryker({
  mutate: mutated.map((folder) => `lib/${folder}/**/*.ts`),
  testRunner: 'vitest',
  plugins: [import.meta.resolve('@stryker-mutator/vitest-runner')],
  vitest: { configFile: 'test/mutation/vitest.config.ts', related: false },
  coverageAnalysis: 'perTest',
  // Tables that are built once, when their file is loaded, would need every test anew for each fault; those of the README
  // are compared with it by test/docs.
  ignoreStatic: true,
  concurrency: 2,
  timeoutMS: 10_000,
  ignorePatterns: ['.build', '.local', 'reports'],
  // Stryker would rewrite the compiler's settings with an API that this compiler does not have; nothing needs it.
  tsconfigFile: 'none',
  reporters: ['progress-append-only', 'clear-text', 'json'],
  clearTextReporter: { allowColor: false, logTests: false, reportTests: false },
  jsonReporter: { fileName: 'reports/mutation.json' },
}).runMutationTest();

for (const folder of mutated) {
  const statuses = mutants.filter((it) => it.fileName.includes(`/lib/${folder}/`)).map(({ status }) => status);
  const count = (...wanted: string[]) => statuses.filter((it) => wanted.includes(it)).length;
  const [killed, survived] = [count('Killed', 'Timeout'), count('Survived', 'NoCoverage')];
  const score = (100 * killed) / (killed + survived);
  process.stdout.write(`lib/${folder}: ${score.toFixed(1)} % killed, ${killed} of ${killed + survived}\n`);
  if (score < leastScore) process.exitCode = 1;
}
