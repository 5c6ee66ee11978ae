// HOW ANSWERS CHANGE A LANE'S PACE: additive increase, multiplicative decrease. The rate doubles while no limit is known, grows slowly
// through the last known limit, and goes on growing once that has held for long. A gateway whose answers slow down gets less.
import type { LaneState, Sign } from './lane-state.ts';

const leastPerSecond = 0.05;
const mostPerSecond = 5_000;
/** A refusal this soon after an accepted order is about too many requests, whatever it says. */
const soonMs = 1_000;
/** A gateway that took nothing for this long limits by the minute. */
const [shutLeastMs, shutMostMs] = [2_500, 150_000];
const minuteMs = 60_000;

/** The lane after this sign: its pace alone. */
export function paced(state: LaneState, sign: Sign, nowMs: number): LaneState {
  if (isSlowDown(state, sign)) return slowedDown(state, sign, nowMs);
  if (sign.says !== 'accepted' && sign.says !== 'answered' && sign.says !== 'refused') return state;
  const known = sign.turn.isInquiry ? state : timed(reopened(state, sign, nowMs), sign);
  const counted = taken(known, sign);
  if (isOverloaded(counted)) return relieved(counted, nowMs);
  const { ratePerSecond, caps } = counted;
  const isOld = sign.turn.ratePerSecond > ratePerSecond * 1.001;
  const isBelowCap = ratePerSecond < (caps.ratePerSecond ?? Infinity);
  return sign.turn.pressed && !isOld && !isLaboured(counted) && isBelowCap ? raised(counted) : counted;
}

/**
 * True for 429 and 503, and for a refused key or an empty answer right after an order was taken: some gateways say "slow down" in this way.
 */
function isSlowDown({ taken: { lastMs } }: LaneState, { says, isBusy, sentAtMs, tookMs }: Sign): boolean {
  if (says === 'slow-down' || isBusy) return true;
  return (says === 'credentials' || (says === 'no-answer' && tookMs < soonMs)) && sentAtMs < lastMs + soonMs;
}

function slowedDown(state: LaneState, sign: Sign, nowMs: number): LaneState {
  const { turn, sentAtMs, tookMs, retryAfterSeconds = 0 } = sign;
  const {
    ratePerSecond: rate,
    ceilingPerSecond,
    loweredAtMs,
    taken: { lastMs },
  } = state;
  const isLate = sentAtMs <= loweredAtMs;
  const { answers, slow, since, ok, run } = fading(state.heard);
  const heard = {
    ok,
    answers: answers + 1,
    slow: slow + 1,
    since: since + (isLate ? 0 : 1),
    run: run + (sentAtMs > lastMs ? 1 : 0),
  };
  const askedUntilMs = retryAfterSeconds > 0 ? sentAtMs + tookMs + Math.min(retryAfterSeconds, 3_600) * 1000 : 0;
  const next = { ...state, heard, notBeforeMs: Math.max(state.notBeforeMs, askedUntilMs) };
  // A limit by the second, once used up, refuses all else in that second.
  const isSameSecond = turn.ratePerSecond > rate || sentAtMs <= loweredAtMs + 1_000;
  if (isLate || (isSameSecond && heard.since < Math.max(3, rate / 10))) return next;
  const triedMs = nowMs - Math.max(loweredAtMs, Math.min(next.notBeforeMs, nowMs));
  const isFirst = triedMs > Math.max(15_000, 10_000 / rate);
  const factor = isFirst ? 0.94 : Math.max(0.5, 0.95 - heard.slow / heard.answers);
  // Below the ceiling a bunch is as likely as a new limit: the next "slow down" decides.
  const isBunch = isFirst && ceilingPerSecond !== undefined && rate < ceilingPerSecond;
  const ceiling = isBunch ? (rate + ceilingPerSecond) / 2 : rate;
  // While nothing at all is taken (limits by the minute), requests must show soon that the gateway takes them again.
  const isShut = run >= 3 && nowMs < lastMs + shutMostMs;
  return lowered(next, isShut ? Math.max(factor, Math.min(1, 0.5 / rate)) : factor, ceiling, nowMs);
}

const lowered = (state: LaneState, factor: number, ceilingPerSecond: number, nowMs: number): LaneState => ({
  ...state,
  ratePerSecond: Math.max(state.ratePerSecond * factor, leastPerSecond),
  ceilingPerSecond,
  loweredAtMs: nowMs,
  heard: { ...state.heard, since: 0, ok: 0 },
});

/**
 * The rate after one more good answer. While no limit is known it doubles in half a second. It grows slowly through the ceiling, and goes
 * on growing once that has held.
 */
function raised(state: LaneState): LaneState {
  const { ratePerSecond: rate, ceilingPerSecond: ceiling, heard } = state;
  const to = (ratePerSecond: number) => ({ ...state, ratePerSecond: Math.min(ratePerSecond, mostPerSecond) });
  if (ceiling === undefined) return to(rate + 1.4);
  const near = ceiling * 0.92;
  if (rate < near) return to(Math.min(rate + 0.04, near));
  const turns = Math.max(130 * rate, 40);
  const isNoLimit = rate > ceiling * 1.05 || heard.ok > turns;
  return to(rate + (isNoLimit ? 0.04 : (ceiling * 0.13) / turns));
}

/** A slow gateway gets less, down to half of what it bore; if that is not enough, the brake closes the lane. */
function relieved(state: LaneState, nowMs: number): LaneState {
  const { ratePerSecond: rate, ceilingPerSecond = rate, latency } = state;
  const calmed = latency ? { ...state, latency: { ...latency, nowMs: latency.usualMs } } : state;
  const factor = Math.min(1, Math.max(0.75, (ceilingPerSecond * 0.5) / rate));
  return lowered(calmed, factor, ceilingPerSecond, nowMs);
}

/**
 * If the gateway took nothing for the rest of a minute and takes again, it limits by the minute: what it took by the minute is its limit.
 * The rule needs the beginning of a minute between, and at least twenty that were taken, or it would misfire.
 */
function reopened(state: LaneState, { sentAtMs }: Sign, nowMs: number): LaneState {
  const { lastMs, thisMinute, lastMinute } = state.taken;
  const silentMs = sentAtMs - lastMs;
  const isShut = state.heard.run >= (silentMs < 15_000 ? 3 : 2) && silentMs >= shutLeastMs && silentMs <= shutMostMs;
  const count = thisMinute + lastMinute;
  if (state.closed || !isShut || count < 20 || minuteOf(sentAtMs) === minuteOf(lastMs)) return state;
  const limit = count / (lastMinute > 0 ? 120 : 60);
  return { ...state, ratePerSecond: limit * 0.92, ceilingPerSecond: limit, loweredAtMs: nowMs };
}

const minuteOf = (ms: number) => ms - (ms % minuteMs);
const fading = (heard: LaneState['heard']) =>
  heard.answers < 80 ? heard : { ...heard, answers: heard.answers / 2, slow: heard.slow / 2 };

function taken(state: LaneState, { sentAtMs }: Sign): LaneState {
  const { lastMs, thisMinute, lastMinute } = state.taken;
  const { answers, ok, run, ...heard } = fading(state.heard);
  const next = { ...heard, answers: answers + 1, ok: ok + 1, run: sentAtMs > lastMs ? 0 : run };
  const minutes = (minuteOf(sentAtMs) - minuteOf(lastMs)) / minuteMs;
  const counts =
    minutes <= 0
      ? { lastMs: Math.max(lastMs, sentAtMs), thisMinute: thisMinute + 1, lastMinute }
      : { lastMs: sentAtMs, thisMinute: 1, lastMinute: minutes === 1 ? thisMinute : 0 };
  return { ...state, heard: next, taken: counts };
}

/** Updates the average of about the last ten answers, and the usual one, which follows slowly: slower still while the gateway is slow. */
function timed(state: LaneState, { tookMs, sentAtMs }: Sign): LaneState {
  if (sentAtMs <= state.loweredAtMs) return state;
  const { nowMs = tookMs, usualMs = tookMs } = state.latency ?? {};
  const now = nowMs + (tookMs - nowMs) * 0.1;
  const share = isLaboured(state) ? 0.0003 : 0.002;
  return { ...state, latency: { nowMs: now, usualMs: now < usualMs ? now : usualMs + (now - usualMs) * share } };
}

/** Answers are slower than usual: the rate does not grow. */
const isLaboured = ({ latency }: LaneState) => latency !== undefined && latency.nowMs > 1.5 * latency.usualMs + 200;
/** Answers are much slower than usual: the rate falls. */
const isOverloaded = ({ latency }: LaneState) => latency !== undefined && latency.nowMs > 2.5 * latency.usualMs + 500;
