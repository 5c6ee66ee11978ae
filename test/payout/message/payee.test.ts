// The masked payee: enough for a person to know a payment again, and no name or account.
import { expect, it } from 'vitest';
import { maskedPayee } from '../../../lib/payout/message/payee.ts';

const context = (name: unknown) => JSON.stringify({ payee_name: name });

it.each([
  ['a name and an account', 'Jane Smith', 'DE89370400440532013000', 'J… S… …3000'],
  ['letters of any script', '王 小明', 'GB29', '王… 小… …9'],
  ['an account too short to show any of it', 'Ann', '12', 'A…'],
  ['no name', undefined, '89370400', '…00'],
  ['a name of signs alone', '— *', '', undefined],
])('shows of %s initials, and a third of the account at most', (_, name, account, shown) => {
  const params = { amount: '1.00', ...(account !== undefined && { account_number: account }) };
  expect(maskedPayee({ operation: 'payout', params, ...(name !== undefined && { context: context(name) }) })).toBe(
    shown,
  );
});

it('is nothing where the job shows neither', () => {
  expect(maskedPayee({ operation: 'payout', params: {} })).toBeUndefined();
});
