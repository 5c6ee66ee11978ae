// What a stand asks for: a hundred thousand jobs wait for a closed lane for hours, and none of them is delivered meanwhile: each hour asks
// so many calls of SQS, of the lane's item and of the gateway. Then the gateway is back, and all of them are paid.
import type { Bound, Measurement } from '../harness.ts';
import { ours } from './handlings.ts';
import { type Calls, run } from './workers.ts';

const hourMs = 3_600_000;
const closedHours = 3;
const jobs = 100_000;

/** The most requests in an hour for jobs that cannot move. */
const standPerHour = {
  deliveries: 0,
  sqsCalls: 300,
  laneReads: 2_000,
  laneWrites: 200,
  posts: 31,
} as const;

const bounds: readonly Bound[] = [
  { kind: 'most', figure: 'deliveriesPerHour', most: standPerHour.deliveries },
  // Each comes once, and then waits in the table.
  { kind: 'most', figure: 'deliveriesPerJobInTheFirstHour', most: 1.1 },
  { kind: 'most', figure: 'sqsCallsPerHour', most: standPerHour.sqsCalls },
  { kind: 'most', figure: 'laneReadsPerHour', most: standPerHour.laneReads },
  { kind: 'most', figure: 'laneWritesPerHour', most: standPerHour.laneWrites },
  { kind: 'most', figure: 'postsPerHour', most: standPerHour.posts },
  { kind: 'most', figure: 'notPaidInTheEnd', most: 0 },
];

/** The dearest of the hours after the first, in which those who came at once are spread. */
export async function stand(): Promise<Measurement> {
  const spells = [
    { fromMs: 0, perSecond: 200, says: 'not-connected' as const },
    { fromMs: closedHours * hourMs, perSecond: 200 },
  ];
  const {
    jobs: all,
    calls,
    gateways,
  } = await run([{ name: 'one', jobs, spells }], ours, (closedHours + 0.7) * hourMs, 1);
  const [first, ...hours] = calls.slice(0, closedHours);
  const most = (name: keyof Calls) => Math.max(...hours.map((hour) => hour[name]));
  const posts = (hour: number) =>
    gateways.get('one')?.requests.filter(({ atMs }) => Math.floor(atMs / hourMs) === hour).length ?? 0;
  const figures = {
    deliveriesPerHour: most('deliveries'),
    deliveriesPerJobAndHour: most('deliveries') / jobs,
    deliveriesPerJobInTheFirstHour: (first?.deliveries ?? 0) / jobs,
    // To receive and to delete, and the references.
    sqsCallsPerHour: 2 * most('batches') + 2 * most('referenceBatches') + most('referenceSends'),
    laneReadsPerHour: most('laneReads'),
    laneWritesPerHour: most('laneWrites'),
    postsPerHour: Math.max(...hours.map((_, hour) => posts(hour + 1))),
    notPaidInTheEnd: all.filter(({ end }) => end?.kind !== 'accepted').length,
  };
  return { figures, bounds };
}
