// WHAT ANSWERS TEACH a lane of its pace: additive increase, multiplicative decrease. The rate doubles while no limit is known, creeps
// through the last known one, and on once that held for long. A gateway that labours gets less.
import type { LaneState, Sign } from './lane-state.ts';

const leastPerSecond = 0.05;
const mostPerSecond = 5_000;
/** What refuses so soon after an order was taken refuses too many requests, whatever it calls it. */
const soonMs = 1_000;
/** A gateway that took nothing for the rest of a minute counts by the minute. */
const [shutLeastMs, shutMostMs] = [2_500, 150_000];
const minuteMs = 60_000;

/** The lane after this sign, as far as its pace goes. */
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

/** 429 and 503; also a refused key or an empty answer a moment after an order was taken: some gateways refuse so. */
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
  // A limit by the second, once used up, refuses whatever else comes in that second.
  const isSameSecond = turn.ratePerSecond > rate || sentAtMs <= loweredAtMs + 1_000;
  if (isLate || (isSameSecond && heard.since < Math.max(3, rate / 10))) return next;
  const triedMs = nowMs - Math.max(loweredAtMs, Math.min(next.notBeforeMs, nowMs));
  const isFirst = triedMs > Math.max(15_000, 10_000 / rate);
  const factor = isFirst ? 0.94 : Math.max(0.5, 0.95 - heard.slow / heard.answers);
  // Below the ceiling a bunch is as likely as a new limit: the next "slow down" decides.
  const isBunch = isFirst && ceilingPerSecond !== undefined && rate < ceilingPerSecond;
  const ceiling = isBunch ? (rate + ceilingPerSecond) / 2 : rate;
  // While nothing at all is taken (limits by the minute), the aim is to see soon that something is again.
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

/** One answer more: doubles in half a second while no limit is known, then slowly through the ceiling, and on once that has held. */
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
 * A gateway that took nothing for the rest of a minute and takes again counts by the minute: what it took by the minute is its limit.
 * The rule needs a minute of the clock between, and twenty that were taken, or it would misfire.
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

/** The average of the last ten answers, and a slow one that takes up what lasts; slower still while the gateway labours. */
function timed(state: LaneState, { tookMs, sentAtMs }: Sign): LaneState {
  if (sentAtMs <= state.loweredAtMs) return state;
  const { nowMs = tookMs, usualMs = tookMs } = state.latency ?? {};
  const now = nowMs + (tookMs - nowMs) * 0.1;
  const share = isLaboured(state) ? 0.0003 : 0.002;
  return { ...state, latency: { nowMs: now, usualMs: now < usualMs ? now : usualMs + (now - usualMs) * share } };
}

/** Slower than usual: no more than now. */
const isLaboured = ({ latency }: LaneState) => latency !== undefined && latency.nowMs > 1.5 * latency.usualMs + 200;
/** Much slower: less. */
const isOverloaded = ({ latency }: LaneState) => latency !== undefined && latency.nowMs > 2.5 * latency.usualMs + 500;
