// npm run test:mutation [-- gateway oauth1 payout/sweep.ts]: small faults are planted all over these folders and files of
// lib/, one at a time, and the quick tests are run on each; a fault that no test notices has survived. Fails below 90 %
// killed in any of them.
import { existsSync } from 'node:fs';
import { Stryker } from '@stryker-mutator/core';
import { commandLine } from '../../infra/command-line.ts';
import { strykerOptions } from './options.ts';

const folders = [
  'oauth1',
  'gateway',
  'payout',
  'card-data',
  'batches',
  'dead-letters',
  'merchants',
  'restore',
  'reconcile',
];
const leastScore = 90;

const { positionals: chosen } = commandLine(
  `npm run test:mutation [-- FOLDER or FILE of lib/, ...]
  plants small faults and runs the quick tests on each; default: ${folders.join(', ')}`,
  { allowPositionals: true },
);
const unknown = chosen.filter((it) => !folders.includes(it.split('/')[0] ?? '') || !existsSync(`lib/${it}`));
if (unknown.length > 0) {
  process.stderr.write(`no such folder or file to mutate: ${unknown.join(', ')}\n`);
  process.exit(2);
}
const mutated = chosen.length > 0 ? chosen : folders;

const mutants = await new Stryker({
  ...strykerOptions,
  mutate: mutated.map((it) => (it.endsWith('.ts') ? `lib/${it}` : `lib/${it}/**/*.ts`)),
  vitest: { configFile: 'test/mutation/vitest.config.ts', related: false },
  // What was found about a mutant holds until its file changes, or a test that meets it: a second run is quick.
  incremental: true,
  incrementalFile: 'reports/mutation-incremental.json',
  reporters: ['progress-append-only', 'clear-text', 'json'],
  jsonReporter: { fileName: 'reports/mutation.json' },
}).runMutationTest();

for (const it of mutated) {
  const statuses = mutants.filter(({ fileName }) => fileName.includes(`/lib/${it}`)).map(({ status }) => status);
  const count = (...wanted: string[]) => statuses.filter((status) => wanted.includes(status)).length;
  const [killed, survived] = [count('Killed', 'Timeout'), count('Survived', 'NoCoverage')];
  const score = (100 * killed) / (killed + survived);
  const stopped = count('Timeout') > 0 ? `, ${count('Timeout')} of them by the time-out` : '';
  process.stdout.write(`lib/${it}: ${score.toFixed(1)} % killed, ${killed} of ${killed + survived}${stopped}\n`);
  if (score < leastScore) process.exitCode = 1;
}
