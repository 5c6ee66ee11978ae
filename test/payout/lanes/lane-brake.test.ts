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

  it('when an outage looks different each time', () => {
    const signs = [...times(2, 'not-connected'), ...times(2, 'no-answer'), sign('server-error')];
    expect(after(signs).closed).toMatchObject({ cause: 'server-error' });
  });

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

  it('when what was accepted before the trouble is heard of in between: workers tell of it late', () => {
    const bad = times(4, 'no-answer', { sentAtMs: at(10) });
    const late = sign('accepted', { sentAtMs: at(9) });
    expect(after([...bad, late, sign('no-answer', { sentAtMs: at(10) })]).closed).toMatchObject({ cause: 'no-answer' });
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

  it('is never probed by the same order twice running, as long as there is another', () => {
    const it = ask();
    const probed = take(closed, [it], asking(at(15))).next;
    const failed = after([sign('no-answer', { order: it.order, probe: true, sentAtMs: at(15) })], probed, at(35));
    expect(failed.closed).toMatchObject({ probes: 1, nextProbeAtMs: at(65) });
    expect(take(failed, [it], asking(at(65))).grants).toMatchObject([{ kind: 'wait' }]);
    expect(take(failed, [it, ask()], asking(at(65))).grants).toMatchObject([{ kind: 'wait' }, { kind: 'slot' }]);
    // Nobody else has come for a quarter of an hour.
    expect(take(failed, [it], asking(at(15 + 900))).grants).toMatchObject([{ kind: 'slot', probe: true }]);
  });

  it('is opened by a probe that is answered, at half its pace', () => {
    const probed = take(closed, [ask()], asking(at(15))).next;
    const open = after([sign('answered', { probe: true, sentAtMs: at(15) })], probed, at(16));
    expect(open).toMatchObject({ openedAtMs: at(16), ratePerSecond: 10 });
    expect(open.closed).toBeUndefined();
    expect(laneDecision(open, at(16))).toEqual({ kind: 'go' });
  });

  it('that the very first probe opens has met a limit: it comes back at half its pace, and knows where that was', () => {
    const busy = { ...newLane({}, startMs), ratePerSecond: 30 };
    const shut = after([sign('accepted', { sentAtMs: at(-10) }), ...times(5, 'credentials')], busy);
    const open = after([sign('accepted', { probe: true, sentAtMs: at(15) })], shut, at(16));
    expect(open).toMatchObject({ ratePerSecond: 15, ceilingPerSecond: 30 });
    // What was away for longer, and the key that is mended, say nothing of it.
    const failed = after([sign('credentials', { probe: true, sentAtMs: at(15) })], shut, at(16));
    const later = after([sign('accepted', { probe: true, sentAtMs: at(46) })], failed, at(47));
    expect(later).toMatchObject({ ratePerSecond: 30 });
    expect(later.ceilingPerSecond).toBeUndefined();
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

  it('is probed by an inquiry where the line has not brought a job for a quarter of a minute', () => {
    const inquiry = ask({ class: 'inquiry' });
    const promised = take(closed, [ask({ fromLine: true })], asking(at(1))).next;
    expect(take(promised, [inquiry], asking(at(15))).grants).toMatchObject([{ kind: 'wait', untilMs: at(30) }]);
    expect(take(promised, [inquiry], asking(at(30))).grants).toMatchObject([{ kind: 'slot', probe: true }]);
  });

  it('that was silent to orders lets inquiries pass once one is answered, and is opened by an order alone', () => {
    const inquiry = ask({ class: 'inquiry' });
    const probed = take(closed, [inquiry], asking(at(15))).next;
    const answer = sign('answered', { order: inquiry.order, isInquiry: true, probe: true, sentAtMs: at(15) });
    const half = after([answer], probed, at(16));
    const { grants, next } = take(half, [ask({ class: 'inquiry' }), ask(), ask()], asking(at(16)));
    expect(grants).toMatchObject([{ kind: 'slot' }, { kind: 'slot', probe: true }, { kind: 'wait' }]);
    const failed = sign('no-answer', { probe: true, sentAtMs: at(16) });
    expect(after([failed], next, at(36)).closed).toMatchObject({ cause: 'no-answer', probes: 1 });
    // And once an inquiry meets silence again, the others wait too.
    const silent = after([sign('no-answer', { isInquiry: true, sentAtMs: at(16) })], half, at(36));
    expect(take(silent, [ask({ class: 'inquiry' })], asking(at(36))).grants).toMatchObject([{ probe: true }]);
  });

  it('that nobody could reach is opened by an inquiry that is answered', () => {
    const away = after(times(5, 'not-connected'));
    const inquiry = ask({ class: 'inquiry' });
    const probed = take(away, [inquiry], asking(at(15))).next;
    const answer = sign('answered', { order: inquiry.order, isInquiry: true, probe: true, sentAtMs: at(15) });
    expect(after([answer], probed, at(16)).closed).toBeUndefined();
  });

  it('makes seven probes in ten minutes, and thirty-two in an hour', () => {
    let state = closed;
    let probes = 0;
    let early = 0;
    for (let sec = 1; sec <= 3_600; sec += 1) {
      const it = ask();
      const { grants, next } = take(state, [it], asking(at(sec)));
      state = next;
      if (grants[0]?.kind !== 'slot') continue;
      probes += 1;
      if (sec <= 600) early += 1;
      state = after([sign('no-answer', { order: it.order, probe: true, sentAtMs: at(sec) })], state, at(sec));
    }
    expect([early, probes]).toEqual([7, 32]);
  });
});

describe('a person', () => {
  it('stops a lane and lets it go on', () => {
    const state = pausedLane(newLane({}, startMs), saying);
    expect(laneDecision(state, at(86_400))).toEqual({ kind: 'wait', because: 'lane-paused' });
    expect(laneDecision(resumedLane(state, startMs), startMs)).toEqual({ kind: 'go' });
  });

  it('lets a lane go on that refuses, and has it closed again by twenty more', () => {
    const refuses = after(times(20, 'refused', { code: '8' }));
    const open = resumedLane(refuses, at(60));
    expect(laneDecision(open, at(60))).toEqual({ kind: 'go' });
    expect(after(times(20, 'refused', { code: '8', sentAtMs: at(61) }), open).closed).toMatchObject({ code: '8' });
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
