// A lane as people see it: its condition, why, since when, and what a person can do. Pure: made from the lane's state and its merchant's
// controls.
import { tool } from '../operate/spelling.ts';
import { isAboveDoubtLimit, type Control, type Controls, type ControlsAdmin, type Saying } from '../operate/control.ts';
import { type ClosingCause, type LaneName, type LaneState, rateOf, isFarBelowUsual } from './lane-state.ts';
import { lengthsOf, linesAsSeen, type LineSources, type Lines, type LineView } from '../wait/line-lengths.ts';

/** The known data of a lane and of its merchant. */
export interface LaneFacts extends LaneName {
  /** Absent if newer code wrote it. */
  readonly state?: LaneState;
  readonly control: Pick<Control, 'paused' | 'doubt'>;
  /** The person who paused the merchant, or all merchants. */
  readonly pausedBy?: Saying;
  /** All merchants are paused, so that a pause of this one alone changes nothing. */
  readonly areAllPaused?: boolean;
  /** The lane's lines, from the table `waiting`; absent if none of its jobs ever waited. */
  readonly lines?: Lines;
}

/** The condition of a lane: open, or why it is held up. */
type LaneCondition = 'open' | 'slowed' | 'closed' | 'probing' | 'paused' | 'stopped on doubt' | 'unreadable';

/** One row of the command `lanes`. Times are epoch ms. */
export interface LaneView extends LaneName {
  readonly condition: LaneCondition;
  readonly reason: string;
  /** The gateway's code, if one code has closed the lane. */
  readonly code?: string;
  readonly ratePerSecond: number;
  /** The rate at which the gateway last said "slow down"; absent if it never did. */
  readonly limitPerSecond?: number;
  /** The usual rate, if the lane is far below it. */
  readonly usualPerSecond?: number;
  /** Jobs in both of its lines, exact below 10,000 in each. */
  readonly waiting: number;
  /** The lines in which jobs wait. */
  readonly lines: readonly LineView[];
  readonly sinceMs?: number;
  readonly nextProbeAtMs?: number;
  readonly remedy?: string;
}

const causes: Readonly<Record<ClosingCause, { readonly reason: string; readonly remedy: string }>> = {
  'not-connected': {
    reason: 'no connection to the gateway',
    remedy: 'check its address, its certificate, the network and any proxy; the lane opens by itself',
  },
  'no-answer': {
    reason: 'the gateway gives no whole answer within our time-outs',
    remedy: 'ask its support; if it is only slow, raise GATEWAY_HEADERS_TIMEOUT_MS. The lane opens by itself',
  },
  'server-error': { reason: 'the gateway answers 5xx', remedy: 'ask its support; the lane opens by itself' },
  unclear: {
    reason: 'the worker cannot understand the answers of the gateway',
    remedy: 'ask its support; the lane opens by itself',
  },
  credentials: {
    reason: 'the gateway refuses the signature (401 or 403)',
    remedy: `correct the secret (\`${tool} secrets check MERCHANT\`), or have the key enrolled; then \`${tool} lanes probe MERCHANT\``,
  },
  address: {
    reason: 'the gateway has no such address',
    remedy: `check the address in the merchant's secret and the jobs' endpointId; then \`${tool} lanes probe MERCHANT\``,
  },
  account: {
    reason: 'the account takes no orders now',
    remedy: `ask the gateway about funds, contract or set-up; then \`${tool} lanes probe MERCHANT\``,
  },
  refused: {
    reason: 'twenty orders in a row were refused with one code',
    remedy: `if code CODE is about the account (funds, contract), add it to "accountCodes" of the profile: orders then wait instead of being declined. Otherwise check the orders, or cancel them (\`${tool} cancel --help\`). Then \`${tool} resume MERCHANT\``,
  },
};

/** The view of a lane. */
export function laneView(facts: LaneFacts, nowMs: number): LaneView {
  const { merchant, endpointId, state } = facts;
  const ratePerSecond = state ? rateOf(state) : 0;
  const now = conditionOf(facts, nowMs);
  const isGoing = now.condition === 'open' || now.condition === 'slowed';
  return {
    merchant,
    endpointId,
    ...now,
    remedy: now.remedy
      ?.replaceAll('MERCHANT', merchant)
      .replace('ENDPOINT', endpointId)
      .replace('CODE', now.code ?? ''),
    ratePerSecond: rounded(ratePerSecond),
    limitPerSecond: state?.ceilingPerSecond === undefined ? undefined : rounded(state.ceilingPerSecond),
    waiting: (facts.lines?.urgent.rows ?? 0) + (facts.lines?.row.rows ?? 0),
    lines: facts.lines ? linesAsSeen(facts.lines, isGoing ? ratePerSecond : undefined, nowMs) : [],
  };
}

type ConditionNow = Pick<
  LaneView,
  'condition' | 'reason' | 'code' | 'sinceMs' | 'nextProbeAtMs' | 'usualPerSecond' | 'remedy'
>;

function conditionOf({ state, control, pausedBy, areAllPaused }: LaneFacts, nowMs: number): ConditionNow {
  if (control.paused) {
    const whose = areAllPaused ? 'all merchants' : 'the merchant';
    const reason = pausedBy ? `${whose}: ${byWhom(pausedBy)}` : whose;
    return {
      condition: 'paused',
      reason,
      sinceMs: pausedBy?.atMs,
      remedy: areAllPaused ? `\`${tool} resume\`, which resumes all merchants` : `\`${tool} resume MERCHANT\``,
    };
  }
  const doubtLimits = state?.caps.doubtLimits;
  if (doubtLimits && isAboveDoubtLimit(control, { doubtLimits })) {
    const remedy = `\`${tool} todo --held\`: decide the held orders; the lane goes on when the gateway has answered`;
    return { condition: 'stopped on doubt', reason: "more money in doubt than the merchant's limits allow", remedy };
  }
  if (!state)
    return {
      condition: 'unreadable',
      reason: 'newer code has written it, and this version cannot read it',
      remedy: 'use the tools of that version; workers of this one send nothing here (runbook: orders-unreadable)',
    };
  if (state.paused) {
    const { atMs: sinceMs } = state.paused;
    return {
      condition: 'paused',
      reason: byWhom(state.paused),
      sinceMs,
      remedy: `\`${tool} resume MERCHANT --endpoint ENDPOINT\``,
    };
  }
  if (state.closed) return closedCondition(state.closed, nowMs);
  if (state.notBeforeMs > nowMs) {
    const seconds = Math.ceil((state.notBeforeMs - nowMs) / 1000);
    return { condition: 'slowed', reason: `the gateway asks to wait for ${seconds} s more` };
  }
  if (state.used && isFarBelowUsual(state))
    return {
      condition: 'slowed',
      usualPerSecond: rounded(state.used.usual),
      reason: `the gateway takes ${rateText(state.used.lately)} lately, far below its usual ${rateText(state.used.usual)}`,
      remedy: `ask its support; if this is its pace from now on, \`${tool} resume MERCHANT --endpoint ENDPOINT\` makes it the usual one`,
    };
  return state.ceilingPerSecond === undefined
    ? { condition: 'open', reason: 'no limit found yet' }
    : { condition: 'open', reason: "at the gateway's limit" };
}

function closedCondition(
  { cause, code, sinceMs, nextProbeAtMs, probingUntilMs, probes }: NonNullable<LaneState['closed']>,
  nowMs: number,
): ConditionNow {
  const { reason, remedy } = causes[cause];
  const isProbing = (probingUntilMs ?? 0) > nowMs;
  const tried = probes === 0 ? '' : `; tried ${probes === 1 ? 'once' : `${probes} times`}`;
  return {
    condition: isProbing ? 'probing' : 'closed',
    reason: `${reason}${code === undefined ? '' : `, code ${code}`}${tried}`,
    code,
    sinceMs,
    nextProbeAtMs,
    remedy,
  };
}

/** True if no order of the lane goes on before a person acts. */
export const waitsForPerson = ({ condition, nextProbeAtMs }: Pick<LaneView, 'condition' | 'nextProbeAtMs'>): boolean =>
  condition === 'paused' || (condition === 'closed' && nextProbeAtMs === undefined);

const rounded = (rate: number) => Math.round(rate * 1_000) / 1_000;

/** As in "4.8/s", "120/s". */
export const rateText = (rate: number) =>
  `${rate < 10 ? Number(rate.toFixed(rate < 0.95 ? 2 : 1)) : Math.round(rate)}/s`;

const byWhom = ({ by, reason }: Pick<Saying, 'by' | 'reason'>) => (reason === '' ? `by ${by}` : `by ${by}: ${reason}`);

/** The lanes of a merchant, or of all. */
export async function lanesNow(
  ports: LineSources & { readonly controls: Controls; readonly controlsAdmin: Pick<ControlsAdmin, 'pauseOf'> },
  nowMs: number,
  merchant?: string,
): Promise<readonly LaneView[]> {
  const { controls, controlsAdmin } = ports;
  const known = (await ports.lanes.all()).filter((it) => merchant === undefined || it.merchant === merchant);
  const lanes = await Array.fromAsync(lengthsOf(known, ports));
  const all = await controlsAdmin.pauseOf(undefined);
  const views = lanes.map(async (lane) => {
    const [control, own] = await Promise.all([controls.of(lane.merchant), controlsAdmin.pauseOf(lane.merchant)]);
    return laneView({ ...lane, control, pausedBy: all ?? own, areAllPaused: all !== undefined }, nowMs);
  });
  return Promise.all(views);
}
