// No schedule of crashes pays twice: one job, every operation and profile, every single cut and every pair of cuts.
import { describe, expect, it } from 'vitest';
import { operationNames } from '../../lib/gateway/operations.ts';
import { everyMood, everyScenario, everyScenarioWithCode, storyOf, walk, type WalkReport } from './exhaustive.ts';

const timeoutMs = 120_000;

/** The story of what broke, to be read in the failing test; undefined when nothing did. */
async function storyOfBreak({ broken }: WalkReport): Promise<string | undefined> {
  return broken && storyOf(broken);
}

describe('every single cut and every pair of cuts keeps the promises', () => {
  it.each(operationNames)('%s', { timeout: timeoutMs }, async (operation) => {
    const report = await walk(everyScenario(operation), 'pairs of cuts');
    expect(await storyOfBreak(report)).toBeUndefined();
    expect(report.schedules).toBeGreaterThan(5_000);
  });

  it('transfer with a CVV', { timeout: timeoutMs }, async () => {
    const report = await walk(everyScenarioWithCode(), 'pairs of cuts');
    expect(await storyOfBreak(report)).toBeUndefined();
    expect(report.schedules).toBeGreaterThan(5_000);
  });
});

it('every mood of the gateway keeps the promises under every single cut', { timeout: timeoutMs }, async () => {
  const report = await walk(everyMood(), 'single cuts');
  expect(await storyOfBreak(report)).toBeUndefined();
  expect(report.schedules).toBeGreaterThan(5_000);
});
