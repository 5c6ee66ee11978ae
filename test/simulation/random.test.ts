// A bounded walk through random worlds: a few seconds in every test run. The long walk is `npm run simulate`, which the
// landing check runs over a thousand.
import { expect, it } from 'vitest';
import { runSeed } from './random-world.ts';
import { lengthOf } from '../support/long-proof.ts';

const worlds = lengthOf({ short: 3, long: 40, whole: 1_000 });

const jobs = 20;

it('random worlds keep the promises', { timeout: 180_000 }, async () => {
  let broken: string | undefined;
  for (let seed = 1; seed <= worlds && broken === undefined; seed += 1) {
    const { fault } = await runSeed(seed, { jobs });
    broken = fault && `${fault}; for its story: npm run simulate -- --seed ${seed}`;
  }
  expect(broken).toBeUndefined();
});

it('a seed gives the same world every time, to the millisecond', async () => {
  const [once, again] = [await runSeed(7, { jobs, keepsStory: true }), await runSeed(7, { jobs, keepsStory: true })];
  expect(again).toEqual(once);
  expect(once.story.length).toBeGreaterThan(100);
});
