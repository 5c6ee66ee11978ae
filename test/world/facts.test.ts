// What the page infra/docs/world.md says of a fact is there: its fault, its tests, and the bug that is found by it.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { plainFaults } from '../simulation/fault-kinds.ts';
import { inquiries } from '../simulation/gateway-looks.ts';
import { moods } from '../simulation/gateway-moods.ts';
import { plantedBugs } from '../simulation/planted-bugs.ts';
import { factTables } from './facts.ts';

const facts = Object.values(factTables).flat();
const root = join(import.meta.dirname, '../..');

it('each fact happens somewhere: as a fault of the simulation, or in a test', () => {
  expect(facts.length).toBeGreaterThan(60);
  expect(facts.filter(({ fault, tests = [] }) => fault === undefined && tests.length === 0)).toEqual([]);
});

it('each fault is one that the simulation has', () => {
  const known = new Set<string>([
    ...plainFaults,
    ...Object.keys(moods).map((name) => `POST: ${name}`),
    ...Object.keys(inquiries).map((name) => `inquiry: ${name}`),
  ]);
  expect(facts.flatMap(({ fault }) => (fault === undefined || known.has(fault) ? [] : [fault]))).toEqual([]);
});

it('each test is there', () => {
  expect(facts.flatMap(({ tests = [] }) => tests.filter((path) => !existsSync(join(root, path))))).toEqual([]);
});

it('each planted bug is there, and each simulated fact has one', () => {
  const planted = new Set(plantedBugs.map(({ name }) => name));
  expect(facts.flatMap(({ bug }) => (bug === undefined || planted.has(bug) ? [] : [bug]))).toEqual([]);
  expect(facts.filter(({ fault, bug }) => fault !== undefined && bug === undefined)).toEqual([]);
});

it('each fact stands once', () => {
  expect(new Set(facts.map(({ does }) => does)).size).toBe(facts.length);
});
