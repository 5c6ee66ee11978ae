// What became of a payment has one word and one meaning, written in one place.
import { expect, it } from 'vitest';
import { meaningAsSentence, standings, wordOf } from '../../../lib/payout/order/standing.ts';
import { sources } from '../../support/sources.ts';

it('no other file of the product writes the meaning of a state', () => {
  const others = sources.filter(({ path }) => path !== 'lib/payout/order/standing.ts');
  // The reason code of a row that no worker has begun says the same.
  const meanings = Object.entries(standings).flatMap(([state, { meaning }]) => (state === 'waiting' ? [] : [meaning]));
  // "waits for a person" is said of other things too: it counts as a whole text alone.
  const copies = others.flatMap(({ path, code }) =>
    meanings.filter((it) => it.length > 20 && code.includes(`'${it}'`)).map((it) => `${path}: ${it}`),
  );
  expect(meanings.length).toBeGreaterThan(8);
  expect(copies).toEqual([]);
});

it('a state has its word, a state of another table is its own, and a meaning is a sentence', () => {
  expect([wordOf('approved'), wordOf('held'), wordOf('rejected')]).toEqual(['paid', 'held', 'rejected']);
  expect(meaningAsSentence('accepted')).toBe('Accepted by the gateway, not confirmed as paid.');
});
