// No schedule of crashes pays twice: one job, every operation and profile, single cuts and pairs of cuts. The short
// proof takes a few of the scenarios, the long one every seventh, the whole one every third.
import { describe, expect, it } from 'vitest';
import { operationNames, operations } from '../../lib/gateway/operations.ts';
import { lengthOf } from '../support/long-proof.ts';
import { everyMood, everyScenario, everyScenarioWithCode, storyOf, walk, type WalkReport } from './exhaustive.ts';

const timeoutMs = 300_000;
/** Every how manieth scenario is walked; prime, so that every profile, redelivery and mood has its turn. */
const stride = lengthOf({ short: 47, long: 7, whole: 3 });
const leastSchedules = lengthOf({ short: 50, long: 400, whole: 1_000 });
const some = <T>(scenarios: readonly T[]) => scenarios.filter((_, index) => index % stride === 0);

/** The story of what broke, to be read in the failing test; undefined when nothing did. */
async function storyOfBreak({ broken }: WalkReport): Promise<string | undefined> {
  return broken && storyOf(broken);
}

describe('every single cut and every pair of cuts keeps the promises', () => {
  // The two steps of a payout need each other: check-then-pay.test.ts walks them together.
  it.each(operationNames.filter((name) => operations[name].step === undefined))(
    '%s',
    { timeout: timeoutMs },
    async (operation) => {
      const report = await walk(some(everyScenario(operation)), 'pairs of cuts');
      expect(await storyOfBreak(report)).toBeUndefined();
      expect(report.schedules).toBeGreaterThan(leastSchedules);
    },
  );

  it('transfer with a CVV', { timeout: timeoutMs }, async () => {
    const report = await walk(some(everyScenarioWithCode()), 'pairs of cuts');
    expect(await storyOfBreak(report)).toBeUndefined();
    expect(report.schedules).toBeGreaterThan(leastSchedules);
  });
});

it('every mood of the gateway keeps the promises under every single cut', { timeout: timeoutMs }, async () => {
  // A mood that leaves a message waiting is walked for two weeks of its time, so fewer of them are.
  const moods = everyMood().filter((_, index) => index % lengthOf({ short: 235, long: 60 }) === 0);
  const report = await walk(moods, 'single cuts');
  expect(await storyOfBreak(report)).toBeUndefined();
  expect(report.schedules).toBeGreaterThan(lengthOf({ short: 50, long: 300 }));
});
