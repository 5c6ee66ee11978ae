// Bad days by name (`payouts local --faults NAME`). Chance is a hash of the seed and the request, never Math.random:
// the same seed does the same to the same sends, in whatever order they arrive.
import { createHash } from 'node:crypto';
import { scenarioByOrderId } from './scenario-markers.ts';
import {
  faultMoments,
  faultsByName,
  type Scenario,
  type ScenarioAnswer,
  type ScenarioFunction,
  type ScenarioRequest,
  scenarioWith,
  type SimulatedFault,
} from './scenario.ts';
import type { SimulatorOptions } from './simulator-options.ts';

/** A named schedule: spread `settings` into the simulator's options and give it the made scenario function. */
interface FaultSchedule {
  readonly description: string;
  readonly settings?: Pick<SimulatorOptions, 'duplicateOrderIds' | 'statusVisibilityDelayMs'>;
  /** From the start, the port is closed for so long. */
  readonly closedMs?: number;
  /** The profile that a merchant needs for this gateway, as its support would say. */
  readonly profile?: Readonly<Record<string, unknown>>;
  /**
   * Where the schedule leaves a request alone, the marker in its order id decides. `share` of the requests meet a fault, in a schedule
   * that has a share; its own when absent.
   */
  readonly makeScenario: (options: { seed: string; nowMs: () => number; share?: number }) => ScenarioFunction;
}

const brownoutMs = 20_000;
/** Over before the brake's first probe, so that one sees it open the lane. */
const badDayMs = 15_000;
const requestsPerSecond = 5;
const wantOfFundsCode = 28;
const brownoutShare = 0.7;
const flakyShare = 0.3;
const unheardShare = 0.3;
const slowestMs = 3_000;
const lateStatusMs = 30_000;

const unheard: readonly SimulatedFault[] = [
  { kind: 'stall', when: 'after' },
  { kind: 'http-error', status: 500, when: 'after' },
  { kind: 'reset', when: 'after' },
];
const everyFault = faultMoments.flatMap((when): SimulatedFault[] => [
  ...Object.values(faultsByName).map(({ fault }) => ({ ...fault, when })),
  { kind: 'slow', latencyMs: 2_000, when },
]);
// A 429 after the commit would be a lie about money that no client can see through, so it comes before only.
const flakyFaults: readonly SimulatedFault[] = [
  ...everyFault,
  { kind: 'too-many-requests', retryAfterSeconds: 1, when: 'before' },
];

/** Every schedule by name, with its one line for `--help`. */
const schedules = {
  none: {
    description: 'only what the markers in the order ids ask for',
    makeScenario: () => scenarioByOrderId,
  },
  brownout: {
    description: 'for 20 s from the first request most orders stall, answer 500 or reset after commit, then recovery',
    makeScenario: makeBrownout,
  },
  'rate-limit': {
    description: `429 to each request of a merchant above ${requestsPerSecond} in a second`,
    makeScenario: makeRateLimit,
  },
  outage: {
    description: 'for the first 15 s connections are refused',
    closedMs: badDayMs,
    makeScenario: () => scenarioByOrderId,
  },
  'wrong-key': {
    description:
      'for 15 s from the first request every signature is refused (401), as with a key that is not known yet',
    makeScenario: ({ nowMs }) =>
      onABadDay(nowMs, (planned) => ({ ...planned, fault: { kind: 'http-error', status: 401, when: 'before' } })),
  },
  'no-funds': {
    description: `for 15 s from the first order the account is empty: refused with code ${wantOfFundsCode}, named in accountCodes`,
    profile: { accountCodes: codesOfEach([String(wantOfFundsCode)]) },
    makeScenario: ({ nowMs }) => onABadDay(nowMs, withoutFunds),
  },
  flaky: {
    description: 'three requests in ten meet a fault of any kind, before or after commit',
    makeScenario: ({ seed, share = flakyShare }) => withFaults({ seed, share, faults: flakyFaults }),
  },
  slow: {
    description: 'every answer takes up to 3 s',
    makeScenario: makeSlow,
  },
  'duplicates-refused': {
    description: 'three answers in ten are lost after commit, and a second order under the same id is refused',
    settings: { duplicateOrderIds: 'refused' },
    makeScenario: ({ seed }) => withFaults({ seed, share: unheardShare, faults: unheard }),
  },
  'late-status': {
    description: 'three answers in ten are lost after commit, and status knows an order only after 30 s',
    settings: { statusVisibilityDelayMs: lateStatusMs },
    makeScenario: ({ seed }) => withFaults({ seed, share: unheardShare, faults: unheard }),
  },
} satisfies Readonly<Record<string, FaultSchedule>>;

/** The schedules there are. */
export type FaultScheduleName = keyof typeof schedules;
export const faultSchedules: Readonly<Record<FaultScheduleName, FaultSchedule>> = schedules;

/** A number from 0 up to but not 1 that depends on the seed and the send alone. */
function chanceOf(seed: string, request: ScenarioRequest, purpose: string): number {
  const { operation, login, orderId, sendNumber } = request;
  const key = JSON.stringify([seed, purpose, operation, login, orderId, sendNumber]);
  return createHash('sha256').update(key).digest().readUIntBE(0, 6) / 2 ** 48;
}

function withFaults(options: { seed: string; share: number; faults: readonly SimulatedFault[] }): ScenarioFunction {
  const { seed, share, faults } = options;
  return (request) => {
    const planned = scenarioByOrderId(request);
    if (planned.fault.kind !== 'none' || chanceOf(seed, request, 'strike') >= share) return planned;
    const fault = faults[Math.floor(chanceOf(seed, request, 'kind') * faults.length)];
    return fault === undefined ? planned : { ...planned, fault };
  };
}

function makeBrownout({ seed, nowMs }: { seed: string; nowMs: () => number }): ScenarioFunction {
  const browned = withFaults({ seed, share: brownoutShare, faults: unheard });
  return onABadDay(nowMs, (_, request) => browned(request), brownoutMs);
}

function onABadDay(
  nowMs: () => number,
  change: (planned: Scenario, request: ScenarioRequest) => Scenario,
  lastsMs = badDayMs,
): ScenarioFunction {
  let endsAtMs: number | undefined;
  return (request) => {
    // Counted from the first request, so that a slow start of the local environment does not use the bad day up.
    endsAtMs ??= nowMs() + lastsMs;
    const planned = scenarioByOrderId(request);
    return nowMs() < endsAtMs ? change(planned, request) : planned;
  };
}

const noFunds: ScenarioAnswer = {
  kind: 'refused',
  type: 'error',
  code: wantOfFundsCode,
  message: 'Insufficient funds',
};

/** Inquiries are answered: what was paid before is. */
function withoutFunds(planned: Scenario, { operation }: ScenarioRequest): Scenario {
  const isInquiry = operation === 'status' || operation === 'pan-eligibility-status';
  return isInquiry ? planned : { ...planned, fault: { kind: 'none' }, answer: noFunds };
}

/** Before anything is committed: a 429 afterwards would be a lie about money. */
function makeRateLimit({ nowMs }: { nowMs: () => number }): ScenarioFunction {
  const takenAtMs = new Map<string, readonly number[]>();
  return (request) => {
    const atMs = nowMs();
    const lately = (takenAtMs.get(request.login) ?? []).filter((it) => it > atMs - 1_000);
    const isAbove = lately.length >= requestsPerSecond;
    takenAtMs.set(request.login, isAbove ? lately : [...lately, atMs]);
    const planned = scenarioByOrderId(request);
    return isAbove
      ? { ...planned, fault: { kind: 'too-many-requests', retryAfterSeconds: 1, when: 'before' } }
      : planned;
  };
}

function codesOfEach(codes: readonly string[]): Readonly<Record<string, readonly string[]>> {
  return {
    payout: codes,
    transfer: codes,
    'transfer-by-ref': codes,
    'pan-eligibility': codes,
  };
}

function makeSlow({ seed }: { seed: string }): ScenarioFunction {
  return (request) => {
    const planned = scenarioByOrderId(request);
    if (planned.fault.kind !== 'none') return planned;
    const latencyMs = Math.floor(chanceOf(seed, request, 'latency') * slowestMs);
    return scenarioWith({ ...planned, fault: { kind: 'slow', when: 'after', latencyMs } });
  };
}
