// A payout in two steps keeps the promises: every answer of the gateway to either step, and every death of a process.
import { expect, it } from 'vitest';
import { lengthOf } from '../support/long-proof.ts';
import { walkEveryStep } from './check-then-pay.ts';

it('pays once at most, and tells nothing that the books deny', { timeout: 600_000 }, async () => {
  const { schedules, fault } = await walkEveryStep(lengthOf({ short: 60, long: 3, whole: 1 }));
  process.stdout.write(`two steps: ${schedules} schedules\n`);
  expect(fault).toBeUndefined();
  expect(schedules).toBeGreaterThan(lengthOf({ short: 20, long: 300, whole: 700 }));
});
