// The exhaustive mode: all schedules with no cut, with every single cut, and with every pair of cuts.
import type { OperationName } from '../../lib/gateway/operations.ts';
import { allMoods, type Mood, moods } from './gateway-moods.ts';
import type { Contract } from './merchants.ts';
import { type Redelivery, runSchedule, type Scenario, type Schedule, walkCuts } from './schedules.ts';

/** The result of a walk through all schedules. */
export interface WalkReport {
  readonly schedules: number;
  readonly broken?: Schedule & { readonly fault: string };
}

/** Every profile that the journey treats differently. */
const everyContract: readonly Contract[] = [false, true].flatMap((statusInquiry) =>
  (['accepted', 'refused'] as const).map((duplicateOrderIds) => ({ statusInquiry, duplicateOrderIds })),
);
const everyRedelivery: readonly Redelivery[] = ['at once', 'during the POST', 'afterwards'];

/** One mood for each way in which an attempt can end; the other moods differ in their wording alone. */
const typicalMoods: readonly Mood[] = [
  moods.accepts,
  moods['refuses the connection'],
  moods['refuses the signature'],
  moods['refuses the order'],
  moods['stalls, order committed'],
  moods['resets, nothing committed'],
  moods['answers 500, order committed late'],
];

/** Every profile and redelivery of an operation, under every typical mood. */
export function everyScenario(operation: OperationName): Scenario[] {
  return everyContract.flatMap((contract) =>
    everyRedelivery.flatMap((redelivery) => typicalMoods.map((mood) => ({ operation, contract, redelivery, mood }))),
  );
}

/** The same for a transfer with a CVV, which is of one attempt alone. */
export function everyScenarioWithCode(): Scenario[] {
  return everyScenario('transfer').map((it) => ({ ...it, withCode: true }));
}

/** The same for a payout while a release is under way. */
export function everyScenarioOfARelease(): Scenario[] {
  return everyScenario('payout').map((it) => ({ ...it, isRelease: true }));
}

/** Every mood under one operation of each kind, the message coming again during the POST. */
export function everyMood(): Scenario[] {
  return allMoods.flatMap((mood) =>
    (mood.onlyWithoutIdentity ? (['transfer'] as const) : (['payout', 'transfer', 'pan-eligibility'] as const)).flatMap(
      (operation) =>
        [false, true].map((statusInquiry) => ({
          operation,
          contract: { statusInquiry, duplicateOrderIds: 'accepted' as const },
          redelivery: 'during the POST' as const,
          mood,
        })),
    ),
  );
}

/** The depth of a walk: the undisturbed run, every death and every freeze, and every pair of deaths. */
type Depth = 'undisturbed' | 'single cuts' | 'pairs of cuts';

/** Walks through all schedules of the scenarios, until one breaks a promise. */
export async function walk(
  scenarios: readonly Scenario[],
  depth: Depth,
  /** Through the moments of first cuts; each scenario begins at another. */
  cutStride = 1,
): Promise<WalkReport> {
  let all = 0;
  for (const [place, scenario] of scenarios.entries()) {
    const { schedules, broken } = await walkCuts((...cuts) => runSchedule({ ...scenario, cuts }), {
      // The message of an order in doubt comes again and again until a person decides.
      atMost: [depth === 'undisturbed' ? 0 : 30, 12],
      isCut: (at) => (at + place) % cutStride === 0,
      pairStride: depth === 'pairs of cuts' ? 1 : Infinity,
    });
    all += schedules;
    if (broken) return { schedules: all, broken: { ...scenario, ...broken } };
  }
  return { schedules: all };
}

/** The story of a broken schedule, for a person. */
export async function storyOf(schedule: Schedule): Promise<string> {
  const { story, fault } = await runSchedule(schedule, true);
  const { operation, contract, redelivery, mood, cuts } = schedule;
  const told = cuts.map(({ boundary, cut }) => `${cut.kind} at boundary ${boundary}`).join(', ') || 'no cut';
  return [
    `${operation}, ${JSON.stringify(contract)}, the gateway ${mood.name}, second delivery ${redelivery}, ${told}:`,
    ...story,
    `BROKEN: ${fault}`,
  ].join('\n');
}
