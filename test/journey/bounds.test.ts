// Whatever fails, and however, an order costs a stated number of deliveries, POSTs, inquiries and log lines an hour; and
// once the services are back, everything has its end: nothing paid twice, lost, or told wrongly.
import { afterAll, expect, it } from 'vitest';
import { lengthOf, longIt } from '../support/long-proof.ts';
import { type Fault, type FaultMode, faultModes, failing, services, statuses } from '../support/outage-modes.ts';
import { aPayoutJob } from '../support/jobs.ts';
import { createQueuePlayer, type QueuePlayer } from '../support/queue-player.ts';
import { aRecord } from '../support/records.ts';
import { startMs } from '../support/time-and-chance.ts';
import { aWorld, type World } from '../support/world.ts';

const minutes = 60_000;
const hours = 60 * minutes;
const bounds = { deliveries: 12, posts: 2, inquiries: 12, logLines: 40 };
const worst = { deliveries: 0, posts: 0, inquiries: 0, logLines: 0, worlds: 0 };
const order = 'acme-eu/INV-1';
const calledBack = `${order}, called back`;
const call = { orderid: '9000001', client_orderid: 'INV-1', amount: '10.42', currency: 'EUR', status: 'declined' };

afterAll(() => void process.stdout.write(`worst of an order in an hour: ${JSON.stringify(worst)}\n`));

interface Given {
  /** The faults begin at once, or when the order is accepted. */
  readonly from?: 'start' | 'accepted';
  /** The gateway calls back each minute, all the time. */
  readonly isCalledBack?: boolean;
  /** Workers, each with knowledge of its own of what the queues do. */
  readonly processes?: number;
}

/** One world: its faults last for two hours. */
async function outage(faults: readonly Fault[], given: Given = {}): Promise<void> {
  const { from = 'start', isCalledBack = false, processes = 1 } = given;
  const all = faults.map(({ service, mode }) => `${service} ${mode}`).join(', ');
  const name = `${isCalledBack ? 'called back, ' : ''}${processes} from ${from}: ${all}`;
  const world = aWorld({ profile: { statusInquiry: true } });
  const queues = createQueuePlayer(world, processes);
  const earlier = from === 'start' ? failing(world, faults) : undefined;
  queues.send(aRecord(aPayoutJob({ batchId: 'b-1' }), { messageId: 'first' }));
  queues.send(aRecord({ ...aPayoutJob({ batchId: 'b-1', orderId: 'BAD' }), version: 7 }, { messageId: 'refused' }));
  await queues.pass(1_000);
  const { recover, postsAtMs } = earlier ?? failing(world, faults);
  queues.send(aRecord(aPayoutJob({ batchId: 'b-2' }), { messageId: 'elsewhere' }));
  let callbacks = 0;
  const eachMinute = async () => {
    if (isCalledBack) await world.callBack(call);
    callbacks += isCalledBack ? 1 : 0;
    // Without an index a sweep has nothing to look at; the next comes a minute later.
    await world.sweep().catch(() => {});
  };
  await queues.pass(2 * hours, eachMinute);
  checkBounds(name, world, queues, { postsAtMs, callbacks });

  recover();
  world.gateway.statusStays('approved');
  await queues.pass(30 * minutes, world.sweep);
  for (let quarters = 0; quarters < 60; quarters += 1) {
    await queues.pass(15 * minutes);
    await world.sweep();
  }
  checkEnd(name, world, queues);
}

/** The most of these moments that lie within one hour. */
const mostInAnHour = (atMs: readonly number[]) =>
  Math.max(0, ...atMs.map((from) => atMs.filter((it) => it >= from && it < from + hours).length));

function checkBounds(
  name: string,
  { gateway }: World,
  queues: QueuePlayer,
  given: { readonly postsAtMs: readonly number[]; readonly callbacks: number },
): void {
  const costs = (keys: readonly string[]) => keys.flatMap((key) => queues.costs().get(key) ?? []);
  const timesOf = (...keys: readonly string[]) => costs(keys).flatMap(({ atMs }) => atMs);
  const linesOf = (...keys: readonly string[]) => costs(keys).reduce((sum, it) => sum + it.logLines, 0);
  // Young orders are asked about every few seconds; each look is a delivery.
  const later = (atMs: readonly number[]) => atMs.filter((it) => it > startMs + 5 * minutes);
  // A callback's first delivery is the gateway's own. Each comes back four times at most, and goes on where no send is confirmed.
  const perCallback = given.callbacks === 0 ? 0 : 4;
  const seen = {
    // Of each message that somebody sent, its copies included, from its first moment on; and of the order all in all.
    deliveries: Math.max(
      ...['first', 'refused', 'elsewhere'].map((message) => mostInAnHour(timesOf(message))),
      mostInAnHour(later(timesOf('first', order, calledBack))) - 60 * perCallback,
    ),
    posts: mostInAnHour([...given.postsAtMs, ...gateway.posts.map(({ atMs }) => atMs)]),
    inquiries: mostInAnHour(later(gateway.inquiries.map(({ atMs }) => atMs))),
    logLines: Math.max(
      linesOf('refused') / 2,
      linesOf('elsewhere') / 2,
      (linesOf('first', order, calledBack) - 3 * perCallback * given.callbacks) / 2,
    ),
  };
  worst.worlds += 1;
  for (const what of ['deliveries', 'posts', 'inquiries', 'logLines'] as const) {
    worst[what] = Math.max(worst[what], seen[what]);
    expect.soft(seen[what], `${what}; ${name}`).toBeLessThanOrEqual(bounds[what]);
  }
}

function checkEnd(name: string, { gateway, results, entries }: World, queues: QueuePlayer): void {
  const letters = queues.deadLetters();
  // Whether a dead letter was taken nobody knows while no answer comes: six of its receives in two hours lay it there.
  const most = name.includes('jobs queue applied') ? 6 : 1;
  for (const [id, same] of Map.groupBy(letters, (it) => it))
    expect.soft(same.length, `dead letters of ${id}; ${name}`).toBeLessThanOrEqual(most);
  expect.soft(gateway.postsOf('INV-1'), `POSTs; ${name}`).toBeLessThanOrEqual(1);
  const entry = entries.get(order);
  const told = results.taken.filter(({ orderId }) => orderId === 'INV-1');
  const isVisible = (id: string) => letters.includes(id) || queues.waiting().includes(id);
  expect.soft(told.length > 0 || isVisible('first') || entry !== undefined, `lost; ${name}`).toBe(true);
  const isRefusalTold = results.taken.some(({ resultId }) => resultId.startsWith('rejected/refused/'));
  expect.soft(isRefusalTold || isVisible('refused'), `the refused message is lost; ${name}`).toBe(true);
  const last = told
    .filter(({ revision }) => revision !== 0)
    .toSorted((a, b) => Number(a.revision) - Number(b.revision))
    .at(-1);
  if (last && entry) expect.soft([last.revision, last.status], `told; ${name}`).toEqual([entry.revision, entry.state]);
  if (gateway.postsOf('INV-1') > 0)
    expect.soft(['approved', 'held', 'in-doubt', call.status], `end; ${name}`).toContain(entry?.state);
}

const subsetsOf = (mode: FaultMode): Fault[][] =>
  Array.from({ length: 2 ** services.length }, (_, bits) =>
    services.filter((_service, place) => (bits >> place) % 2 === 1).map((service) => ({ service, mode })),
  );
const each = services.flatMap((service) => faultModes.map((mode): Fault => ({ service, mode })));
const answers = statuses.map((mode): Fault => ({ service: 'gateway POST', mode }));

/** The short proof takes one way of each service: every third by itself, the next where the gateway calls back, the last with a queue. */
const isWhole = lengthOf({ short: false, long: true });
const some = (turn: number) =>
  each.filter(({ service, mode }) => {
    const place = services.indexOf(service);
    return (
      isWhole || (place % 3 === turn && faultModes.indexOf(mode as FaultMode) === (place + turn) % faultModes.length)
    );
  });

it('each service alone, in each way', async () => {
  for (const fault of [...some(0), ...answers.slice(0, isWhole ? undefined : 1)]) await outage([fault]);
  for (const fault of [...some(1), ...answers.slice(isWhole ? 0 : -1)]) await outage([fault], { isCalledBack: true });
  for (const service of isWhole ? services : services.slice(0, 2))
    await outage([{ service, mode: 'applied' }], { from: 'accepted', isCalledBack: true });
  expect(worst.worlds).toBeGreaterThan(0);
});

it('a sample of all combinations', async () => {
  for (const [place, faults] of subsetsOf('refused').entries())
    if (place % (isWhole ? 127 : 635) === 3)
      await outage(faults, { from: place % 2 === 0 ? 'start' : 'accepted', isCalledBack: place % 4 < 2 });
  expect(worst.worlds).toBeGreaterThan(0);
});

it('a jobs queue that does all and answers nobody, with a few workers', async () => {
  for (const other of some(2).filter(({ service }) => service !== 'jobs queue'))
    await outage([{ service: 'jobs queue', mode: 'applied' }, other], { processes: 3 });
  expect(worst.worlds).toBeGreaterThan(0);
});

/** A landing takes some of them: strides that are prime, so that each service and each way has its turn. */
const refusedStride = lengthOf({ short: 61, long: 61, whole: 1 });
const pairStride = lengthOf({ short: 7, long: 7, whole: 1 });
longIt(
  'every combination of services that refuse',
  async () => {
    for (const faults of subsetsOf('refused').filter((_, place) => place % refusedStride === 0))
      for (const from of ['start', 'accepted'] as const) await outage(faults, { from, isCalledBack: true });
  },
  900_000,
);

longIt(
  'each pair of services, each in each way',
  async () => {
    const pairs = [...each, ...answers].flatMap((one, place) =>
      each
        .slice(place < each.length ? place + 1 : 0)
        .filter((other) => other.service !== one.service)
        .map((other) => [one, other]),
    );
    for (const pair of pairs.filter((_, place) => place % pairStride === 0)) await outage(pair);
  },
  900_000,
);
