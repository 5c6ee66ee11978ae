// Lives of one order by chance, judged from outside. `STORY_LIVES=2000` lives so many, `STORY_FROM=5000` others, and
// `STORY_SEED=42` one alone, and tells the shortest life that shows the same.
import { beforeAll, describe, expect, it } from 'vitest';
import { lengthOf } from '../support/long-proof.ts';
import { type Breach, breaches, lifeOf, live, shortened, told } from './order-life.ts';

const { STORY_SEED: only, STORY_FROM: first, STORY_LIVES: many } = process.env;
const isAsked = (only ?? first ?? many) !== undefined;
const from = Number(only ?? first ?? 1);
const count = only === undefined ? Number(many ?? lengthOf({ short: 4, long: 25 })) : 1;
/** Lives that have shown what others seldom show; the long proof lives all of them. */
const known = lengthOf({ short: [58, 100], long: [50, 58, 73, 83, 90, 100, 119] });
const seeds = [...Array.from({ length: count }, (_, place) => from + place), ...(isAsked ? [] : known)];

/** Seeds by what they show. */
const shown = new Map<string, number[]>();
/** Of the seed that is replayed: the shortest life that shows the same. */
const shortest = new Map<string, string>();

beforeAll(async () => {
  for (const seed of seeds) {
    const found = await live(lifeOf(seed)).catch((error: unknown) => [String(error)]);
    for (const breach of found) shown.set(breach, [...(shown.get(breach) ?? []), seed]);
  }
  if (only === undefined) return;
  for (const breach of shown.keys()) shortest.set(breach, told(await shortened(lifeOf(from), breach as Breach)));
}, 3_600_000);

/** Which lives show it, and how one is lived again; empty where none does. */
function report(breach: string): string {
  const these = shown.get(breach);
  if (!these) return '';
  const command = 'npx vitest run --config test/vitest.config.ts --project short test/stories/order-lives.test.ts';
  return `${these.length} of ${seeds.length} lives: ${these.slice(0, 30).join(' ')}; replay one: STORY_SEED=${these[0]} ${command}\n${shortest.get(breach) ?? ''}`;
}

it('each of them can be lived', () => {
  expect([...shown.keys()].filter((it) => !(it in breaches))).toEqual([]);
});

describe('never', () => {
  it.each(Object.entries(breaches))('%s: %s', (breach) => {
    expect(report(breach)).toBe('');
  });
});
