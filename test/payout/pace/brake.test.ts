// The brake of a lane: what closes it, who probes it and when, what opens it, and what a person says.
import { describe, expect, it } from 'vitest';
import { pausedLane, probedNow, resumedLane } from '../../../lib/payout/pace/brake.ts';
import { type LaneState, newLane, type Sign, type Turn, type TurnWindow } from '../../../lib/payout/pace/lane-state.ts';
import { type Grant, isGood, isTurn, learned, take } from '../../../lib/payout/pace/lane.ts';
import { startMs } from '../../support/time-and-chance.ts';

const turn: Turn = { atMs: startMs, ratePerSecond: 20, pressed: false };
const saying = { by: 'ada', reason: 'audit', atMs: startMs };
type Says = Sign['says'];

/** The sign of a request that was sent so many ms from the beginning, of an order of its own unless it is named. */
const sign = (says: Says, atMs: number, more: Partial<Sign> = {}): Sign => ({
  says,
  turn,
  order: `o${atMs}`,
  sentAtMs: startMs + atMs,
  tookMs: 50,
  ...more,
});
const after = (state: LaneState, ...signs: Sign[]): LaneState =>
  signs.reduce((it, one) => learned(it, one, one.sentAtMs + one.tookMs), state);
const five = (says: Says, more: Partial<Sign> = {}) =>
  after(newLane({}), ...[100, 200, 300, 400, 500].map((atMs) => sign(says, atMs, more)));
const refusals = (count: number, codeOf: (n: number) => string = () => '51', fromMs = 0) =>
  Array.from({ length: count }, (_, n) => sign('refused', fromMs + n * 100 + 100, { code: codeOf(n) }));

/** A turn at this time for this asker. */
function asked(state: LaneState, atMs: number, how: Partial<TurnWindow> = { isLeader: true }) {
  const nowMs = startMs + atMs;
  return take(state, nowMs, { fromMs: nowMs, toMs: nowMs + 10_000, ...how });
}
const isProbe = (grant: Grant) => isTurn(grant) && grant.probe === true;
const inquiry = { isInquiry: true } as const;
const newcomer = {};

describe('a lane is closed', () => {
  it.each<[what: string, state: LaneState, cause: string]>([
    ['by five of different orders that found no listener', five('not-connected'), 'not-connected'],
    ['by five refusals of the key', five('credentials'), 'credentials'],
    ['by five of one code of the account', five('account', { code: '28' }), 'account'],
    ['by twenty refusals with one code', after(newLane({}), ...refusals(20)), 'refused'],
    [
      'by trouble of several kinds',
      after(five('not-connected', { order: 'one' }), ...[1, 2, 3, 4].map((n) => sign('server-error', n * 1_000))),
      'server-error',
    ],
  ])('%s', (_, state, cause) => {
    expect(state.closed).toMatchObject({ cause });
  });

  it.each<[what: string, state: LaneState]>([
    ['one order over and over again', five('no-answer', { order: 'one' })],
    ['nineteen refusals', after(newLane({}), ...refusals(19))],
    ['refusals with codes of two kinds', after(newLane({}), ...refusals(40, (n) => String(n % 2)))],
    [
      'refusals between which one was accepted',
      after(newLane({}), ...refusals(19), sign('accepted', 3_000), ...refusals(19, undefined, 5_000)),
    ],
    ['inquiries that find no answer', five('no-answer', { turn: { ...turn, isInquiry: true } })],
    [
      'requests that were sent before it opened',
      after(
        resumedLane(five('no-answer'), startMs + 60_000),
        ...[1, 2, 3, 4, 5].map((n) => sign('no-answer', 50_000 + n)),
      ),
    ],
  ])('not by %s', (_, state) => {
    expect(state.closed).toBeUndefined();
  });

  it('although good news of before the trouble is written later', () => {
    expect(after(newLane({}), sign('no-answer', 500), sign('accepted', 100)).streak).toMatchObject({ count: 1 });
  });
});

describe('a closed lane', () => {
  it('is probed by the leader alone, one at a time, 15 s after it closed, then later and later', () => {
    // given
    let state = five('not-connected');
    expect(isTurn(asked(state, 15_000).grant)).toBe(false);
    expect(isTurn(asked(state, 60_000, newcomer).grant)).toBe(false);
    // when
    const waits: number[] = [];
    let atMs = 0;
    for (let probe = 0; probe < 5; probe += 1) {
      const dueMs = (state.closed?.nextProbeAtMs ?? NaN) - startMs;
      waits.push(Math.round((dueMs - atMs) / 1_000));
      const { grant, state: probing } = asked(state, dueMs);
      if (!isTurn(grant)) throw new Error('its probe is due');
      expect(isTurn(asked(probing, dueMs + 1_000).grant)).toBe(false);
      atMs = dueMs;
      state = after(probing, sign('not-connected', dueMs + 1, { turn: grant }));
    }
    // then
    expect(waits).toEqual([16, 30, 60, 120, 120]);
  });

  it('for which a person must decide is not probed, and goes on at their word', () => {
    const state = after(newLane({}), ...refusals(20));
    expect(asked(state, 1e9).grant).toEqual({});
    expect(isProbe(asked(probedNow(state, startMs + 5_000), 5_000).grant)).toBe(true);
    expect(isTurn(asked(resumedLane(state, startMs + 5_000), 6_000).grant)).toBe(true);
  });

  it.each<[says: Says, isOpen: boolean]>([
    ['accepted', true],
    ['answered', true],
    ['refused', true],
    ['slow-down', true],
    ['not-connected', false],
    ['no-answer', false],
  ])('is opened by a probe that is told %s: %s', (says, isOpen) => {
    const { grant, state } = asked(five('not-connected'), 20_000);
    if (!isTurn(grant)) throw new Error('its probe is due');
    expect(after(state, sign(says, 20_001, { turn: grant })).closed === undefined).toBe(isOpen);
  });

  it('that left orders in doubt is asked before another order is the probe; three questions in silence, and an order probes', () => {
    // given
    let state = five('no-answer');
    expect(isTurn(asked(state, 16_000).grant)).toBe(false);
    // when
    for (let question = 1; question <= 3; question += 1) {
      const dueMs = (state.closed?.nextProbeAtMs ?? NaN) - startMs;
      const { grant, state: asking } = asked(state, dueMs, inquiry);
      if (!isTurn(grant)) throw new Error('a question is due');
      state = after(asking, sign('no-answer', dueMs + 1, { turn: grant }));
    }
    // then
    expect(isProbe(asked(state, (state.closed?.nextProbeAtMs ?? NaN) - startMs).grant)).toBe(true);
  });

  it('is not opened by a question that is answered, but an order probes at once', () => {
    const { grant, state } = asked(five('no-answer'), 16_000, inquiry);
    if (!isTurn(grant)) throw new Error('a question is due');
    const answered = after(state, sign('answered', 16_001, { turn: grant }));
    expect(answered.closed).toBeDefined();
    const probe = asked(answered, 16_100);
    expect(isProbe(probe.grant)).toBe(true);
    expect(isTurn(asked(answered, 16_100, newcomer).grant)).toBe(false);
    const opened = isTurn(probe.grant) && after(probe.state, sign('accepted', 16_101, { turn: probe.grant }));
    expect(opened && opened.closed).toBeUndefined();
  });

  it('for the sake of its orders answers questions all the while', () => {
    const state = five('account', { code: '28' });
    const { grant } = asked(state, 1_000, inquiry);
    expect(isTurn(grant) && !grant.probe && isGood(grant, state, startMs + 1_000)).toBe(true);
    expect(after(state, sign('answered', 2_000, { turn: { ...turn, isInquiry: true } })).closed).toBeDefined();
  });

  it('that its very first probe opens had too high a pace, and remembers it; one that was away comes back weaker', () => {
    const opened = (probes: number) => {
      const closed = five('not-connected');
      const state = closed.closed ? { ...closed, closed: { ...closed.closed, probes } } : closed;
      const { grant, state: probing } = asked(state, 20_000);
      if (!isTurn(grant)) throw new Error('its probe is due');
      return after(probing, sign('accepted', 20_001, { turn: grant }));
    };
    expect(opened(0)).toMatchObject({ ratePerSecond: 10, ceilingPerSecond: 20 });
    expect(opened(2)).toMatchObject({ ratePerSecond: 10 });
    expect(opened(2).ceilingPerSecond).toBeUndefined();
  });
});

it('a paused lane gives nothing to anybody, and voids what was given', () => {
  const { grant, state } = asked(newLane({}), 0);
  const paused = pausedLane(state, saying);
  expect(asked(paused, 1_000, inquiry).grant).toEqual({});
  expect(isTurn(grant) && isGood(grant, paused, startMs + 100)).toBe(false);
  expect(isTurn(asked(resumedLane(paused, startMs + 2_000), 3_000).grant)).toBe(true);
});
