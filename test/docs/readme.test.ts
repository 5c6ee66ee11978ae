// README and pages can't drift: their tables are the code's, their samples are taken by the real parsers, their commands
// and scripts exist.
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { runText } from '../../lib/cli/local/run-text.ts';
import { parseJob } from '../../lib/payout/message/job.ts';
import { resultStatuses } from '../../lib/payout/message/result.ts';
import { readWorkerSecret } from '../../lib/aws/secret-schemas.ts';
import { documents, tableNames, tablesOn, withTables } from './generated-tables.ts';
import { blocksOf, pageOf, pages, suitePages } from './pages.ts';
import { quotedRun } from './sample-run.ts';

test.each(documents)('the generated tables of $file are what the code says; `npm run docs` writes them', (page) => {
  expect(withTables(page)).toBe(page.text);
});

test('every generated table is on one page', () => {
  expect(pages.flatMap(tablesOn).toSorted()).toEqual(tableNames.toSorted());
});

test('the README fits on two screens', () => {
  expect(pageOf('README.md').text.trimEnd().split('\n').length).toBeLessThanOrEqual(120);
});

test('the glossary has twenty words at most, each in one row', () => {
  const words =
    pageOf('infra/docs/architecture.md')
      .text.split('## Words')[1]
      ?.match(/^\| [a-z]+ \|/gm) ?? [];
  expect(words.slice(1)).toHaveLength(20);
  expect(new Set(words).size).toBe(words.length);
});

test('the README says which gateways this is for, what it costs, and where a vulnerability is reported', () => {
  const { text } = pageOf('README.md');
  expect(text).toMatch(/\*\*For which gateways:\*\* the Payneteasy family/);
  expect(text).toMatch(/\*\*What it costs:\*\* [^]*? dollars [^]*?\(infra\/docs\/scaling\.md#what-it-costs\)/);
  expect(text).toMatch(/\*\*A vulnerability:\*\* \[[^\]]+\]\(SECURITY\.md\)/);
});

test('what `npm start` prints is quoted as it is printed', () => {
  const printed = runText(quotedRun, true);

  // each line of the README is one of theirs; that a run comes to them is a story of test/cli/local-run.test.ts
  const [, quoted = ''] = /```\n( {2}255 messages[\s\S]*?)```/.exec(pageOf('README.md').text) ?? [];
  const lines = quoted.split('\n').filter((line) => line.trim() !== '…');
  expect(lines.length).toBeGreaterThan(8);
  expect(lines.filter((line) => !printed.split('\n').includes(line))).toEqual([]);
});

test('every sample of a job is one', () => {
  const samples = blocksOf('json').filter(({ block }) => block.includes('"params"'));
  expect(samples.map(({ file }) => file)).toEqual(['README.md', 'infra/docs/jobs-and-results.md']);
  for (const { block } of samples)
    expect(parseJob(block)).toMatchObject({
      kind: 'job',
      job: { orderId: 'INV-2026-000123', money: { minorUnits: 1042n } },
    });
});

test("the sample of the worker's secret is one", () => {
  const sample = blocksOf('json').find(({ block }) => block.includes('fingerprintKeyId'));
  const keys = readWorkerSecret((sample?.block ?? '').replace(/<64[^>]*>/, '0123456789abcdef'.repeat(4)));
  expect(keys.current).toBe('2026-11');
});

test('every status that a result can bear has its row', () => {
  const published = resultStatuses.filter((status) => status !== 'rejected');
  const { text } = pageOf('infra/docs/jobs-and-results.md');
  const rows = [...text.matchAll(/^\| `([a-z-]+)` \| [A-Z]/gm)].map(([, status = '']) => status);
  expect(rows.filter((it) => published.some((status) => status === it)).toSorted()).toEqual(published.toSorted());
});

test('every npm script that a page names exists', () => {
  const { scripts } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
  const all = [...pages, ...suitePages];
  const named = all.flatMap(({ text }) => [...text.matchAll(/npm run ([a-z:]+)/g)].map(([, name = '']) => name));
  expect(named.length).toBeGreaterThan(10);
  expect([...named, 'start', 'test'].filter((name) => !(name in scripts))).toEqual([]);
});
