// Who is paid most is shown before anybody says yes: the largest of each currency, exactly, and nothing of a card.
import { expect, it } from 'vitest';
import { createPreview } from '../../lib/cli/batches/submit-preview.ts';
import { checked, all } from '../support/bulk-rows.ts';
import { aPayoutJob, testCards } from '../support/jobs.ts';

type Payment = readonly [id: string, amount: string, currency: string, payee?: string];

async function shown(payments: readonly Payment[]): Promise<string[]> {
  const jobs = payments.map(([orderId, amount, currency, payee]) => {
    const job = aPayoutJob({ orderId, ...(payee !== undefined && { context: { payee_name: payee } }) });
    return { ...job, params: { ...job.params, amount, currency } };
  });
  const preview = createPreview();
  for (const row of await all(checked(jobs, { seals: true }))) if (row.kind === 'job') preview.note(row);
  const lines = preview.text().trim().split('\n').slice(1);
  return lines.map((line) => line.trim().replaceAll(/ {2,}/g, ' '));
}

it('the three largest of each currency, the earlier first where they are alike', async () => {
  expect(
    await shown([
      ['A', '5.00', 'EUR', 'Ann'],
      ['B', '999999999.42', 'EUR', 'Bob'],
      ['C', '5.00', 'EUR', 'Cyd'],
      ['D', '999999999.43', 'EUR', 'Dan'],
      ['E', '4.99', 'EUR', 'Eve'],
      ['F', '7', 'JPY', 'Fay'],
    ]),
  ).toEqual(['5 D 999999999.43 EUR Dan', '3 B 999999999.42 EUR Bob', '2 A 5.00 EUR Ann', '7 F 7 JPY Fay']);
});

it('nothing where nobody is named, nor of a row that bears a card number in the place of a name', async () => {
  expect(await shown([['A', '5.00', 'EUR']])).toEqual([]);
  expect(await shown([['A', '5.00', 'EUR', `Ann ${testCards.receiver}`]])).toEqual([]);
});
