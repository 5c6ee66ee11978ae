// THE PACE: what a lane learns from the gateway's answers. Additive increase, multiplicative decrease: a lane whose limit
// is unknown doubles its rate every half second until the gateway says "slow down" or slows down itself; then it keeps a
// little below that rate, comes near it again in minutes, and only when it has stood above it for a while without a word
// does it look for a new limit.
import type { LaneCaps, LaneState } from './lane.ts';
import { braked, type Sign } from './lane-brake.ts';

/** After the first word, and after others that follow closely: the limit is further down. */
const decreases = [0.92, 0.75, 0.5];
const closelyMs = 15_000;
const windowMs = 1_000;
/** The slowest pace, one request in 20 seconds: without any nothing would be learned. */
const leastPerSecond = 0.05;
const mostPerSecond = 5_000;
/** The gateway's word of when to come again counts up to an hour. */
const longestRetryAfterSeconds = 3_600;
/** Added to the rate by each answer: doubled in half a second; a thirtieth more each second. */
const whileUnknown = 1.4;
const whileFar = 0.03;
/** A lane's rate is led from there to its ceiling, then as much above it, in these times of full use. */
const nearCeiling = 0.92;
const aboveCeiling = 1.05;
const toCeilingMs = 60_000;
const aboveCeilingMs = 30_000;
/** So long it stands above its ceiling before that is believed to be no limit any more. */
const heldAboveMs = 40_000;
/** Slots in each of these times at least, so that slow lanes are not asked for more all the time. */
const slotsAtLeast = 60;

interface Learning {
  readonly nowMs: number;
  readonly caps: LaneCaps;
}

/** The lane after these signs, the oldest first. */
export function learned(state: LaneState, signs: readonly Sign[], it: Learning): LaneState {
  return signs.reduce((before, sign) => braked(paced(before, sign, it), sign, it.nowMs), state);
}

function paced(state: LaneState, sign: Sign, { nowMs, caps }: Learning): LaneState {
  const isOfNow = sign.generation === state.generation;
  switch (sign.says) {
    case 'slow-down': {
      const retryMs = Math.min(sign.retryAfterSeconds ?? 0, longestRetryAfterSeconds) * 1000;
      const held = {
        ...state,
        notBeforeMs: Math.max(state.notBeforeMs, retryMs > 0 ? sign.sentAtMs + sign.tookMs + retryMs : 0),
      };
      // A limit by the second, used up, refuses whatever comes in that second.
      if (!isOfNow || sign.sentAtMs <= state.loweredAtMs + windowMs) return held;
      // The silence that the gateway asked for is no trial of the rate.
      return lowered(held, nowMs - Math.max(state.loweredAtMs, Math.min(state.notBeforeMs, nowMs)), nowMs);
    }
    case 'accepted':
    case 'answered':
    case 'refused':
    case 'account': {
      const timed = sign.isInquiry ? state : withLatency(state, sign);
      if (!isOfNow) return timed;
      if (isSlower(timed)) return slower(timed, nowMs);
      return sign.pressed && timed.ratePerSecond < (caps.ratePerSecond ?? Infinity) ? raised(timed) : timed;
    }
    default:
      return state;
  }
}

/** `triedMs`: for so long the rate was tried since it was lowered last. */
function lowered(state: LaneState, triedMs: number, nowMs: number): LaneState {
  const { ratePerSecond: rate } = state;
  const isClose = triedMs < Math.max(closelyMs, 10_000 / rate);
  const count = isClose ? Math.min(state.lowered + 1, decreases.length - 1) : 0;
  return {
    ...state,
    ratePerSecond: Math.max(rate * (decreases[count] ?? 1), leastPerSecond),
    ceilingPerSecond: rate,
    aboveMs: 0,
    generation: state.generation + 1,
    loweredAtMs: nowMs,
    lowered: count,
  };
}

function raised(state: LaneState): LaneState {
  const { ratePerSecond: rate, ceilingPerSecond: ceiling, aboveMs } = state;
  if (ceiling === undefined) return { ...state, ratePerSecond: Math.min(rate + whileUnknown, mostPerSecond) };
  const slotMs = 1000 / rate;
  const leastMs = slotsAtLeast * slotMs;
  /** Of the ceiling, spread over so much time of full use. */
  const share = (part: number, ms: number) => (ceiling * part * slotMs) / Math.max(ms, leastMs);
  if (rate < ceiling * nearCeiling)
    return { ...state, ratePerSecond: Math.min(rate + whileFar, ceiling * nearCeiling) };
  if (rate < ceiling) return { ...state, ratePerSecond: rate + share(1 - nearCeiling, toCeilingMs) };
  const above = aboveMs + slotMs;
  if (rate < ceiling * aboveCeiling)
    return { ...state, aboveMs: above, ratePerSecond: rate + share(aboveCeiling - 1, aboveCeilingMs) };
  if (above < Math.max(heldAboveMs, leastMs)) return { ...state, aboveMs: above };
  return { ...state, aboveMs: above, ratePerSecond: Math.min(rate + whileFar, mostPerSecond) };
}

/** Moving averages: of the last ten answers, and of what is usual, which takes up what lasts. */
function withLatency(state: LaneState, { tookMs }: Sign): LaneState {
  if (tookMs <= 0) return state;
  const latencyMs = state.latencyMs === undefined ? tookMs : state.latencyMs + (tookMs - state.latencyMs) * 0.1;
  const usual = state.usualLatencyMs ?? latencyMs;
  return { ...state, latencyMs, usualLatencyMs: latencyMs < usual ? latencyMs : usual + (latencyMs - usual) * 0.005 };
}

/** Clearly slower than usual: the gateway has more to do than it can. */
const isSlower = ({ latencyMs = 0, usualLatencyMs = 0 }: LaneState) => latencyMs > 2.5 * usualLatencyMs + 500;

/** Less for once; the average begins anew, so that it is judged by what follows. */
function slower(state: LaneState, nowMs: number): LaneState {
  const { usualLatencyMs = 0, ratePerSecond } = state;
  return {
    ...state,
    ratePerSecond: Math.max(ratePerSecond * 0.75, leastPerSecond),
    latencyMs: usualLatencyMs,
    generation: state.generation + 1,
    loweredAtMs: nowMs,
  };
}
