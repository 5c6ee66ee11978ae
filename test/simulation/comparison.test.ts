// The comparison of infra/docs/comparison.md is what comes out when it is run: the rivals' numbers, and zeros in our row.
import { readFileSync } from 'node:fs';
import { beforeAll, expect, it } from 'vitest';
import { compare, ours, published, type Tally } from './comparison.ts';
import { tableOf, withComparison } from './comparison-table.ts';

let tallies: ReadonlyMap<string, Tally>;
beforeAll(async () => {
  tallies = await compare(published);
}, 120_000);

it('our worker pays nothing twice, at no age, lies never and leaves no order unknown', () => {
  expect(tallies.get(ours)).toMatchObject({ paidTwice: 0, paidTwiceAfterReplay: 0, lies: 0, unknown: 0 });
});

it('the same job file went to every row', () => {
  const files = [...tallies.values()].map(({ jobs, orders }) => ({ jobs, orders }));
  expect(new Set(files.map((it) => JSON.stringify(it))).size).toBe(1);
  expect(files[0]?.jobs).toBe(1000);
});

it.each(['plain retry', 'idempotency library', 'the library, answers read as here'])('%s pays orders twice', (name) => {
  expect(tallies.get(name)?.paidTwice).toBeGreaterThan(0);
  expect(tallies.get(name)?.paidTwiceAfterReplay).toBeGreaterThan(tallies.get(name)?.paidTwice ?? 0);
});

it('the page shows these very numbers; `npm run compare -- --write` puts them there', () => {
  const page = readFileSync(new URL('../../infra/docs/comparison.md', import.meta.url), 'utf8');
  expect(withComparison(page, tableOf(tallies))).toBe(page);
});

it('the same seeds give the same numbers', async () => {
  const few = { ...published, seeds: 5 };
  expect(await compare(few)).toEqual(await compare(few));
});
