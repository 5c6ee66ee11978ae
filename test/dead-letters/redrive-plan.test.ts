// A plan over many letters: each was judged as if it were alone, and together they must not do more than was said of them.
import { describe, expect, it } from 'vitest';
import { movable, redrivePlan } from '../../lib/dead-letters/redrive-dead-letters.ts';
import { type RedriveClass, redriveClasses, type JudgedDeadLetter } from '../../lib/dead-letters/judge-dead-letter.ts';

const eur = (minorUnits: bigint) => ({ currency: 'EUR', minorUnits });
const today = (counts: bigint, room: bigint, name = 'acme-eu perDay EUR') => ({ name, counts, room });

/** A letter of an order of its own, never sent. */
function aLetter(messageId: string, changes: Partial<JudgedDeadLetter> = {}): JudgedDeadLetter {
  return { messageId, class: 'submit', because: 'new', changes: true, order: `acme-eu/${messageId}`, ...changes };
}

const ofOneOrder = (messageId: string, changes: Partial<JudgedDeadLetter> = {}) =>
  aLetter(messageId, { order: 'acme-eu/INV-1', ...changes });

const planned = (letters: readonly JudgedDeadLetter[]) =>
  redrivePlan(letters).deadLetters.map((it) => `${it.messageId} ${it.class} ${it.because}`);

describe('letters of one order', () => {
  it('go one at a time: what the second would do depends on how the first ends', () => {
    expect(planned([ofOneOrder('a'), ofOneOrder('b'), aLetter('c')])).toEqual([
      'a submit new',
      'b after same-order',
      'c submit new',
    ]);
  });

  it('go together where the first changes nothing', () => {
    const heard = { class: 'nothing', because: 'approved', changes: false } as const;
    expect(planned([ofOneOrder('a', heard), ofOneOrder('b', heard)])).toEqual([
      'a nothing approved',
      'b nothing approved',
    ]);
  });

  it('keep to the order in which they came', () => {
    expect(
      planned([
        ofOneOrder('a', { class: 'end', because: 'EXPIRED' }),
        aLetter('c', { class: 'inquire' }),
        ofOneOrder('b'),
      ]),
    ).toEqual(['a end EXPIRED', 'c inquire new', 'b after same-order']);
  });

  it('with other content under its id are refused, whatever the first does', () => {
    const other = { class: 'nothing', because: 'ORDER_ID_REUSED', changes: false } as const;
    expect(planned([ofOneOrder('a'), ofOneOrder('b', other)])).toEqual(['a submit new', 'b nothing ORDER_ID_REUSED']);
  });

  it.each<[RedriveClass, string]>([
    ['wait', 'busy'],
    ['reject', 'FIELD_NOT_IN_CONTRACT'],
  ])('that would not move anyway stay in %s, with what keeps them', (kind, because) => {
    const stays = { class: kind, because, changes: false };
    expect(planned([ofOneOrder('a'), ofOneOrder('b', stays)])).toEqual(['a submit new', `b ${kind} ${because}`]);
  });

  it('are none where no order can be read', () => {
    const { order: _a, ...first } = aLetter('a', { class: 'end' });
    const { order: _b, ...second } = aLetter('b', { class: 'end' });
    expect(planned([first, second])).toEqual(['a end new', 'b end new']);
  });
});

describe('the cap of a day', () => {
  const paying = (messageId: string, minorUnits: bigint, room = 100n) =>
    aLetter(messageId, { money: eur(minorUnits), dayCaps: [today(minorUnits, room)] });

  it('lets through what fills it to the last cent, and not a cent more', () => {
    expect(planned([paying('a', 60n), paying('b', 40n), paying('c', 1n)])).toEqual([
      'a submit new',
      'b submit new',
      'c after CAP_EXCEEDED',
    ]);
  });

  it('is not used up by what it keeps back: a smaller one may still go', () => {
    expect(planned([paying('a', 60n), paying('b', 41n), paying('c', 40n)])).toEqual([
      'a submit new',
      'b after CAP_EXCEEDED',
      'c submit new',
    ]);
  });

  it('is used up by no letter that waits for another of its order', () => {
    const twice = { order: 'acme-eu/INV-1' };
    expect(planned([{ ...paying('a', 50n), ...twice }, { ...paying('b', 50n), ...twice }, paying('c', 50n)])).toEqual([
      'a submit new',
      'b after same-order',
      'c submit new',
    ]);
  });

  it('keeps one letter back without keeping back another of its order, which it leaves as it is', () => {
    const told = aLetter('c', { order: 'acme-eu/b', class: 'nothing', because: 'NOT_SENT', changes: false });
    expect(planned([paying('a', 60n), paying('b', 60n), told])).toEqual([
      'a submit new',
      'b after CAP_EXCEEDED',
      'c nothing NOT_SENT',
    ]);
  });

  it('is as many as the day has: the fullest decides, and what one keeps back uses up no other', () => {
    const busy = (messageId: string, minorUnits: bigint) =>
      aLetter(messageId, {
        money: eur(minorUnits),
        dayCaps: [today(minorUnits, 100n), today(1n, 2n, 'acme-eu ordersPerDay EUR')],
      });
    expect(planned([busy('a', 101n), busy('b', 1n), busy('c', 1n), busy('d', 1n)])).toEqual([
      'a after CAP_EXCEEDED',
      'b submit new',
      'c submit new',
      'd after CAP_EXCEEDED',
    ]);
  });

  it('is each merchant’s own, and each currency’s', () => {
    const others = [
      aLetter('b', { money: eur(100n), dayCaps: [today(100n, 100n, 'acme-us EUR')] }),
      aLetter('c', { money: { currency: 'USD', minorUnits: 100n }, dayCaps: [today(100n, 100n, 'acme-eu USD')] }),
    ];
    expect(planned([paying('a', 100n), ...others])).toEqual(['a submit new', 'b submit new', 'c submit new']);
  });

  it('counts nothing but what is sent', () => {
    const known = { class: 'inquire', because: 'NO_ANSWER', changes: false } as const;
    expect(
      planned([{ ...paying('a', 100n), ...known }, { ...paying('b', 500n), ...known }, paying('c', 100n)]),
    ).toEqual(['a inquire NO_ANSWER', 'b inquire NO_ANSWER', 'c submit new']);
  });

  it('holds up neither a check, which has no money, nor a merchant without one', () => {
    expect(planned([aLetter('a'), aLetter('b', { money: eur(1_000_000n) }), paying('c', 100n)])).toEqual([
      'a submit new',
      'b submit new',
      'c submit new',
    ]);
  });
});

describe('what a plan comes to', () => {
  it('is counted by class, and summed by currency, to the cent', () => {
    const huge = 9_007_199_254_740_993n;
    const { totals } = redrivePlan([
      aLetter('a', { money: eur(huge) }),
      aLetter('b', { money: { currency: 'JPY', minorUnits: 1000n } }),
      aLetter('c', { money: eur(2n) }),
      aLetter('d'),
      aLetter('e', { class: 'hold', money: eur(7n) }),
    ]);
    expect(totals).toEqual({
      submit: { count: 4, money: { EUR: huge + 2n, JPY: 1000n } },
      hold: { count: 1, money: { EUR: 7n } },
    });
  });

  it('counts each letter where the plan has put it, not where it stood alone', () => {
    const { totals } = redrivePlan([ofOneOrder('a', { money: eur(5n) }), ofOneOrder('b', { money: eur(5n) })]);
    expect(totals).toEqual({ submit: { count: 1, money: { EUR: 5n } }, after: { count: 1, money: { EUR: 5n } } });
  });

  it('is nothing where there are no letters', () => {
    expect(redrivePlan([])).toEqual({ deadLetters: [], totals: {} });
  });
});

describe('what may be moved', () => {
  it('is what does something, by the id of its letter; a refused or waiting one stays for a person to look at', () => {
    const letters = (Object.keys(redriveClasses) as RedriveClass[]).map((kind) => aLetter(kind, { class: kind }));
    const moving = movable({ deadLetters: letters });
    expect([...moving.keys()]).toEqual(['submit', 'inquire', 'hold', 'end', 'nothing']);
    expect(moving.get('hold')).toEqual(aLetter('hold', { class: 'hold' }));
  });
});
