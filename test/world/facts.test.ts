// The rows of facts.txt: the faults, tests and planted bugs that they name are there. A name in “quotes” is a fault of
// the simulation, or a bug of the list.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { plantedBugs } from '../bugs/list.ts';
import { plainFaults } from '../simulation/fault-kinds.ts';
import { inquiries } from '../simulation/gateway-looks.ts';
import { moods } from '../simulation/gateway-moods.ts';

const root = join(import.meta.dirname, '../..');
const rows = readFileSync(join(import.meta.dirname, 'facts.txt'), 'utf8')
  .split('\n')
  .filter(
    (line) =>
      line.startsWith('| ') &&
      !line.startsWith('| what it does') &&
      !line.startsWith('| what they do') &&
      !line.startsWith('| what happens'),
  )
  .map((line) => line.split(/(?<!\\)\|/).map((cell) => cell.trim()))
  .map(([, does = '', ...cells]) => ({ does, cells, text: cells.join(' ') }));
const quoted = (text: string) => [...text.matchAll(/“([^”]+)”/g)].map(([, name = '']) => name);

it('each row happens somewhere: as a fault of the simulation, or in a test', () => {
  expect(rows.length).toBeGreaterThan(75);
  expect(rows.filter(({ text }) => !/“|`test\//.test(text)).map(({ does }) => does)).toEqual([]);
  expect(new Set(rows.map(({ does }) => does)).size).toBe(rows.length);
});

it('each fault and each planted bug is there', () => {
  const known = new Set<string>([
    ...plainFaults,
    ...Object.keys(moods).map((name) => `POST: ${name}`),
    ...Object.keys(inquiries).map((name) => `inquiry: ${name}`),
    ...plantedBugs.map(({ name }) => name),
  ]);
  expect(rows.flatMap(({ text }) => quoted(text)).filter((name) => !known.has(name))).toEqual([]);
});

it('each test is there', () => {
  const paths = rows.flatMap(({ text }) => [...text.matchAll(/`(test\/[^`]+)`/g)].map(([, path = '']) => path));
  expect(paths.filter((path) => !existsSync(join(root, path)))).toEqual([]);
});
