// What infra/docs/security.md claims has a test: each threat names what would break.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { pageOf } from './pages.ts';

const { text } = pageOf('infra/docs/security.md');

/** Rows of the table below a heading, without its head. */
const rowsBelow = (heading: string) =>
  (text.split(`\n## ${heading}\n`)[1]?.split('\n## ')[0] ?? '')
    .split('\n')
    .filter((line) => line.startsWith('| '))
    .slice(1);

it('each threat names its test', () => {
  const rows = rowsBelow('Threats');
  expect(rows.length).toBeGreaterThanOrEqual(25);
  const without = rows.filter(
    (row) => !/`test\/[^`]+`|`node . doctor`|`npm run (?:test:attacks|bench)/.test(row.split(' | ').at(-1) ?? ''),
  );
  expect(without).toEqual([]);
});

it('and those tests are there', () => {
  const named = [...text.matchAll(/`(test\/[^`]+)`/g)].map(([, path = '']) => path);
  expect(named.length).toBeGreaterThan(40);
  expect(named.filter((path) => !existsSync(path))).toEqual([]);
});

it('signing, the fold, evidence and HTTP are our own code: a package only reads secrets and items', () => {
  const parts = ['lib/oauth1', 'lib/gateway', 'lib/payout/order'];
  const files = parts.flatMap((part) => readdirSync(part).map((name) => join(part, name)));
  expect(files.length).toBeGreaterThan(30);
  const packagesOf = (file: string) =>
    [...readFileSync(file, 'utf8').matchAll(/from '((?!\.|node:)[^']+)'/g)].map(([, name]) => `${file}: ${name}`);
  expect(files.flatMap(packagesOf)).toEqual([
    'lib/gateway/profile-limits.ts: valibot',
    'lib/gateway/profile.ts: valibot',
    'lib/payout/order/fact-schemas.ts: valibot',
  ]);
});
