// THE BRAKE: a streak of bad signs closes the lane; probes at growing intervals, one at a time, open it.
import {
  type Closed,
  type ClosingCause,
  exchangeMs,
  type LaneState,
  longestWaitMs,
  shortestWaitMs,
  sliceMs,
  type Streak,
  type LaneAsk,
  type LaneGrant,
} from './lane.ts';

/** The sign that one request gives of the gateway, or of the account there. */
export interface Sign {
  /**
   * `accepted`: the gateway takes orders. `answered`: it is there, and this was about the order. `refused`: it is there and
   * refused the order with a code. `slow-down`: too many requests. `nothing` was sent. Otherwise trouble.
   */
  readonly says: 'accepted' | 'answered' | 'slow-down' | 'nothing' | ClosingCause;
  readonly code?: string;
  readonly retryAfterSeconds?: number;
  /** 503. */
  readonly isBusy?: true;
  /** The order's key. */
  readonly order: string;
  /** Set for an inquiry, which does not show whether orders are taken. */
  readonly isInquiry?: true;
  readonly sentAtMs: number;
  readonly tookMs: number;
  /** The generation of the slot that the request was sent in. */
  readonly generation: number;
  readonly pressed: boolean;
  readonly probe?: true;
}

const troublesAtMost = 5;
/** Refusals of orders with one code, and nothing accepted between. */
const refusalsAtMost = 20;
/** A probe that the line has not brought for so long may be an inquiry. */
const probeLateMs = 15_000;
/** 15 seconds, then twice as long each time, two minutes at most. */
const probeGapMs = (probes: number): number => Math.min(15_000 * 2 ** Math.min(probes, 10), 120_000);
/** The lane after this sign, as far as its brake goes. */
export function braked(state: LaneState, sign: Sign, nowMs: number): LaneState {
  if (state.closed) return afterProbe(state, state.closed, sign, nowMs);
  // A request that was sent before the lane opened shows nothing about now; an inquiry only that nobody is there at all.
  const isOld = sign.sentAtMs < state.openedAtMs;
  if (isOld || (sign.isInquiry && sign.says !== 'not-connected' && sign.says !== 'account')) return state;
  switch (sign.says) {
    case 'slow-down':
    case 'nothing':
      return state;
    case 'accepted':
      return unrefused(untroubled(state, sign));
    case 'answered':
      return untroubled(state, sign);
    case 'refused':
      return refused(untroubled(state, sign), sign, nowMs);
    default: {
      const trouble = longer(state.trouble, sign, sign.says, sign.says === 'account');
      const next = { nextProbeAtMs: nowMs + probeGapMs(0) };
      return trouble.count < troublesAtMost ? { ...state, trouble } : close(state, sign, nowMs, next);
    }
  }
}

/** A request that was sent before the trouble shows nothing of it, though its answer may come later. */
function untroubled({ trouble, ...rest }: LaneState, { sentAtMs }: Pick<Sign, 'sentAtMs'>): LaneState {
  return trouble && sentAtMs < (trouble.sentAtMs ?? 0) ? { ...rest, trouble } : rest;
}

function unrefused(state: LaneState): LaneState {
  const { refusals: _, ...rest } = state;
  return rest;
}

/** The streak with one more sign, unless it is the same order over again; a streak of refusals counts one code alone. */
function longer(
  last: Streak | undefined,
  { order, code, sentAtMs }: Sign,
  cause: ClosingCause,
  sameCode: boolean,
): Streak {
  const goesOn = last && (!sameCode || last.cause !== cause || last.code === code);
  const count = (goesOn ? last.count : 0) + (goesOn && last.order === order ? 0 : 1);
  return { cause, ...(code !== undefined && { code }), order, count, sentAtMs };
}

function refused(state: LaneState, sign: Sign, nowMs: number): LaneState {
  const refusals = longer(state.refusals, sign, 'refused', true);
  return refusals.count < refusalsAtMost ? { ...state, refusals } : close(state, sign, nowMs, {});
}

function close(state: LaneState, { says, code }: Sign, nowMs: number, next: Pick<Closed, 'nextProbeAtMs'>): LaneState {
  if (says === 'accepted' || says === 'answered' || says === 'slow-down' || says === 'nothing') return state;
  const closed = { cause: says, ...(code !== undefined && { code }), sinceMs: nowMs, probes: 0, ...next };
  return { ...unrefused(untroubled(state, { sentAtMs: Infinity })), closed };
}

const isThere = ({ says }: Sign) => says === 'answered' || says === 'refused' || says === 'account';

function afterProbe(state: LaneState, closed: Closed, sign: Sign, nowMs: number): LaneState {
  const aboutOrders = closed.cause === 'account' || closed.cause === 'refused';
  // Only a request that was sent since opens the lane: a probe, or an order of a worker that had not heard of the brake.
  if (sign.sentAtMs <= closed.sinceMs) return state;
  if (sign.isInquiry && !sign.probe)
    return isThere(sign) ? state : { ...state, closed: { ...closed, answersInquiries: false } };
  // A gateway that answers questions may still be silent to orders: the next order that comes is the probe of that.
  if (sign.isInquiry && isThere(sign) && /^(no-answer|server-error|unclear)$/.test(closed.cause)) {
    const { lastProbe: _, ...unprobed } = closed;
    return { ...state, closed: { ...unprobed, nextProbeAtMs: nowMs, answersInquiries: true } };
  }
  if (sign.says === 'accepted' || (!aboutOrders && isThere(sign))) {
    // A gateway that was away may come back weaker; one that refused a key or an account was well all the time.
    const wasAway = ['not-connected', 'no-answer', 'server-error', 'unclear'].includes(closed.cause);
    // A lane that its very first probe opens had no outage and no wrong key: its pace was too high.
    const wasLimit = closed.probes === 0 && !aboutOrders && state.slowed !== undefined;
    const { closed: _1, slowed: _2, ratePerSecond: rate, ...open } = state;
    const limit = wasLimit && { ceilingPerSecond: Math.min(rate, open.ceilingPerSecond ?? rate), aboveMs: 0 };
    return { ...open, ...limit, openedAtMs: nowMs, ratePerSecond: rate * (wasAway || wasLimit ? 0.5 : 1) };
  }
  if (!sign.probe) return state;
  if (sign.says === 'nothing') {
    const { lastProbe: _, ...unprobed } = closed;
    return { ...state, closed: unprobed };
  }
  const probes = closed.probes + 1;
  const { lastProbe, nextProbeAtMs: _, ...rest } = closed;
  const over = lastProbe && { lastProbe: { ...lastProbe, untilMs: nowMs } };
  const next = closed.cause === 'refused' ? {} : { nextProbeAtMs: nowMs + probeGapMs(probes) };
  return { ...state, closed: { ...rest, probes, ...over, ...next } };
}

/** The asker, and whether a line waits there: then the line brings the probe. */
interface AskingClosed {
  readonly by: string;
  readonly nowMs: number;
  readonly hasLine: boolean;
}

/** The answer of a closed lane: the probe, or a time to come back. */
export function takeClosed(
  closed: Closed,
  ask: LaneAsk,
  { by, nowMs, hasLine }: AskingClosed,
  mayProbe: boolean,
): { readonly closed: Closed; readonly grant: LaneGrant } {
  const wait = (untilMs: number): LaneGrant => ({
    kind: 'wait',
    because: 'lane-closed',
    untilMs: Math.min(Math.max(untilMs, nowMs + shortestWaitMs), nowMs + longestWaitMs),
  });
  const { lastProbe, nextProbeAtMs } = closed;
  if (nextProbeAtMs === undefined) return { closed, grant: { kind: 'wait', because: 'lane-closed' } };
  const wasLast = lastProbe?.order === ask.order && nowMs < lastProbe.atMs + longestWaitMs;
  const isProbing = (lastProbe?.untilMs ?? 0) > nowMs;
  // Another gate may stop all jobs of the line: then an inquiry is as good.
  const atMs = nextProbeAtMs + (hasLine && ask.class === 'inquiry' ? probeLateMs : 0);
  if (mayProbe && !isProbing && !wasLast && nowMs >= atMs) {
    const untilMs = nowMs + sliceMs;
    return {
      closed: { ...closed, lastProbe: { order: ask.order, by, atMs: nowMs, untilMs: untilMs + exchangeMs } },
      grant: { kind: 'slot', atMs: nowMs, untilMs, generation: -1, pressed: false, probe: true },
    };
  }
  return { closed, grant: wait(Math.max(atMs, isProbing ? nowMs + sliceMs : 0)) };
}

/** A person stops the lane until somebody lets it go on. */
export function pausedLane(state: LaneState, saying: NonNullable<LaneState['paused']>): LaneState {
  return { ...state, paused: saying };
}

/** Lets the lane go on, whatever stopped it; earlier requests count no more, nor does the pace before. */
export function resumedLane(state: LaneState, nowMs: number): LaneState {
  const { paused: _1, closed: _2, trouble: _3, refusals: _4, used: _5, ...rest } = state;
  // The moment is known to the second.
  return { ...rest, notBeforeMs: 0, openedAtMs: nowMs + 1_000 };
}

/** The next order that asks is the probe of a closed lane; an open one stays as it is. */
export function probedNow(state: LaneState, nowMs: number): LaneState {
  if (!state.closed) return state;
  const { lastProbe: _, ...closed } = state.closed;
  return { ...state, closed: { ...closed, nextProbeAtMs: nowMs } };
}
