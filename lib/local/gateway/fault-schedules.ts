// Bad days by name (`payouts local --faults NAME`). Chance is a hash of the seed and the request, never Math.random:
// the same seed does the same to the same sends, in whatever order they arrive.
import { createHash } from 'node:crypto';
import { scenarioByOrderId } from './scenario-markers.ts';
import { scenarioWith } from './scenario.ts';
import type { SimulatedFault, FaultMoment, ScenarioFunction, ScenarioRequest } from './scenario.ts';
import type { SimulatorOptions } from './simulator-options.ts';

/** A named schedule: spread `settings` into the simulator's options and give it the made scenario function. */
export interface FaultSchedule {
  readonly description: string;
  readonly settings: Pick<SimulatorOptions, 'duplicateOrderIds' | 'statusVisibilityDelayMs'>;
  /** Where the schedule leaves a request alone, the marker in its order id decides. */
  readonly makeScenario: (options: { seed: string; nowMs: () => number }) => ScenarioFunction;
}

/** The schedules there are. */
export type FaultScheduleName = 'none' | 'brownout' | 'flaky' | 'slow' | 'duplicates-refused' | 'late-status';

const brownoutMs = 20_000;
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
const moments: readonly FaultMoment[] = ['before', 'after'];
const everyFault: readonly SimulatedFault[] = moments.flatMap((when): SimulatedFault[] => [
  { kind: 'reset', when },
  { kind: 'close', when },
  { kind: 'stall', when },
  { kind: 'truncated-body', when },
  { kind: 'http-error', status: 408, when },
  { kind: 'http-error', status: 409, when },
  { kind: 'http-error', status: 500, when },
  { kind: 'http-error', status: 502, when },
  { kind: 'http-error', status: 503, when },
  { kind: 'http-error', status: 504, when },
  { kind: 'empty-200', when },
  { kind: 'html-200', when },
  { kind: 'json-as-html', when },
  { kind: 'foreign-order-id', when },
  { kind: 'slow', latencyMs: 2_000, when },
]);
// A 429 after the commit would be a lie about money that no client can see through, so it comes before only.
const flakyFaults: readonly SimulatedFault[] = [
  ...everyFault,
  { kind: 'too-many-requests', retryAfterSeconds: 1, when: 'before' },
];

/** Every schedule by name, with its one line for `--help`. */
export const faultSchedules: Readonly<Record<FaultScheduleName, FaultSchedule>> = {
  none: {
    description: 'only what the markers in the order ids ask for',
    settings: {},
    makeScenario: () => scenarioByOrderId,
  },
  brownout: {
    description: 'for 20 s from the first request most orders stall, answer 500 or reset after commit, then recovery',
    settings: {},
    makeScenario: makeBrownout,
  },
  flaky: {
    description: 'three requests in ten meet a fault of any kind, before or after commit',
    settings: {},
    makeScenario: ({ seed }) => withFaults({ seed, share: flakyShare, faults: flakyFaults }),
  },
  slow: {
    description: 'every answer takes up to 3 s',
    settings: {},
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
};

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
  let endsAtMs: number | undefined;
  return (request) => {
    // Counted from the first request, so that a slow start of the local environment does not use the brownout up.
    endsAtMs ??= nowMs() + brownoutMs;
    return nowMs() < endsAtMs ? browned(request) : scenarioByOrderId(request);
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
