// Whatever fails, and however, an order costs a stated number of deliveries, POSTs, inquiries and log lines an hour; and
// once the services are back, everything has its end: nothing paid twice, lost, or told wrongly.
import { afterAll, expect, it } from 'vitest';
import { longIt } from '../support/long-proof.ts';
import { type Fault, type FaultMode, faultModes, failing, services } from '../support/outage-modes.ts';
import { aPayoutJob } from '../support/jobs.ts';
import { createQueuePlayer, type QueuePlayer } from '../support/queue-player.ts';
import { aRecord } from '../support/records.ts';
import { aWorld, type World } from '../support/world.ts';

const minutes = 60_000;
const hours = 60 * minutes;
const bounds = { deliveries: 12, posts: 2, inquiries: 12, logLines: 40 };
const worst = { deliveries: 0, posts: 0, inquiries: 0, logLines: 0, worlds: 0 };
const order = 'acme-eu/INV-1';
const calledBack = `${order}, called back`;
const call = { orderid: '9000001', client_orderid: 'INV-1', amount: '10.42', currency: 'EUR', status: 'declined' };

afterAll(() => void process.stdout.write(`worst of an order in an hour: ${JSON.stringify(worst)}\n`));

/** One world: its faults last for 65 minutes, from the beginning or once the order is accepted. */
async function anHour(faults: readonly Fault[], from: 'start' | 'accepted', isCalledBack: boolean): Promise<void> {
  const name = `${isCalledBack ? 'called back, ' : ''}${from}: ${faults.map(({ service, mode }) => `${service} ${mode}`).join(', ')}`;
  const world = aWorld({ profile: { statusInquiry: true } });
  const queues = createQueuePlayer(world);
  const recover = from === 'start' ? failing(world, faults) : undefined;
  queues.send(aRecord(aPayoutJob({ batchId: 'b-1' }), { messageId: 'first' }));
  queues.send(aRecord({ ...aPayoutJob({ batchId: 'b-1', orderId: 'BAD' }), version: 7 }, { messageId: 'refused' }));
  await queues.pass(1_000);
  const isUp = recover ?? failing(world, faults);
  queues.send(aRecord(aPayoutJob({ batchId: 'b-2' }), { messageId: 'elsewhere' }));
  const eachMinute = async () => {
    if (isCalledBack) await world.callBack(call);
    // Without an index a sweep has nothing to look at; the next comes a minute later.
    await world.sweep().catch(() => {});
  };
  await queues.pass(5 * minutes, eachMinute);
  const before = { posts: world.gateway.posts.length, inquiries: world.gateway.inquiries.length };
  queues.startCounting();
  await queues.pass(hours, eachMinute);
  checkBounds(name, world, queues, before);

  isUp();
  world.gateway.statusStays('approved');
  await queues.pass(30 * minutes, world.sweep);
  for (let quarters = 0; quarters < 60; quarters += 1) {
    await queues.pass(15 * minutes);
    await world.sweep();
  }
  checkEnd(name, world, queues);
}

function checkBounds(
  name: string,
  { gateway }: World,
  queues: QueuePlayer,
  before: { readonly posts: number; readonly inquiries: number },
): void {
  const checks = costOf(queues, [order, calledBack]);
  // A callback's first delivery is the gateway's own. Each comes back four times at most, and goes on where no send is confirmed.
  const perCallback = !name.startsWith('called back') ? 0 : name.includes('checks queue applied') ? 7 : 4;
  const byCallbacks = 65 * perCallback;
  const costs = [costOf(queues, ['first']), costOf(queues, ['refused']), costOf(queues, ['elsewhere'])];
  costs.push({ deliveries: checks.deliveries - byCallbacks, logLines: checks.logLines - 3 * byCallbacks });
  const seen = {
    deliveries: Math.max(0, ...costs.map(({ deliveries }) => deliveries)),
    posts: gateway.posts.length - before.posts,
    inquiries: gateway.inquiries.length - before.inquiries,
    logLines: Math.max(0, ...costs.map(({ logLines }) => logLines)),
  };
  worst.worlds += 1;
  for (const what of ['deliveries', 'posts', 'inquiries', 'logLines'] as const) {
    worst[what] = Math.max(worst[what], seen[what]);
    expect.soft(seen[what], `${what}; ${name}`).toBeLessThanOrEqual(bounds[what]);
  }
}

function costOf(queues: QueuePlayer, keys: readonly string[]) {
  const costs = keys.map((key) => queues.costs().get(key) ?? { deliveries: 0, logLines: 0 });
  const sumOf = (what: 'deliveries' | 'logLines') => costs.reduce((sum, it) => sum + it[what], 0);
  return { deliveries: sumOf('deliveries'), logLines: sumOf('logLines') };
}

function checkEnd(name: string, { gateway, results, entries }: World, queues: QueuePlayer): void {
  const letters = queues.deadLetters();
  // Whether a dead letter was taken nobody knows while no answer comes: three receives lay it there, and then SQS does.
  const most = name.includes('jobs queue applied') ? 4 : 1;
  for (const [id, same] of Map.groupBy(letters, (it) => it))
    expect.soft(same.length, `dead letters of ${id}; ${name}`).toBeLessThanOrEqual(most);
  expect.soft(gateway.postsOf('INV-1'), `POSTs; ${name}`).toBeLessThanOrEqual(1);
  const entry = entries.get(order);
  const told = results.taken.filter(({ orderId }) => orderId === 'INV-1');
  const isVisible = (id: string) => letters.includes(id) || queues.waiting().includes(id);
  expect.soft(told.length > 0 || isVisible('first') || entry !== undefined, `lost; ${name}`).toBe(true);
  const isRefusalTold = results.taken.some(({ resultId }) => resultId === 'rejected/refused');
  expect.soft(isRefusalTold || isVisible('refused'), `the refused message is lost; ${name}`).toBe(true);
  const last = told
    .filter(({ revision }) => revision !== undefined)
    .toSorted((a, b) => Number(a.revision) - Number(b.revision))
    .at(-1);
  if (last && entry) expect.soft([last.revision, last.status], `told; ${name}`).toEqual([entry.revision, entry.state]);
  if (gateway.postsOf('INV-1') > 0)
    expect.soft(['approved', 'held', 'in-doubt'], `end; ${name}`).toContain(entry?.state);
}

const subsetsOf = (mode: FaultMode): Fault[][] =>
  Array.from({ length: 2 ** services.length }, (_, bits) =>
    services.filter((_service, place) => (bits >> place) % 2 === 1).map((service) => ({ service, mode })),
  );

it('each service alone, in each way', async () => {
  for (const service of services)
    for (const mode of faultModes) {
      await anHour([{ service, mode }], 'start', false);
      await anHour([{ service, mode }], 'start', true);
    }
  for (const service of services) await anHour([{ service, mode: 'applied' }], 'accepted', true);
  expect(worst.worlds).toBeGreaterThan(0);
}, 60_000);

it('a sample of all combinations', async () => {
  for (const [place, faults] of subsetsOf('refused').entries())
    if (place % 31 === 3) await anHour(faults, place % 2 === 0 ? 'start' : 'accepted', place % 4 < 2);
  expect(worst.worlds).toBeGreaterThan(0);
}, 60_000);

longIt(
  'every combination of services that refuse',
  async () => {
    for (const faults of subsetsOf('refused'))
      for (const from of ['start', 'accepted'] as const) await anHour(faults, from, true);
  },
  900_000,
);

longIt(
  'each pair of services, each in each way',
  async () => {
    const all = services.flatMap((service) => faultModes.map((mode): Fault => ({ service, mode })));
    for (const [place, one] of all.entries())
      for (const other of all.slice(place + 1))
        if (one.service !== other.service) await anHour([one, other], 'start', false);
  },
  900_000,
);
