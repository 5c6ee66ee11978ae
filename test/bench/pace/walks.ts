// The walks of an outside gateway: three hundred jobs while it takes one connection at a time, hangs, is closed, refuses the key, is busy or
// out of funds for a minute, or changes its limit. And what waiting costs, by the calls that were made: beside the payment itself.
import type { Bound, Measurement } from '../harness.ts';
import { lineShards } from '../../../lib/payout/wait/parked-job.ts';
import { prices } from '../prices.ts';
import type { Spell } from './gateways.ts';
import { ours } from './handlings.ts';
import { between } from './other-gateways.ts';
import { type Calls, run } from './workers.ts';

const second = 1_000;
const minute = 60 * second;
const [awayFromMs, awayMs] = [30 * second, minute];

interface Walk {
  readonly name: string;
  readonly spells: readonly Spell[];
}

const awayWith = (name: string, spell: Partial<Spell>): Walk => ({
  name,
  spells: [
    { fromMs: 0, perSecond: 20 },
    { fromMs: awayFromMs, perSecond: 20, ...spell },
    { fromMs: awayFromMs + awayMs, perSecond: 20 },
  ],
});

const walks: readonly Walk[] = [
  { name: 'oneConnection', spells: [{ fromMs: 0, perSecond: 5, counts: 'under way' }] },
  awayWith('hangs20s', { says: 'no-answer' }),
  awayWith('refuses401', { says: 'credentials' }),
  awayWith('closed', { says: 'not-connected' }),
  awayWith('busy503', { perSecond: 0, counts: 'sliding', isBusy: true }),
  awayWith('noFunds', { says: 'account' }),
  {
    name: 'fiveFiftyTwo',
    spells: [
      { fromMs: 0, perSecond: 5 },
      { fromMs: minute, perSecond: 50 },
      { fromMs: 2 * minute, perSecond: 2 },
    ],
  },
];

const walkBounds: readonly Bound[] = [
  { kind: 'most', figure: 'notEnded', most: 0 },
  // A gateway that hangs is seen by each worker for itself.
  { kind: 'most', figure: 'postsWhileAway', most: 45 },
  // Probes come 15, 45 and 105 seconds after the lane was closed.
  { kind: 'most', figure: 'firstAfterSeconds', most: 60 },
  { kind: 'most', figure: 'lastUrgentSeconds', most: 180 },
];

/** Two hundred urgent jobs, two a second, and a hundred rows that are there at the beginning. */
export function walked(name: string): () => Promise<Measurement> {
  return async () => {
    const walk = walks.find((it) => it.name === name);
    if (!walk) throw new Error(`no walk is called ${name}`);
    const { jobs, gateways, deliveries } = await run(
      [{ name: 'one', jobs: 100, urgentEachMs: 500, urgentUntilMs: 100 * second, spells: walk.spells }],
      ours,
      30 * minute,
      1,
    );
    const gateway = gateways.get('one');
    const backMs = awayFromMs + awayMs;
    const isAway = walk.spells.length === 3 && name !== 'fiveFiftyTwo';
    const after = gateway?.requests.find(({ atMs, reply }) => atMs >= backMs && reply === 'accepted')?.atMs ?? Infinity;
    const ends = jobs.flatMap(({ end, isUrgent }) => (end ? [{ ...end, isUrgent }] : []));
    const last = (urgent: boolean) =>
      Math.max(...ends.filter(({ isUrgent }) => isUrgent === urgent).map((it) => it.atMs));
    const figures = {
      notEnded: jobs.length - ends.length,
      doubts: ends.filter(({ kind }) => kind === 'doubt').length,
      slowDowns: gateway ? between(gateway, 0, Infinity, 'slow-down') : 0,
      ...(isAway && {
        postsWhileAway: gateway ? between(gateway, awayFromMs + 3 * second, backMs) : 0,
        firstAfterSeconds: (after - backMs) / second,
      }),
      lastUrgentSeconds: last(true) / second,
      lastRowSeconds: last(false) / second,
      deliveriesPerJob: deliveries / jobs.length,
    };
    return { figures, bounds: isAway ? walkBounds : walkBounds.slice(0, 1) };
  };
}

export const walkNames = walks.map(({ name }) => name);

const million = 1e6;
const gbOfFunction = 1;
const gbOfLeader = 0.5;

/** Dollars of these calls, but for what each payment costs anyway. */
function dollarsOf(calls: readonly Calls[]): number {
  const of = (name: keyof Calls) => calls.reduce((sum, it) => sum + it[name], 0);
  const sqs = 2 * of('batches') + of('referenceSends') + 2 * of('referenceBatches');
  const writes = of('laneWrites') + 2 * of('jobWrites') + 3 * of('jobMoves') + of('jobBegins');
  // The index is read shard by shard.
  const reads = of('laneReads') + of('leaderCalls') + 0.5 * lineShards * of('lineReads');
  return (
    (sqs * prices.sqsMillionRequests +
      writes * prices.dynamoDbMillionWrites +
      reads * prices.dynamoDbMillionReads +
      (of('batches') + of('referenceBatches')) * prices.lambdaMillionRequests) /
      million +
    ((of('workMs') * gbOfFunction + of('leaderMs') * gbOfLeader) / second) * prices.lambdaGbSecond
  );
}

/** What delivering, pacing and waiting cost a million: an open lane, a file at five a second, an hour before a closed gateway. */
export async function waitingCosts(jobs: number): Promise<Measurement> {
  const hour = 60 * minute;
  // Ten a second, one by one, where twenty may go: nobody waits.
  const untilMs = 1_000 * second;
  const open = { name: 'one', jobs: 0, urgentEachMs: 100, urgentUntilMs: untilMs };
  const fast = await run([{ ...open, spells: [{ fromMs: 0, perSecond: 20 }] }], ours, untilMs + minute, 1);
  const slow = await run([{ name: 'one', jobs, spells: [{ fromMs: 0, perSecond: 5 }] }], ours, (jobs / 5) * 1_100, 1);
  const closed = [{ fromMs: 0, perSecond: 200, says: 'not-connected' as const }];
  const stand = await run([{ name: 'one', jobs, spells: closed }], ours, 2 * hour, 1);
  const ended = slow.jobs.filter(({ end }) => end).length;
  const figures = {
    openLaneDollarsPerMillion: (dollarsOf(fast.calls) / fast.jobs.length) * million,
    fileAtFiveDollarsPerMillion: (dollarsOf(slow.calls) / ended) * million,
    fileAtFiveDeliveriesPerRow: slow.deliveries / ended,
    fileAtFiveEnded: ended / jobs,
    // The leader's, whatever waits.
    standHourDollars: dollarsOf(stand.calls.slice(1, 2)),
    standPutDollarsPerMillion: (dollarsOf(stand.calls.slice(0, 1)) / jobs) * million,
  };
  const bounds: readonly Bound[] = [
    { kind: 'most', figure: 'fileAtFiveDeliveriesPerRow', most: 1.5 },
    { kind: 'most', figure: 'standHourDollars', most: 0.03 },
  ];
  return { figures, bounds };
}
