// A payout in two steps keeps the promises: every answer of the gateway to either step, and every death of a process.
import { expect, it } from 'vitest';
import { walkEveryStep } from './check-then-pay.ts';

it('pays once at most, and tells nothing that the books deny', { timeout: 120_000 }, async () => {
  const { schedules, fault } = await walkEveryStep();
  process.stdout.write(`two steps: ${schedules} schedules\n`);
  expect(fault).toBeUndefined();
  expect(schedules).toBeGreaterThan(100);
});
