// What is not about the order costs it time and nothing else: a closed port, a wrong key, a gateway that takes few, an empty
// account. Hours of them, in virtual time, over both queues.
import { expect, it } from 'vitest';
import type { Profile } from '../../lib/gateway/profile.ts';
import type { Gateway } from '../../lib/gateway/ports.ts';
import { aPayoutJob } from '../support/jobs.ts';
import { lengthOf } from '../support/long-proof.ts';
import { createQueuePlayer } from '../support/queue-player.ts';
import { aRecord } from '../support/records.ts';
import { aWorld, type World } from '../support/world.ts';

const minutes = 60_000;
const hours = 60 * minutes;

/** So many jobs on the queue. */
function withJobs(jobs: number, profile: Partial<Profile> = {}) {
  const world = aWorld({ profile });
  const queues = createQueuePlayer(world);
  for (let n = 1; n <= jobs; n += 1) queues.send(aRecord(aPayoutJob({ orderId: `INV-${n}` })));
  return { world, queues };
}

/** How many orders stand where. */
const states = ({ entries }: World) =>
  Object.fromEntries(
    [...Map.groupBy(entries.values(), ({ state }) => state)].map(([state, orders]) => [state, orders.length]),
  );

const nothingTold = (world: World) => expect(world.results.taken).toEqual([]);

it('payouts wait for a port that is closed for an hour, and all are paid soon after', async () => {
  const orders = lengthOf({ short: 20, long: 300 });
  const { world, queues } = withJobs(orders);
  world.gateway.stays('refuses the connection');
  await queues.pass(hours);
  nothingTold(world);
  expect(queues.deadLetters()).toEqual([]);
  const most = Math.max(...[...queues.costs().values()].map(({ deliveries }) => deliveries));
  expect(most).toBeLessThanOrEqual(12);

  world.gateway.stays('accepts');
  await queues.pass(20 * minutes);
  expect(states(world)).toEqual({ accepted: orders });
  expect(world.gateway.posts).toHaveLength(orders);
  expect(queues.waiting()).toEqual([]);
});

it('payouts wait for a key that is wrong for an hour', async () => {
  const orders = lengthOf({ short: 20, long: 500 });
  const { world, queues } = withJobs(orders);
  world.gateway.stays('refuses the signature');
  await queues.pass(hours);
  nothingTold(world);
  expect(queues.deadLetters()).toEqual([]);
  world.gateway.stays('accepts');
  await queues.pass(20 * minutes);
  // Those few that were probes twice within the hour rest until it is over.
  expect(orders - (states(world)['accepted'] ?? 0)).toBeLessThanOrEqual(3);
  await queues.pass(50 * minutes);
  expect(states(world)).toEqual({ accepted: orders });
});

it('payouts go out through a gateway that takes five a second and answers 429 to the others', async () => {
  const orders = lengthOf({ short: 150, long: 2_000 });
  const { world, queues } = withJobs(orders);
  const takenBySecond = new Map<number, number>();
  const { post } = world.gateway;
  const gateway: Gateway = {
    async post(request) {
      const second = Math.floor(world.clock.nowMs() / 1000);
      const taken = takenBySecond.get(second) ?? 0;
      takenBySecond.set(second, taken + 1);
      if (taken < 5) return post(request);
      return { kind: 'answer', httpStatus: 429, body: 'slow down', framing: 'delimited' };
    },
  };
  Object.assign(world.ports, { gateway });
  await queues.pass(4 * minutes);
  expect(Object.keys(states(world)).filter((state) => state !== 'accepted' && state !== 'retryable')).toEqual([]);
  expect(queues.deadLetters()).toEqual([]);
  await queues.pass(12 * hours);
  expect(states(world)).toEqual({ accepted: orders });
  expect(world.gateway.posts).toHaveLength(orders);
});

it('payouts wait for an account that is filled again, where the merchant names its code', async () => {
  const { world, queues } = withJobs(10, { accountCodes: { payout: ['8'] } });
  world.gateway.stays('refuses the order');
  await queues.pass(hours);
  nothingTold(world);
  world.gateway.stays('accepts');
  // Ten orders alone were the probes of an hour: most were refused twice within it, and rest until it is over.
  await queues.pass(75 * minutes);
  expect(states(world)).toEqual({ accepted: 10 });
  expect(queues.deadLetters()).toEqual([]);
});

it('a closed lane is tried by probes alone, one at a time, and costs a waiting job four deliveries an hour', async () => {
  const orders = 40;
  const { world, queues } = withJobs(orders);
  const tried: string[] = [];
  const gateway: Gateway = {
    async post({ body }) {
      tried.push(new URLSearchParams(body).get('client-order-id') ?? '');
      return { kind: 'not-sent', reason: 'connect ECONNREFUSED' };
    },
  };
  Object.assign(world.ports, { gateway });
  await queues.pass(hours);
  // What was under way when the lane closed, then probes: never the same order twice running.
  expect(tried.length).toBeLessThanOrEqual(10 + 34);
  expect(tried.slice(10).filter((order, at) => at > 0 && order === tried[at + 9])).toEqual([]);
  queues.startCounting();
  await queues.pass(hours);
  expect(Math.max(...[...queues.costs().values()].map(({ deliveries }) => deliveries))).toBeLessThanOrEqual(5);
  expect(queues.deadLetters()).toEqual([]);
  nothingTold(world);
});

it('an account that says no to every order with one code stops, and waits for a person', async () => {
  const { world, queues } = withJobs(60);
  world.gateway.stays('refuses the order');
  await queues.pass(2 * hours);
  expect(states(world)).toEqual({ declined: 20 });
  const [lane] = await world.ports.lanes.all();
  expect(lane?.state?.closed).toMatchObject({ cause: 'refused', code: '8' });
  expect(queues.waiting()).toHaveLength(40);
});
