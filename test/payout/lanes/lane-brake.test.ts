// When a lane closes, who probes it, and what opens it.
import { describe, expect, it } from 'vitest';
import { laneDecision, type LaneState, newLane, type LaneAsk } from '../../../lib/payout/lanes/lane.ts';
import { pausedLane, probedNow, resumedLane, type Sign } from '../../../lib/payout/lanes/lane-brake.ts';
import { learned } from '../../../lib/payout/lanes/lane-pace.ts';
import { take } from '../../../lib/payout/lanes/lane-slots.ts';
import { startMs } from '../../support/time-and-chance.ts';

const seconds = 1_000;
const at = (sec: number) => startMs + sec * seconds;
const saying = { by: 'ops', reason: 'odd amounts', atMs: startMs };
let orders = 0;
const sign = (says: Sign['says'], changes: Partial<Sign> = {}): Sign => ({
  says,
  order: `o-${(orders += 1)}`,
  sentAtMs: startMs,
  tookMs: 100,
  generation: 0,
  pressed: false,
  ...changes,
});
const times = (count: number, says: Sign['says'], changes: Partial<Sign> = {}) =>
  Array.from({ length: count }, () => sign(says, changes));
const after = (signs: readonly Sign[], state: LaneState = newLane({}, startMs), nowMs = startMs) =>
  learned(state, signs, { nowMs, caps: {} });
const ask = (changes: Partial<LaneAsk> = {}): LaneAsk => ({ class: 'row', order: `w-${(orders += 1)}`, ...changes });
const asking = (nowMs: number) => ({ by: 'w', nowMs, caps: {}, inFlight: 0, spareSlots: 0 });

describe('a lane closes', () => {
  it.each(['not-connected', 'no-answer', 'server-error', 'unclear', 'credentials', 'address'] as const)(
    'after five running: %s',
    (says) => {
      expect(after(times(4, says)).closed).toBeUndefined();
      expect(after(times(5, says)).closed).toMatchObject({ cause: says, sinceMs: startMs, probes: 0 });
    },
  );

  it('after five refusals with one code of the account, not with several', () => {
    expect(after(times(5, 'account', { code: '28' })).closed).toMatchObject({ cause: 'account', code: '28' });
    expect(after(['28', '31', '28', '31', '28'].map((code) => sign('account', { code }))).closed).toBeUndefined();
  });

  it('after one refusal of orders twenty times running, for a person', () => {
    const same = times(20, 'refused', { code: '8' });
    expect(after(same.slice(1)).closed).toBeUndefined();
    const state = after(same);
    expect(state.closed).toMatchObject({ cause: 'refused', code: '8' });
    expect(laneDecision(state, at(86_400))).toEqual({ kind: 'wait', because: 'lane-closed' });
    expect(after([...same.slice(0, 10), sign('accepted'), ...same.slice(10)]).closed).toBeUndefined();
    expect(after([...same.slice(0, 19), sign('refused', { code: '9' })]).closed).toBeUndefined();
  });

  it('not for one order alone, however often it is tried', () => {
    expect(after(times(30, 'not-connected', { order: 'o-1' })).closed).toBeUndefined();
  });

  it('not when something was answered between, nor for what was sent before it was opened', () => {
    expect(after([...times(4, 'no-answer'), sign('answered'), ...times(4, 'no-answer')]).closed).toBeUndefined();
    const state = { ...newLane({}, startMs), openedAtMs: at(60) };
    expect(after(times(9, 'no-answer', { sentAtMs: at(59) }), state).closed).toBeUndefined();
  });

  it('for inquiries only where nobody is there, or the account is refused', () => {
    expect(after(times(9, 'no-answer', { isInquiry: true })).closed).toBeUndefined();
    expect(after(times(5, 'not-connected', { isInquiry: true })).closed).toMatchObject({ cause: 'not-connected' });
    // And that a question is answered does not say that orders are.
    const mixed = times(5, 'no-answer').flatMap((it) => [it, sign('answered', { isInquiry: true })]);
    expect(after(mixed).closed).toMatchObject({ cause: 'no-answer' });
  });
});

describe('a closed lane', () => {
  const closed = after(times(5, 'no-answer'));

  it('gives nobody a slot, and tells all to come for its next probe', () => {
    const { grants } = take(closed, [ask(), ask({ class: 'urgent' }), ask({ fromLine: true })], asking(startMs));
    const wait = { kind: 'wait', because: 'lane-closed', untilMs: at(15) };
    expect(grants).toEqual([wait, wait, wait]);
  });

  it('is probed by one order at a time', () => {
    const { grants, next } = take(closed, [ask(), ask()], asking(at(15)));
    expect(grants).toMatchObject([{ kind: 'slot', probe: true, untilMs: at(25) }, { kind: 'wait' }]);
    expect(take(next, [ask()], asking(at(54))).grants).toMatchObject([{ kind: 'wait' }]);
    // Whoever froze with the probe can send it no more, and an answer to it would be there by now.
    expect(take(next, [ask()], asking(at(56))).grants).toMatchObject([{ kind: 'slot', probe: true }]);
  });

  it('is opened by a probe that is answered, at half its pace', () => {
    const probed = take(closed, [ask()], asking(at(15))).next;
    const open = after([sign('answered', { probe: true, sentAtMs: at(15) })], probed, at(16));
    expect(open).toMatchObject({ openedAtMs: at(16), ratePerSecond: 10 });
    expect(open.closed).toBeUndefined();
    expect(laneDecision(open, at(16))).toEqual({ kind: 'go' });
  });

  it('for its account is opened by an accepted order alone, and lets inquiries pass', () => {
    const state = after(times(5, 'account', { code: '28' }));
    const inquiry = ask({ class: 'inquiry' });
    expect(take(state, [inquiry, ask()], asking(startMs)).grants).toMatchObject([{ kind: 'slot' }, { kind: 'wait' }]);
    const probe = { probe: true, sentAtMs: at(15) } as const;
    expect(after([sign('refused', { code: '8', ...probe })], state, at(16)).closed).toMatchObject({ probes: 1 });
    expect(after([sign('accepted', probe)], state, at(16)).closed).toBeUndefined();
  });

  it('is probed by an inquiry in time where no line stands there', () => {
    const inquiry = ask({ class: 'inquiry' });
    expect(take(closed, [inquiry], asking(at(5))).grants).toMatchObject([{ kind: 'wait', untilMs: at(15) }]);
    expect(take(closed, [inquiry], asking(at(15))).grants).toMatchObject([{ kind: 'slot', probe: true }]);
  });
});

describe('a person', () => {
  it('stops a lane and lets it go on', () => {
    const state = pausedLane(newLane({}, startMs), saying);
    expect(laneDecision(state, at(86_400))).toEqual({ kind: 'wait', because: 'lane-paused' });
    expect(laneDecision(resumedLane(state, startMs), startMs)).toEqual({ kind: 'go' });
  });

  it('has it probed at once, once', () => {
    const refuses = probedNow(after(times(20, 'refused', { code: '8' })), at(60));
    const { grants, next } = take(refuses, [ask()], asking(at(61)));
    expect(grants).toMatchObject([{ kind: 'slot', probe: true }]);
    const failed = after([sign('refused', { code: '8', probe: true, sentAtMs: at(61) })], next, at(62));
    expect(laneDecision(failed, at(86_400))).toEqual({ kind: 'wait', because: 'lane-closed' });
  });
});

it('a lane that is closed is not opened by an answer to what was sent before, however late it comes', () => {
  const closed = after(times(5, 'no-answer', { sentAtMs: at(10) }), newLane({}, startMs), at(40));
  const late = (sec: number) => sign('accepted', { sentAtMs: at(sec), tookMs: 30 * seconds });
  expect(after([late(39)], closed, at(69)).closed).toEqual(closed.closed);
  expect(after([late(40)], closed, at(70)).closed).toEqual(closed.closed);
  expect(after([late(41)], closed, at(71)).closed).toBeUndefined();
});
