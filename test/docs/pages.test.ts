// The pages of infra/: what they point at is there.
import { existsSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { rules } from '../../lib/doctor/examine.ts';

const pages = ['infra/SECURITY.md', 'infra/SCALING.md'];

it.each(pages)('%s names files that exist', (page) => {
  const text = readFileSync(page, 'utf8');
  const quoted = [...text.matchAll(/`((?:lib|test|infra|functions)\/[\w./-]+)`/g)].map(([, path = '']) => path);
  const linked = [...text.matchAll(/\]\((\w+\.md)\)/g)].map(([, name = '']) => `infra/${name}`);
  expect(quoted.length + linked.length).toBeGreaterThan(0);
  expect([...quoted, ...linked].filter((path) => !existsSync(path))).toEqual([]);
});

it('SECURITY.md names rules that the doctor has', () => {
  const text = readFileSync('infra/SECURITY.md', 'utf8');
  const named = [...text.matchAll(/`payouts doctor`: ((?:`[\w-]+`(?:, )?)+)/g)].flatMap(([, list = '']) =>
    [...list.matchAll(/`([\w-]+)`/g)].map(([, name = '']) => name),
  );
  expect(named).toEqual(['no-wildcard-action', 'only-submit-claims', 'nothing-is-deleted']);
  expect(rules.map(({ name }) => name)).toEqual(expect.arrayContaining(named));
});
