// A restored ledger may have forgotten attempts of an order. That the gateway denies the one that is known says nothing of
// those that are not: the order is held for a person, and never called declined, failed or cancelled by itself.
import { beforeEach, expect, it } from 'vitest';
import { createMemoryRestoration } from '../support/memory-restoration.ts';
import { orderAsJson, orderAsText } from '../../lib/cli/orders/order-text.ts';
import { releaseOrder } from '../../lib/payout/operate/decide.ts';
import { runBatch } from '../../lib/payout/submit/run-jobs.ts';
import { ordersAfterRestore } from '../../lib/restore/restored-orders.ts';
import type { SQSRecord } from 'aws-lambda';
import { aPayoutJob } from '../support/jobs.ts';
import { aRecord, deliveryOf } from '../support/records.ts';
import { aWorld, type World, type WorldChoices } from '../support/world.ts';

const key = 'acme-eu/INV-1';
const minute = 60_000;
const inquired = { profile: { statusInquiry: true } };
const notPaid = { as: 'not-paid', by: 'anna', reason: 'seen in the back office' } as const;

let restoration: ReturnType<typeof createMemoryRestoration>;
beforeEach(() => {
  restoration = createMemoryRestoration();
});

const ports = (world: World) => ({ ...world.ports, ledger: ordersAfterRestore(world.orders, restoration) });
const deliver = (world: World, record: SQSRecord) =>
  runBatch([record], world.clock.nowMs() + 120_000, ports(world)).then(({ batchItemFailures }) => batchItemFailures);
const standing = (world: World) => world.entries.get(key);

/** The order was sent in the gap; its message comes again to the restored table, which puts it in doubt. */
async function inDoubt(choices: WorldChoices, before: (world: World) => Promise<unknown> = async () => {}) {
  const world = aWorld(choices);
  await before(world);
  const backup = new Map(world.entries);
  await world.deliver(aRecord(aPayoutJob(), { messageId: 'in-the-gap' }));
  world.items.clear();
  for (const [at, entry] of backup) world.entries.set(at, entry);
  await restoration.begin(
    { toMs: 0, sinceMs: world.clock.nowMs() },
    { by: 'anna', reason: 'the table was deleted', atMs: 0 },
  );
  await deliver(world, aRecord(aPayoutJob(), { messageId: 'again' }));
  return world;
}

/** The gateway's answer to the one attempt rides on a copy, and its claim is forgotten. */
async function carried(mood: 'accepts' | 'refuses the order', choices: WorldChoices = inquired) {
  const world = aWorld(choices);
  world.gateway.moods(mood);
  world.orders.stays('down', 'write');
  await world.deliver(aRecord(aPayoutJob(), { messageId: 'm-1' }));
  world.orders.stays('up', 'write');
  const [copy] = world.jobsQueue.copies.taken.splice(0);
  if (!copy) throw new Error('no copy was sent');
  world.items.clear();
  await world.deliver(deliveryOf(copy));
  return world;
}

it('declined by the gateway: held, as another attempt may live', async () => {
  const world = await inDoubt(inquired);
  world.gateway.statusStays('declined');
  await world.pass(2 * minute);
  expect(standing(world)).toMatchObject({ state: 'held', final: false, failure: { code: 'LEDGER_RESTORED' } });
  expect(standing(world)?.failure?.message).toContain('declined');
});

it('found first and declined later: held all the same', async () => {
  const world = await inDoubt(inquired);
  world.gateway.statuses('processing');
  await world.pass(2 * minute);
  expect(standing(world)?.state).toBe('accepted');
  world.gateway.statusStays('declined');
  await world.pass(5 * minute);
  expect(standing(world)).toMatchObject({ state: 'held', failure: { code: 'LEDGER_RESTORED' } });
});

it('one of them was paid: that is the end', async () => {
  const world = await inDoubt(inquired);
  world.gateway.statusStays('approved');
  await world.pass(2 * minute);
  expect(standing(world)?.state).toBe('approved');
});

it('held until a person says that it is not paid: then the gateway’s word is the end', async () => {
  const world = await inDoubt(inquired);
  world.gateway.statusStays('declined');
  await world.pass(2 * minute);
  const paid = { ...notPaid, as: 'paid' } as const;
  expect(await releaseOrder(key, paid, world.ports)).toMatchObject({ kind: 'unanswered' });
  expect(await releaseOrder(key, notPaid, world.ports)).toMatchObject({
    kind: 'answered',
    entry: { state: 'declined', final: true },
  });
  expect(standing(world)).not.toHaveProperty('earlierAttempts');
});

it('held, and a person who knows of another attempt may still call it paid', async () => {
  const world = await inDoubt(inquired);
  world.gateway.statusStays('declined');
  await world.pass(2 * minute);
  const paid = { ...notPaid, as: 'paid', evenUnanswered: true } as const;
  expect(await releaseOrder(key, paid, world.ports)).toMatchObject({ kind: 'done', entry: { state: 'approved' } });
});

it('without inquiry: a callback that says declined is kept for the person', async () => {
  const world = await inDoubt({});
  await world.pass(2 * minute);
  const said = { orderid: '9000001', client_orderid: 'INV-1', amount: '10.42', currency: 'EUR' };
  await world.callBack({ status: 'declined', ...said });
  expect(standing(world)).toMatchObject({ state: 'held', surprises: ['declined - 9000001 10.42 EUR'] });
  const entry = standing(world);
  if (!entry) throw new Error('there is an order');
  expect(orderAsText(entry)).toContain('A callback that did not fit said: declined - 9000001 10.42 EUR');
  expect(orderAsText(entry)).toContain('before: perhaps forgotten ones');
  expect(orderAsJson(entry)).toMatchObject({ surprises: ['declined - 9000001 10.42 EUR'] });
});

it('its ids of before the gap are not those of what was forgotten: it is asked about by its order id', async () => {
  const world = await inDoubt(inquired, async (it) => {
    it.gateway.moods('accepts');
    it.gateway.statusStays('error');
    await it.deliver(aRecord(aPayoutJob(), { messageId: 'first' }));
    await it.pass(5 * minute);
    expect(standing(it)).toMatchObject({ state: 'held', gatewayOrderId: '9000001' });
    await releaseOrder(key, { ...notPaid, evenUnanswered: true }, it.ports);
    expect(standing(it)?.state).toBe('failed');
  });
  expect(standing(world)).toMatchObject({ state: 'in-doubt', earlierAttempts: [{ gatewayOrderId: '9000001' }, {}] });
  expect(standing(world)).not.toHaveProperty('gatewayOrderId');
});

it.each([[inquired], [{}]])('a refusal that a message carries proves nothing of the others', async (choices) => {
  const world = await carried('refuses the order', choices);
  const state = choices === inquired ? 'in-doubt' : 'held';
  expect(standing(world)).toMatchObject({ state, failure: { code: 'LEDGER_RESTORED', gatewayCode: '8' } });
  expect(world.results.taken).toMatchObject([{ status: state, final: false }]);
});

it('an acceptance that a message carries is written at once, in a table that says that it was restored', async () => {
  const world = aWorld({});
  world.orders.stays('down', 'write');
  await world.deliver(aRecord(aPayoutJob(), { messageId: 'm-1' }));
  world.orders.stays('up', 'write');
  world.items.clear();
  await restoration.begin(
    { toMs: 0, sinceMs: world.clock.nowMs() },
    { by: 'anna', reason: 'the table was deleted', atMs: 0 },
  );
  for (const copy of world.jobsQueue.copies.taken) await deliver(world, deliveryOf(copy));
  expect(standing(world)).toMatchObject({ state: 'accepted', gatewayOrderId: '9000001', revision: 93_434_002 });
  expect(world.results.taken).toMatchObject([{ status: 'accepted', payoutId: '9000001' }]);
});

it('an acceptance that a message carries, declined later: held', async () => {
  const world = await carried('accepts');
  expect(standing(world)).toMatchObject({ state: 'accepted', gatewayOrderId: '9000001' });
  world.gateway.statusStays('declined');
  await world.pass(5 * minute);
  expect(standing(world)).toMatchObject({ state: 'held', failure: { code: 'LEDGER_RESTORED' } });
});

it('an acceptance that a message carries, declined by a callback: held', async () => {
  const world = await carried('accepts', {});
  const said = { orderid: '9000001', client_orderid: 'INV-1', amount: '10.42', currency: 'EUR' };
  await world.callBack({ status: 'declined', ...said });
  expect(standing(world)).toMatchObject({ state: 'held', failure: { code: 'LEDGER_RESTORED' } });
  // The same word within a minute is a repeat, and costs nothing.
  world.clock.advance(minute);
  await world.callBack({ status: 'declined', ...said });
  expect(standing(world)?.surprises).toEqual(['declined - 9000001 10.42 EUR']);
});

it('denied by its gateway id alone: held, as the others have other ids', async () => {
  const profile = { statusInquiry: true, resubmitUnknownOrders: true, quietPeriodSeconds: 60 };
  const world = await inDoubt({ profile });
  const entry = standing(world);
  if (entry) world.entries.set(key, { ...entry, gatewayOrderId: '9000001' });
  world.gateway.statusStays('never heard of it');
  await world.pass(60 * minute);
  expect(standing(world)).toMatchObject({ state: 'held', failure: { code: 'NOT_AT_GATEWAY' } });
});
