// The contracts as files are the code's, and every example of theirs and of the pages is taken by the schema and by the
// code alike. After a new field, write them anew with `npm run docs`.
import * as v from 'valibot';
import { fileReadingSchema } from '../../lib/batches/dynamodb-batch-item.ts';
import { readdirSync } from 'node:fs';
import { expect, test } from 'vitest';
import { contractFiles, contracts } from '../../infra/contracts/contracts.ts';
import { readWorkerSecret } from '../../lib/aws/secret-schemas.ts';
import { parseJob } from '../../lib/payout/message/job.ts';
import { breachOfContract } from '../support/published-result.ts';
import { contractText, schemaCheck } from '../published/schemas.ts';
import { blocksOf } from './pages.ts';

test('the files of infra/contracts are what the code says; `npm run docs` writes them', () => {
  const written = readdirSync(new URL('../../infra/contracts', import.meta.url)).filter((name) =>
    name.endsWith('.json'),
  );
  expect(written.toSorted()).toEqual([...contractFiles().keys()].toSorted());
  expect(written.map((name) => [name, contractText(name)])).toEqual([...contractFiles()].toSorted());
});

test.each(Object.entries(contracts))('the schema of %s takes its examples', (name, { examples }) => {
  const takes = schemaCheck(name);
  for (const example of examples) expect([example, takes(example), takes.errors]).toEqual([example, true, null]);
});

test('the worker takes every example of a job, of each operation one', () => {
  const { examples } = contracts.job;
  expect(examples.map((it) => [it.operation, parseJob(JSON.stringify(it)).kind])).toEqual([
    ['payout', 'job'],
    ['transfer', 'job'],
    ['transfer-by-ref', 'job'],
    ['pan-eligibility', 'job'],
  ]);
});

test('the examples of a result hold no field that the contract does not name', () => {
  expect(contracts.result.examples.map(breachOfContract)).toEqual([undefined, undefined, undefined, undefined]);
});

test('the worker reads the example of its own secret', () => {
  const [example] = contracts['worker-secret'].examples;
  expect(readWorkerSecret(JSON.stringify(example)).current).toBe('2026-11');
});

test('every JSON example of the pages is taken by one of the schemas', () => {
  const isLayout = (sample: unknown) => v.is(fileReadingSchema, sample);
  const checks = [
    ...Object.keys(contracts).map((name) => [name, schemaCheck(name)] as const),
    ['layout', isLayout] as const,
  ];
  const found = blocksOf('json').map(({ file, block }) => {
    const sample: unknown = JSON.parse(block.replace(/<64 hex[^>]*>/, '0123456789abcdef'.repeat(4)));
    return [file, ...checks.filter(([, takes]) => takes(sample)).map(([name]) => name)];
  });
  expect(found).toEqual([
    ['README.md', 'job'],
    ['README.md', 'result'],
    ['infra/docs/bulk-files.md', 'layout'],
    ['infra/docs/jobs-and-results.md', 'job'],
    ['infra/docs/jobs-and-results.md', 'result'],
    ['infra/docs/settings.md', 'merchant-contract'],
    ['infra/docs/settings.md', 'merchant-keys'],
    ['infra/docs/settings.md', 'worker-secret'],
  ]);
});
