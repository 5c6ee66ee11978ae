// THE BRAKE: a streak of bad signs closes the lane; probes at growing intervals, one at a time, open it. If the trouble leaves orders in
// doubt, questions probe before orders do: a question risks no order.
import type { Closed, ClosingCause, LaneState, Sign, TurnWindow } from './lane-state.ts';

const troublesToClose = 5;
/** Refusals of orders with one code, and nothing accepted between. */
const refusalsToClose = 20;
/** After this many questions without an answer an order is the probe again. */
const unansweredAtMost = 3;
/** If orders may be in doubt: how long only questions may be the probe. */
const questionsFirstMs = 20_000;
/** The gap before the next probe: 15 seconds, then twice as long each time, two minutes at most. */
export const probeGapMs = (probes: number): number => Math.min(15_000 * 2 ** Math.min(probes, 10), 120_000);

/** True for the causes that leave orders in doubt. */
const leavesDoubt = (cause: ClosingCause) => cause === 'no-answer' || cause === 'server-error' || cause === 'unclear';

/** True if the lane is closed because of its orders: it still answers questions. */
export const isAboutOrders = ({ cause }: Pick<Closed, 'cause'>): boolean => cause === 'account' || cause === 'refused';

/** True if this request may be the probe now. Only the leader sends an order as a probe. */
export function mayProbe(
  { cause, asked, nextProbeAtMs = Infinity }: Closed,
  nowMs: number,
  { isInquiry, isLeader }: Pick<TurnWindow, 'isInquiry' | 'isLeader'>,
): boolean {
  if (isInquiry) return nowMs >= nextProbeAtMs;
  const isAfterQuestions = !leavesDoubt(cause) || asked >= unansweredAtMost;
  return isLeader === true && nowMs >= nextProbeAtMs + (isAfterQuestions ? 0 : questionsFirstMs);
}

/** The lane after this sign: its brake alone. */
export function braked(state: LaneState, sign: Sign, nowMs: number): LaneState {
  const { says, turn, order, code, sentAtMs } = sign;
  if (state.closed) return afterClosing(state, state.closed, sign, nowMs);
  // A request that was sent before the lane opened shows nothing about now. An inquiry shows only trouble with the connection or the
  // account.
  const isOld = sentAtMs < state.openedAtMs;
  if (isOld || says === 'slow-down' || (turn.isInquiry && says !== 'not-connected' && says !== 'account')) return state;
  const { streak } = state;
  if (says === 'accepted' || (says === 'answered' && streak?.says !== 'refused')) {
    // Good signs are written late: one of a request that was sent before the trouble shows nothing about it.
    return streak && sentAtMs > streak.sentAtMs ? { ...state, streak: undefined } : state;
  }
  if (says === 'answered') return state;
  // Refusals count by their code. One order's repeated signs count once.
  const isByCode = says === 'refused' || says === 'account' || streak?.says === 'refused';
  const goesOn = streak && (!isByCode || (streak.says === says && streak.code === code));
  const count = (goesOn ? streak.count : 0) + (goesOn && streak.order === order ? 0 : 1);
  if (count < (says === 'refused' ? refusalsToClose : troublesToClose))
    return { ...state, streak: { says, code, order, count, sentAtMs } };
  const nextProbeAtMs = says === 'refused' ? undefined : nowMs + probeGapMs(0);
  const now = { cause: says, code, sinceMs: nowMs, probes: 0, asked: 0, nextProbeAtMs };
  return { ...state, streak: undefined, closed: now };
}

function afterClosing(state: LaneState, closed: Closed, sign: Sign, nowMs: number): LaneState {
  const { says, turn, sentAtMs } = sign;
  // Only a request that was sent since then shows something: a probe, or an order of a worker that did not know of the brake.
  if (sentAtMs <= closed.sinceMs || (turn.isInquiry && !turn.probe)) return state;
  const probes = closed.probes + 1;
  const rest = { ...closed, probingUntilMs: undefined };
  if (turn.isInquiry) {
    // A gateway that answers questions may still be silent to orders: the next probe is an order, at once.
    const isThere = says === 'answered' || says === 'account';
    return {
      ...state,
      closed: isThere
        ? { ...rest, asked: unansweredAtMost, nextProbeAtMs: nowMs }
        : { ...rest, asked: closed.asked + 1, probes, nextProbeAtMs: nowMs + probeGapMs(probes) },
    };
  }
  const isThere = says === 'answered' || says === 'refused' || says === 'account';
  if (says === 'accepted' || says === 'slow-down' || (!isAboutOrders(closed) && isThere))
    return opened(state, closed, nowMs);
  if (!turn.probe) return state;
  const nextProbeAtMs = closed.cause === 'refused' ? undefined : nowMs + probeGapMs(probes);
  return { ...state, closed: { ...rest, probes, asked: 0, nextProbeAtMs } };
}

function opened(state: LaneState, closed: Closed, nowMs: number): LaneState {
  const { cause, probes } = closed;
  const isOfOrders = isAboutOrders(closed);
  // After an outage the gateway may be weaker. If it refused a key or an account, it was well all the time. If the very first probe opens
  // the lane, there was no outage: the pace was too high.
  const wasLimit = probes === 0 && !isOfOrders;
  const isWell = !wasLimit && (isOfOrders || cause === 'credentials');
  const { ratePerSecond, ceilingPerSecond } = state;
  return {
    ...state,
    closed: undefined,
    ceilingPerSecond: wasLimit ? Math.min(ratePerSecond, ceilingPerSecond ?? ratePerSecond) : ceilingPerSecond,
    ratePerSecond: ratePerSecond * (isWell ? 1 : 0.5),
    openedAtMs: nowMs,
    nextFreeMs: nowMs,
    heard: { ...state.heard, run: 0 },
  };
}

/** The lane after a person has paused it. */
export function pausedLane(state: LaneState, pause: NonNullable<LaneState['paused']>): LaneState {
  return { ...state, paused: pause };
}

/** The lane after a person has resumed it, whatever stopped it. Earlier requests and the earlier pace count no more. */
export function resumedLane(state: LaneState, nowMs: number): LaneState {
  const fresh = { paused: undefined, closed: undefined, streak: undefined, used: undefined };
  return { ...state, ...fresh, notBeforeMs: 0, openedAtMs: nowMs };
}

/** The lane with its next order as the probe; an open lane stays as it is. */
export function probedNow(state: LaneState, nowMs: number): LaneState {
  if (!state.closed) return state;
  const now = { probingUntilMs: undefined, asked: unansweredAtMost, nextProbeAtMs: nowMs };
  return { ...state, closed: { ...state.closed, ...now } };
}
