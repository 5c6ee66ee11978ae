// THE PACE: what a lane learns from the gateway's answers. Additive increase, multiplicative decrease: a lane whose limit is
// unknown doubles its rate every half second until the gateway says "slow down" or slows down itself; then it keeps a little
// below that rate, and comes near it again in minutes. Only after a while above it without a "slow down" does it look for a
// new limit.
import type { LaneCaps, LaneState, Slowed } from './lane.ts';
import { braked, type Sign } from './lane-brake.ts';

/**
 * The decrease is less for the first "slow down"; for one that follows closely it depends on how many were refused lately: a few
 * are a bunch, not a limit.
 */
const firstDecrease = 0.94;
const decreases = [
  { shareBelow: 0.04, to: 0.94 },
  { shareBelow: 0.1, to: 0.85 },
  { shareBelow: 0.3, to: 0.7 },
];
const hardest = 0.5;
const closelyMs = 15_000;
const windowMs = 1_000;
/** The slowest pace, one request in 20 seconds: without any nothing would be learned. */
const leastPerSecond = 0.05;
const mostPerSecond = 5_000;
/** The gateway's Retry-After counts up to an hour. */
const longestRetryAfterSeconds = 3_600;
/** Added to the rate by each answer: doubled in half a second; a thirtieth more each second. */
const whileUnknown = 1.4;
const whileFar = 0.03;
/** A lane's rate rises from the first part to its ceiling, then to the second part, in these times of full use. */
const nearCeiling = 0.92;
const aboveCeiling = 1.05;
const toCeilingMs = 60_000;
const aboveCeilingMs = 30_000;
/** After so long above its ceiling, the ceiling is taken for no limit any more. */
const heldAboveMs = 40_000;
/** The least number of slots in each of these times, so that slow lanes are not asked for more all the time. */
const slotsAtLeast = 60;

/** The share counts so many answers; later ones weigh more than earlier ones. */
const answersOfShare = 40;
/** So many refusals and nothing taken for so long: the gateway's limit is used up, and is not one by the second. */
const runOfShut = 3;
const shutMs = 2_500;
const longerShutMs = 15_000;
const trialsPerSecond = 0.5;
const longShutMs = 150_000;

interface Learning {
  readonly nowMs: number;
  readonly caps: LaneCaps;
}

/** The lane after these signs, the oldest first. */
export function learned(state: LaneState, signs: readonly Sign[], it: Learning): LaneState {
  const next = signs.reduce((before, sign) => braked(paced(before, sign, it), sign, it.nowMs), state);
  return signs.some(isOfUse) ? { ...next, used: usedNow(next, it.nowMs) } : next;
}

function paced(state: LaneState, sign: Sign, it: Learning): LaneState {
  switch (sign.says) {
    case 'slow-down':
      return slowedDown({ ...state, slowed: slowedBy(state, sign) }, sign, it);
    case 'accepted':
    case 'answered':
    case 'refused':
    case 'account': {
      const reopened = reopenedBy(state, sign);
      const timed = sign.isInquiry ? reopened : withLatency(reopened, sign);
      const counted = { ...timed, slowed: slowedBy(timed, sign) };
      if (sign.generation !== state.generation) return counted;
      if (isSlower(counted)) return slower(counted, it.nowMs);
      return sign.pressed && counted.ratePerSecond < (it.caps.ratePerSecond ?? Infinity) ? raised(counted) : counted;
    }
    default: {
      // A key that is refused among orders that are taken is refused for their pace.
      const isQuick = sign.says === 'no-answer' && sign.tookMs < windowMs;
      const isPace = (isQuick || sign.says === 'credentials') && sign.sentAtMs < (state.slowed?.lastMs ?? 0) + windowMs;
      const slow = { ...sign, says: 'slow-down' as const };
      return sign.isBusy || isPace ? slowedDown({ ...state, slowed: slowedBy(state, slow) }, slow, it) : state;
    }
  }
}

function slowedDown(state: LaneState, sign: Sign, { nowMs }: Learning): LaneState {
  const retryMs = Math.min(sign.retryAfterSeconds ?? 0, longestRetryAfterSeconds) * 1000;
  const saysUntilMs = retryMs > 0 ? sign.sentAtMs + sign.tookMs + retryMs : 0;
  const held = { ...state, notBeforeMs: Math.max(state.notBeforeMs, saysUntilMs) };
  const { slowed = nothingYet } = held;
  // A limit by the second, used up, refuses whatever comes in that second.
  if (sign.generation !== state.generation || sign.sentAtMs <= state.loweredAtMs + windowMs)
    // More than a bunch: slots that were given at the earlier pace are void.
    return slowed.since < Math.max(3, state.ratePerSecond / 10) ? held : { ...held, validFrom: state.generation };
  // The silence that the gateway asked for is no trial of the rate.
  return lowered(held, nowMs - Math.max(state.loweredAtMs, Math.min(state.notBeforeMs, nowMs)), nowMs);
}

const nothingYet: Slowed = {
  answers: 0,
  ones: 0,
  since: 0,
  run: 0,
  before: 0,
  taken: 0,
  fromMs: 0,
  lastMs: 0,
  lastOneMs: 0,
};

/** The counts with one more answer; earlier ones are halved when there are many. */
function slowedBy({ slowed = nothingYet }: LaneState, { says, sentAtMs, isBusy }: Sign): Slowed {
  const kept = slowed.answers < 2 * answersOfShare ? 1 : 0.5;
  const isOne = says === 'slow-down' || isBusy ? 1 : 0;
  const isLatest = sentAtMs > slowed.lastMs;
  const counted = { ...slowed, answers: slowed.answers * kept + 1, ones: slowed.ones * kept + isOne };
  if (isOne) {
    const lastOneMs = Math.max(slowed.lastOneMs, sentAtMs);
    return { ...counted, since: slowed.since + 1, run: slowed.run + (isLatest ? 1 : 0), lastOneMs };
  }
  const isNext = minuteOf(sentAtMs) > minuteOf(slowed.fromMs);
  const minute = {
    before: minuteOf(sentAtMs) > minuteOf(slowed.fromMs) + 60_000 ? 0 : slowed.taken,
    taken: 1,
    fromMs: sentAtMs,
  };
  const taken = isNext ? minute : { taken: slowed.taken + 1 };
  return { ...counted, ...taken, ...(isLatest && { lastMs: sentAtMs, run: 0 }) };
}

/** The beginning of the clock's minute. */
const minuteOf = (ms: number): number => ms - (ms % 60_000);
const shareOf = ({ answers, ones }: Slowed) => ones / Math.max(answers, 1);

/**
 * A gateway that took nothing for a while and takes again counts by longer than a second: what it took in the last minute or two
 * is its limit, and how far the rate was lowered meanwhile means nothing.
 */
function reopenedBy(state: LaneState, { sentAtMs }: Sign): LaneState {
  const { slowed } = state;
  // While it was closed nothing was tried, nor while nobody had anything to send: only refusals prove that it took nothing.
  if (!slowed || state.closed || slowed.lastOneMs < slowed.lastMs + shutMs) return state;
  if (slowed.run < (sentAtMs < slowed.lastMs + longerShutMs ? runOfShut : 2)) return state;
  const { before, fromMs } = slowed;
  // By the clock's minutes, of which the last one was used up.
  const seconds = Math.max((sentAtMs - (before === 0 ? fromMs : minuteOf(fromMs) - 60_000)) / 1000, 1);
  const limit = Math.max((before + slowed.taken) / seconds, leastPerSecond);
  const next = { ...slowed };
  // After long silence it is not known what was counted.
  if (sentAtMs > slowed.lastMs + longShutMs) return { ...state, slowed: next };
  return {
    ...state,
    slowed: next,
    ratePerSecond: limit * nearCeiling,
    ceilingPerSecond: limit,
    aboveMs: 0,
    generation: state.generation + 1,
    loweredAtMs: sentAtMs,
  };
}

/** `triedMs`: how long the rate was tried since it was lowered last. */
function lowered(state: LaneState, triedMs: number, nowMs: number): LaneState {
  const { ratePerSecond: rate, ceilingPerSecond: ceiling = rate, slowed = nothingYet } = state;
  const isClose = triedMs < Math.max(closelyMs, 10_000 / rate);
  const share = shareOf(slowed);
  const factor = isClose ? (decreases.find((it) => share < it.shareBelow)?.to ?? hardest) : firstDecrease;
  const isMild = factor > 0.9;
  // While nothing is taken, the aim is to see soon that something is again.
  const isShut = slowed.run >= runOfShut && nowMs < slowed.lastMs + longShutMs;
  const generation = state.generation + 1;
  return {
    ...state,
    ratePerSecond: Math.max(rate * factor, isShut ? Math.min(rate, trialsPerSecond) : leastPerSecond),
    // Below the ceiling a bunch is as likely as a new limit: the next "slow down" decides.
    ceilingPerSecond: !isClose && rate < ceiling ? (rate + ceiling) / 2 : rate,
    aboveMs: 0,
    generation,
    validFrom: isMild ? (state.validFrom ?? state.generation) : generation,
    loweredAtMs: nowMs,
    slowed: { ...slowed, since: 0 },
  };
}

function raised(state: LaneState): LaneState {
  const { ratePerSecond: rate, ceilingPerSecond: ceiling, aboveMs } = state;
  if (ceiling === undefined) return { ...state, ratePerSecond: Math.min(rate + whileUnknown, mostPerSecond) };
  const slotMs = 1000 / rate;
  const leastMs = slotsAtLeast * slotMs;
  /** A part of the ceiling, spread over so much time of full use. */
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

/** One decrease; the average begins anew, so that the rate is judged by what follows. */
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

const latelyMs = 300_000;
const usualMs = 86_400_000;

/** True where the pace learns from it: a lane that nothing presses shows nothing of what its gateway takes. */
const isOfUse = ({ pressed, says }: { pressed: boolean; says: string }) => pressed || says === 'slow-down';

/** The lane's pace since its last write; rest counts a minute at most. */
function usedNow({ used, ratePerSecond, writtenAtMs }: LaneState, nowMs: number): NonNullable<LaneState['used']> {
  const { lately, usual } = used ?? { lately: 0, usual: 0 };
  const ms = Math.min(Math.max(nowMs - writtenAtMs, 0), 60_000);
  const now = lately + ((ratePerSecond - lately) * ms) / latelyMs;
  return { lately: now, usual: Math.max(now, usual + ((now - usual) * ms) / usualMs) };
}

/** Moving averages: of the last ten answers, and of the usual latency, which takes up what lasts. */
function withLatency(state: LaneState, { tookMs }: { readonly tookMs: number }): LaneState {
  if (tookMs <= 0) return state;
  const latencyMs = state.latencyMs === undefined ? tookMs : state.latencyMs + (tookMs - state.latencyMs) * 0.1;
  const usual = state.usualLatencyMs ?? latencyMs;
  return { ...state, latencyMs, usualLatencyMs: latencyMs < usual ? latencyMs : usual + (latencyMs - usual) * 0.005 };
}

/** Clearly slower than usual: the gateway has more to do than it can. */
const isSlower = ({ latencyMs = 0, usualLatencyMs = 0 }: LaneState) => latencyMs > 2.5 * usualLatencyMs + 500;
