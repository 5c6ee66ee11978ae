// What a file asks for, added up: a person decides by these sums whether it is sent, so no cent may be lost or moved.
import { expect, it } from 'vitest';
import { createSubtotals } from '../../lib/batches/survey-rows.ts';
import { aPayoutJob, aTransferByRefJob, anEligibilityJob, type JobBody, jobOf } from '../support/jobs.ts';

function subtotalsOf(...bodies: readonly JobBody[]) {
  const subtotals = createSubtotals();
  for (const body of bodies) subtotals.add(jobOf(body));
  return subtotals.all();
}

const payout = (merchant: string, amount: string, currency = 'EUR') =>
  aPayoutJob({ merchant, params: { amount, currency } });

it('adds up by merchant, operation and currency, and lists the sums by name, however the file mixes them', () => {
  expect(
    subtotalsOf(
      payout('globex-us', '1.00'),
      payout('acme-eu', '10.42'),
      aTransferByRefJob(),
      payout('acme-eu', '5.00', 'USD'),
      anEligibilityJob(),
      payout('globex-us', '2.50'),
      payout('acme-eu', '0.01'),
      anEligibilityJob(),
    ),
  ).toStrictEqual([
    { merchant: 'acme-eu', operation: 'pan-eligibility', count: 2, minorUnits: 0n },
    { merchant: 'acme-eu', operation: 'payout', currency: 'EUR', count: 2, minorUnits: 1043n },
    { merchant: 'acme-eu', operation: 'payout', currency: 'USD', count: 1, minorUnits: 500n },
    { merchant: 'acme-eu', operation: 'transfer-by-ref', currency: 'JPY', count: 1, minorUnits: 1000n },
    { merchant: 'globex-us', operation: 'payout', currency: 'EUR', count: 2, minorUnits: 350n },
  ]);
});

it('is exact beyond what a floating-point number holds', () => {
  const subtotals = createSubtotals();
  const job = jobOf(payout('acme-eu', '0.01'));
  subtotals.add({ ...job, money: { currency: 'EUR', minorUnits: 9_007_199_254_740_993n } });
  subtotals.add(job);
  expect(subtotals.all()).toMatchObject([{ count: 2, minorUnits: 9_007_199_254_740_994n }]);
});

it('of an empty file is nothing', () => {
  expect(subtotalsOf()).toEqual([]);
});
