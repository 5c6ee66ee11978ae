// No schedule of crashes pays twice: one job, every operation and profile, single cuts and pairs of cuts. The short
// proof takes some single cuts of a few scenarios, the long one pairs of every 37th, the whole one of every third.
import { describe, expect, it } from 'vitest';
import { operationNames } from '../../lib/gateway/operations.ts';
import { lengthOf } from '../support/long-proof.ts';
import {
  everyMood,
  everyScenario,
  everyScenarioOfARelease,
  everyScenarioWithCode,
  storyOf,
  walk,
  type WalkReport,
} from './exhaustive.ts';

const timeoutMs = 300_000;
/** The stride through the scenarios; prime, so that every profile, redelivery and mood has its turn. */
const stride = lengthOf({ short: 47, long: 37, whole: 3 });
const leastSchedules = lengthOf({ short: 6, long: 140, whole: 1_000 });
/** The stride through the moments at which a process is cut. */
const cutStride = lengthOf({ short: 17, long: 1 });
/** One scenario has six times as many pairs of cuts as single ones. */
const depth = lengthOf<'single cuts' | 'pairs of cuts'>({ short: 'single cuts', long: 'pairs of cuts' });
const some = <T>(scenarios: readonly T[]) => scenarios.filter((_, index) => index % stride === 0);

/** The story of the broken promise, to be read in the failing test; undefined when none broke. */
async function storyOfBreak({ broken }: WalkReport): Promise<string | undefined> {
  return broken && storyOf(broken);
}

describe('every cut keeps the promises, and every pair of cuts', () => {
  it.each(operationNames)('%s', { timeout: timeoutMs }, async (operation) => {
    const report = await walk(some(everyScenario(operation)), depth, cutStride);
    expect(await storyOfBreak(report)).toBeUndefined();
    expect(report.schedules).toBeGreaterThan(leastSchedules);
  });

  it.each([
    ['transfer with a CVV', everyScenarioWithCode()],
    ['payout in the middle of a release', everyScenarioOfARelease()],
  ])('%s', { timeout: timeoutMs }, async (_, scenarios) => {
    const report = await walk(some(scenarios), depth, cutStride);
    expect(await storyOfBreak(report)).toBeUndefined();
    expect(report.schedules).toBeGreaterThan(leastSchedules);
  });
});

it('every mood of the gateway keeps the promises under every single cut', { timeout: timeoutMs }, async () => {
  // A mood that leaves a message waiting is walked for two weeks of its time, so fewer of them are.
  const moods = everyMood().filter((_, index) => index % lengthOf({ short: 270, long: 60 }) === 0);
  const report = await walk(moods, 'single cuts', cutStride);
  expect(await storyOfBreak(report)).toBeUndefined();
  expect(report.schedules).toBeGreaterThan(lengthOf({ short: 8, long: 300 }));
});
