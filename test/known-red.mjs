// node test/known-red.mjs REPORT: adds a suite's report up in one plain line, and fails where a test is red that
// test/known-red.json does not know. That list may only shrink.
import { readFileSync } from 'node:fs';
import { relative } from 'node:path';

const report = JSON.parse(readFileSync(process.argv[2], 'utf8'));
const known = JSON.parse(readFileSync(`${import.meta.dirname}/known-red.json`, 'utf8'));
const red = report.testResults.flatMap((file) => {
  const tests = file.assertionResults.filter((it) => it.status === 'failed').map((it) => it.fullName.trim());
  return tests.length === 0 && file.status === 'failed' ? [relative(process.cwd(), file.name)] : tests;
});
const reasonFor = (name) => Object.entries(known).find(([it]) => name.startsWith(it))?.[1];
const write = (line) => process.stdout.write(`${line}\n`);
for (const name of red) write(`${reasonFor(name) ? 'known to be red' : 'RED'}: ${name}: ${reasonFor(name) ?? ''}`);
const { numPassedTests: passed, numFailedTests: failed, numPendingTests: skipped, success } = report;
write(`${passed} passed, ${failed} failed, ${skipped} skipped`);
process.exitCode = red.some((name) => !reasonFor(name)) || (!success && red.length === 0) ? 1 : 0;
