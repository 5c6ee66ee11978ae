// What became of a payment has one word and one meaning, written in one place.
import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { operations } from '../../../lib/gateway/operations.ts';
import { fold } from '../../../lib/payout/order/fold.ts';
import { type Standing, standings } from '../../../lib/payout/order/standing.ts';
import { resultOf, viewOf } from '../../../lib/payout/order/projection.ts';
import { anOrder } from '../../support/orders.ts';
import { sources } from '../../support/sources.ts';
import { someFacts } from './generated-facts.ts';

it('no other file writes a table of words for states, or the meaning of one', () => {
  const names = new Set(Object.keys(standings));
  const meanings = Object.values(standings).map(({ meaning }) => meaning);
  const others = sources.filter(({ path }) => path !== 'lib/payout/order/standing.ts');
  const tables = others.flatMap(({ path, code }) =>
    [...code.matchAll(/\{([^{}]*)\}/g)]
      .map(([, body = '']) => [...body.matchAll(/^\s*'?([\w-]+)'?: ['"`][^'"`]{3}/gm)].map(([, key = '']) => key))
      .filter((keys) => keys.filter((key) => names.has(key)).length >= 3)
      .map((keys) => `${path}: ${keys.join(', ')}`),
  );
  const copies = others.flatMap(({ path, code }) =>
    meanings.filter((it) => it.length > 20 && code.includes(it)).map((it) => `${path}: ${it}`),
  );
  expect([...tables, ...copies]).toEqual([]);
});

it('each meaning is one plain sentence of at most 20 words, without a name of the code', () => {
  for (const { meaning } of Object.values(standings)) {
    expect(meaning).toMatch(/^[A-Z][^.]*\.$/);
    expect(meaning.split(' ').length).toBeLessThanOrEqual(20);
    expect(meaning).not.toMatch(/[a-z][A-Z]/);
  }
});

it('the standing of an order agrees with its result and its money, whatever its facts are', () => {
  fc.assert(
    fc.property(someFacts, fc.constantFrom('payout' as const, 'pan-eligibility' as const), (facts, operation) => {
      // given an order of any facts
      const order = anOrder({ facts });
      const view = viewOf({ ...order, content: { ...order.content, operation, endpointId: '1', fingerprint: '' } });
      // when its standing is read
      const { isFinal, needsPerson, moneyMayHaveMoved } = standings[view.standing];
      // then its properties are those of the order
      expect(isFinal).toBe(view.final);
      expect(needsPerson).toBe(fold(facts).kind === 'held');
      const told = resultOf(view)?.status;
      expect(told === 'approved' && view.standing === 'checked' ? 'accepted' : told).toBe(
        standings[view.standing].result,
      );
      const isUnsent = operation === 'pan-eligibility' || /^HELD_(CARD_DATA|TOO_MANY)$/.test(view.failure?.code ?? '');
      expect(moneyMayHaveMoved || !['in-doubt', 'held'].includes(told ?? '') || isUnsent).toBe(true);
      expect(moneyMayHaveMoved && ['declined', 'failed', 'cancelled'].includes(told ?? '')).toBe(false);
    }),
  );
});

it('a standing that may be sent again moved no money, and one that goes on has no way of its own', () => {
  const rows = Object.entries(standings) as [Standing, (typeof standings)[Standing]][];
  const again = rows.filter(([, { retry }]) => retry !== 'no');
  expect(again.map(([name]) => name)).toEqual(['declined', 'failed', 'rejected', 'dead-letter']);
  expect(again.filter(([, { moneyMayHaveMoved }]) => moneyMayHaveMoved)).toEqual([]);
  expect(operations['pan-eligibility'].movesMoney).toBe(false);
});
