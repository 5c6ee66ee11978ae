// How people see an order: what was dropped of it counts on, and its history keeps what explains it.
import { describe, expect, it } from 'vitest';
import { drop } from '../../../lib/payout/order/drop.ts';
import { type Attempt, type Decision, noFacts, ofAttempt } from '../../../lib/payout/order/facts.ts';
import { join } from '../../../lib/payout/order/join.ts';
import { viewOf } from '../../../lib/payout/order/projection.ts';
import { factsAfter } from '../../../lib/payout/order/restored.ts';
import { anAttempt, anOrder, withFacts } from '../../support/orders.ts';
import { startMs } from '../../support/time-and-chance.ts';

const refused = (connected: boolean, changes: Partial<Attempt> = {}): Partial<Attempt> => ({
  answer: {
    kind: 'refused',
    about: 'pace',
    connected,
    atMs: startMs + 1,
    code: connected ? 'RATE_LIMITED' : 'NOT_SENT',
    message: 'no',
  },
  ...changes,
});
/** Attempts a1, a2, … of one order, one after the other. */
const facts = (...attempts: readonly Partial<Attempt>[]) =>
  attempts
    .map((it, place) => ofAttempt(anAttempt({ id: `a${place + 1}`, number: place + 1, askable: false, ...it })))
    .reduce(join, noFacts);

describe('attempts whose records were dropped', () => {
  it('are those that prove nothing any more: the last two stay, and the last two that the gateway saw', () => {
    const dropped = drop(
      facts(refused(true), refused(false), refused(true), refused(true), refused(false), refused(false)),
    );
    expect(Object.keys(dropped.attempts)).toEqual(['a3', 'a4', 'a5', 'a6']);
  });

  it('are counted on, whether the gateway saw them or not', () => {
    const six = facts(refused(true), refused(false), refused(true), refused(true), refused(false), refused(false));
    expect(drop(six).dropped).toEqual({ believed: 1, proven: 1 });
    expect(viewOf(anOrder({ facts: drop(six) })).attempts).toBe(6);
  });
});

it('a check that the gateway approved was never paid', () => {
  const attempt = { askable: false, ids: ['7'], reports: ['approved'], approvedAtMs: startMs + 5 } as const;
  const { history, standing } = viewOf(anOrder({ operation: 'pan-eligibility', facts: facts(attempt) }));
  expect([...history.map((line) => line.standing), standing]).toEqual(['sending', 'checked', 'checked']);
});

describe('the history', () => {
  const linesOf = (...attempts: readonly Partial<Attempt>[]) =>
    viewOf(anOrder({ facts: facts(...attempts) })).history.map(({ standing, attempts: number, reason }) => [
      number,
      standing,
      reason,
    ]);

  it('has a line for each claim and each refusal, not for the last alone, in the order of time', () => {
    expect(linesOf(refused(true, { atMs: startMs }), refused(false, { atMs: startMs }))).toEqual([
      [1, 'sending', 'claimed'],
      [2, 'sending', 'claimed'],
      [1, 'waiting', 'RATE_LIMITED'],
      [2, 'waiting', 'NOT_SENT'],
    ]);
  });

  it('says what was so then: the end of the first attempt is that of the first, also after a second was sent', () => {
    // given an order that was declined, and sent once more by the name of that end
    const said = { code: 'GATEWAY_REFUSED', message: 'no such account' };
    const declined = { kind: 'refused', about: 'order', connected: true, atMs: startMs + 1, ...said } as const;
    const sent = facts(
      { atMs: startMs, answer: declined },
      { atMs: startMs + 60_000, number: 3, reopens: 'end-1', answer: { kind: 'taken', atMs: startMs + 60_001 } },
    );
    const end = { id: 'end-1', number: 2, reason: 'declined', atMs: startMs + 2, saw: {}, ...said } as const;
    const order = anOrder({ facts: join(sent, { ...noFacts, ends: { 'end-1': end } }) });

    // then
    expect(viewOf(order).history.map(({ standing, attempts }) => [attempts, standing])).toEqual([
      [1, 'sending'],
      [1, 'declined'],
      [1, 'declined'],
      [2, 'sending'],
      [2, 'accepted'],
    ]);
  });

  it('has a line for the doubt, and for each question to which the account knew no such order', () => {
    const lapsed = { code: 'NO_ANSWER', message: 'the connection was reset' };
    const absent = { account: { firstMs: startMs + 70_000, lastMs: startMs + 90_000 } };
    const doubted = facts({ atMs: startMs, leaseUntilMs: startMs + 60_000, askable: true, lapsed, absent });
    const order = { ...anOrder({ facts: doubted }), updatedAtMs: startMs + 90_000 };
    expect(viewOf(order).history.map(({ standing, atMs, reason }) => [atMs - startMs, standing, reason])).toEqual([
      [0, 'sending', 'claimed'],
      [60_000, 'in-doubt', 'NO_ANSWER'],
      [70_000, 'in-doubt', 'not-known'],
      [90_000, 'in-doubt', 'not-known'],
    ]);
  });

  it('keeps its lines for doubt, question and hold after a person has decided', () => {
    // given an order in doubt that was asked about, and was held
    const lapsed = { code: 'NO_ANSWER', message: 'the connection was reset' };
    const times = { lapsedAtMs: startMs + 6_000, overdueAtMs: startMs + 300_000 };
    const held = facts({
      atMs: startMs,
      leaseUntilMs: startMs + 60_000,
      askable: true,
      lapsed,
      overdue: true,
      ...times,
    });
    const published = { revision: 2, digest: '', atMs: startMs + 300_000 };
    const order = { ...anOrder({ facts: held }), looks: 3, lookedAtMs: startMs + 200_000, published };
    const linesOf = (it: typeof order) =>
      viewOf(it).history.map(({ standing, atMs, reason }) => [atMs - startMs, standing, reason]);
    const lines = [
      [0, 'sending', 'claimed'],
      [6_000, 'in-doubt', 'NO_ANSWER'],
      [200_000, 'in-doubt', 'asked'],
      [300_000, 'held', 'overdue'],
    ];
    expect(linesOf(order)).toEqual(lines);
    // when it is released
    const paid: Decision = { id: 'd', kind: 'paid', by: 'ada', reason: 'x', atMs: startMs + 400_000, saw: {} };
    const released = withFacts(order, { decisions: { d: paid } }, startMs + 400_000);
    // then its lines are what they were, with one more
    expect(linesOf({ ...order, ...released })).toEqual([...lines, [400_000, 'paid', 'released-as-paid']]);
  });
});

it.each<[what: string, order: Parameters<typeof viewOf>[0], mayHaveMore: true | undefined]>([
  ['sent once', anOrder(), undefined],
  ['that a restore may have lost a POST of', anOrder({ facts: facts({}, { lost: true }) }), true],
  [
    'of which the gateway knows another id',
    anOrder({
      facts: { ...facts({}), unknown: { '8': { id: '8', since: 1, reports: ['seen'], amounts: [] } } },
    }),
    true,
  ],
  [
    'that began after a restore, which may have lost one of its name',
    anOrder({ facts: join(facts({}), factsAfter({ pausedAtMs: startMs }, startMs)) }),
    true,
  ],
])('an order %s: the gateway may have more of it than its attempts (%s)', (_, order, mayHaveMore) => {
  expect(viewOf(order).mayHaveMore).toBe(mayHaveMore);
});
