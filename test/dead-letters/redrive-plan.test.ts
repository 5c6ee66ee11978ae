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

const heard = { class: 'nothing', because: 'approved', changes: false } as const;
const reused = { class: 'nothing', because: 'ORDER_ID_REUSED', changes: false } as const;
const stays = (kind: RedriveClass, because: string) => ({ class: kind, because, changes: false });
const { order: _order, ...unread } = aLetter('a', { class: 'end' });

it.each<[what: string, letters: readonly JudgedDeadLetter[], plan: readonly string[]]>([
  [
    'go one at a time: what the second would do depends on how the first ends',
    [ofOneOrder('a'), ofOneOrder('b'), aLetter('c')],
    ['a submit new', 'b after same-order', 'c submit new'],
  ],
  [
    'go together where the first changes nothing',
    [ofOneOrder('a', heard), ofOneOrder('b', heard)],
    ['a nothing approved', 'b nothing approved'],
  ],
  [
    'keep to the order in which they came',
    [ofOneOrder('a', { class: 'end', because: 'EXPIRED' }), aLetter('c', { class: 'inquire' }), ofOneOrder('b')],
    ['a end EXPIRED', 'c inquire new', 'b after same-order'],
  ],
  [
    'with other content under its id are refused, whatever the first does',
    [ofOneOrder('a'), ofOneOrder('b', reused)],
    ['a submit new', 'b nothing ORDER_ID_REUSED'],
  ],
  [
    'that would not move anyway stay with what keeps them',
    [ofOneOrder('a'), ofOneOrder('b', stays('wait', 'busy')), ofOneOrder('c', stays('reject', 'PLAIN_CARD_DATA'))],
    ['a submit new', 'b wait busy', 'c reject PLAIN_CARD_DATA'],
  ],
  ['are none where no order can be read', [unread, { ...unread, messageId: 'b' }], ['a end new', 'b end new']],
])('letters of one order %s', (_, letters, plan) => {
  expect(planned(letters)).toEqual(plan);
});

const paying = (messageId: string, minorUnits: bigint, room = 100n) =>
  aLetter(messageId, { money: eur(minorUnits), dayCaps: [today(minorUnits, room)] });
const twice = { order: 'acme-eu/INV-1' };
const busy = (messageId: string, minorUnits: bigint) =>
  aLetter(messageId, {
    money: eur(minorUnits),
    dayCaps: [today(minorUnits, 100n), today(1n, 2n, 'acme-eu ordersPerDay EUR')],
  });
const known = { class: 'inquire', because: 'NO_ANSWER', changes: false } as const;
const [sentA, sentB, sentC] = ['a submit new', 'b submit new', 'c submit new'];

it.each<[what: string, letters: readonly JudgedDeadLetter[], plan: readonly string[]]>([
  [
    'lets through what fills it to the last cent, and not a cent more',
    [paying('a', 60n), paying('b', 40n), paying('c', 1n)],
    [sentA, sentB, 'c after cap'],
  ],
  [
    'is not used up by what it keeps back: a smaller one may still go',
    [paying('a', 60n), paying('b', 41n), paying('c', 40n)],
    [sentA, 'b after cap', sentC],
  ],
  [
    'is used up by no letter that waits for another of its order',
    [{ ...paying('a', 50n), ...twice }, { ...paying('b', 50n), ...twice }, paying('c', 50n)],
    [sentA, 'b after same-order', sentC],
  ],
  [
    'keeps one letter back without keeping back another of its order, which it leaves as it is',
    [paying('a', 60n), paying('b', 60n), aLetter('c', { order: 'acme-eu/b', ...stays('nothing', 'NOT_SENT') })],
    [sentA, 'b after cap', 'c nothing NOT_SENT'],
  ],
  [
    'is as many as the day has: the fullest decides, and what one keeps back uses up no other',
    [busy('a', 101n), busy('b', 1n), busy('c', 1n), busy('d', 1n)],
    ['a after cap', sentB, sentC, 'd after cap'],
  ],
  [
    'is each merchant’s own, and each currency’s',
    [
      paying('a', 100n),
      aLetter('b', { money: eur(100n), dayCaps: [today(100n, 100n, 'acme-us EUR')] }),
      aLetter('c', { money: { currency: 'USD', minorUnits: 100n }, dayCaps: [today(100n, 100n, 'acme-eu USD')] }),
    ],
    [sentA, sentB, sentC],
  ],
  [
    'counts nothing but what is sent',
    [{ ...paying('a', 100n), ...known }, { ...paying('b', 500n), ...known }, paying('c', 100n)],
    ['a inquire NO_ANSWER', 'b inquire NO_ANSWER', sentC],
  ],
  [
    'holds up neither a check, which has no money, nor a merchant without one',
    [aLetter('a'), aLetter('b', { money: eur(1_000_000n) }), paying('c', 100n)],
    [sentA, sentB, sentC],
  ],
])('the cap of a day %s', (_, letters, plan) => {
  expect(planned(letters)).toEqual(plan);
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
