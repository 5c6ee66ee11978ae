// The README can't drift: its tables are the code's, its samples are taken by the real parsers, its files exist.
import { existsSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { parseJob } from '../../lib/payout/job.ts';
import { moves } from '../../lib/payout/ledger.ts';
import { readWorkerSecret } from '../../lib/aws/secret-schemas.ts';
import { runCli } from '../cli/support/cli.ts';
import { documents } from './readme-tables.ts';

const root = new URL('../../', import.meta.url);
const readme = readFileSync(new URL('README.md', root), 'utf8');
const samples = [...readme.matchAll(/```json\n([\s\S]*?)```/g)].map(([, text = '']) => text);

test.each(documents)('the generated tables of $file are what the code says; `npm run docs` writes them', (it) => {
  const text = readFileSync(new URL(it.file, root), 'utf8');
  expect(it.withTables(text)).toBe(text);
});

test('the job sample is a job', () => {
  const [job = ''] = samples;
  expect(parseJob(job)).toMatchObject({
    kind: 'job',
    job: { orderId: 'INV-2026-000123', money: { minorUnits: 1042n } },
  });
});

test('the worker secret sample is one', () => {
  const sample = samples.find((text) => text.includes('fingerprintKeyId')) ?? '';
  const keys = readWorkerSecret(sample.replace(/<64[^>]*>/, '0123456789abcdef'.repeat(4)));
  expect(keys.current).toBe('2026-11');
});

test('every status that a result can bear has its row', () => {
  const told = Object.keys(moves).filter((state) => state !== 'submitting' && state !== 'retryable');
  const rows = [...readme.matchAll(/^\| `([a-z-]+)` \| [A-Z]/gm)].map(([, status = '']) => status);
  expect(rows.filter((it) => told.includes(it)).toSorted()).toEqual(told.toSorted());
});

test('every file that the README names exists', () => {
  const named = [...readme.matchAll(/`((?:lib|test|functions|infra)\/[A-Za-z0-9_./-]+\.[a-z]+)`/g)].map(
    ([, file = '']) => file,
  );
  expect(named.filter((file) => !existsSync(new URL(file, root)))).toEqual([]);
});

test('every npm script that the README names exists', () => {
  const { scripts } = JSON.parse(readFileSync(new URL('package.json', root), 'utf8'));
  const named = [...readme.matchAll(/npm run ([a-z:]+)/g)].map(([, name = '']) => name);
  expect([...named, 'start', 'test'].filter((name) => !(name in scripts))).toEqual([]);
});

test('every command that the README names exists', async () => {
  const { stdout } = await runCli(['--help']);
  const [, listed = ''] = stdout.split('Commands:');
  const commands = new Set([...listed.matchAll(/^ {2}([a-z]+)/gm)].map(([, name = '']) => name));
  const named = [...readme.matchAll(/(?:`|npx )payouts ([a-z]+)/g)].map(([, name = '']) => name);
  expect(named).toEqual(expect.arrayContaining(['local', 'release', 'resume']));
  expect([...new Set(named)].filter((name) => !commands.has(name))).toEqual([]);
});
