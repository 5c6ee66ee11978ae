// A merchant has set caps: what is above them is held before it is sent, and a person decides.
import { expect, it } from 'vitest';
import { releaseOrder } from '../../lib/payout/operate/decide.ts';
import { someCredentials } from '../support/fake-credentials.ts';
import { aPayoutJob, type JobBody } from '../support/jobs.ts';
import { aRecord, redelivered } from '../support/records.ts';
import { aWorld, type World } from '../support/world.ts';

const payout = (n: number, amount: string) => aPayoutJob({ orderId: `INV-${n}`, params: { amount } });
const deliver = (world: World, ...jobs: JobBody[]) => world.deliver(jobs.map((job) => aRecord(job)));
const told = (world: World) => world.results.taken.map(({ orderId, status }) => `${orderId} ${status}`);
/** The job once more, naming the end that was told last. */
const resending = (world: World) => {
  const endId = world.results.taken.at(-1)?.endId;
  return aPayoutJob(endId === undefined ? {} : { resends: endId });
};
const notPaid = { as: 'not-paid', by: 'ops', reason: 'cap raised' } as const;

it('an order above the cap for one is held and never sent, whatever comes again', async () => {
  const world = aWorld({ profile: { caps: { EUR: { single: '1000.00' } } } });
  const record = aRecord(payout(1, '1000.01'));
  expect(await world.deliver(record)).toEqual([]);
  await world.deliver([redelivered(record), aRecord(payout(1, '1000.01')), aRecord(payout(2, '1000.00'))]);
  expect(told(world)).toEqual(['INV-1 held', 'INV-1 held', 'INV-1 held', 'INV-2 accepted']);
  expect(world.results.taken[0]).toMatchObject({
    final: false,
    failure: { code: 'CAP_EXCEEDED', message: 'more than 1000.00 EUR, the cap for one order; never sent' },
  });
  expect(world.gateway.postsOf('INV-1')).toBe(0);
});

it('the day’s cap holds what would pass it; smaller orders still fit, and what was refused counts back', async () => {
  const world = aWorld({ profile: { caps: { EUR: { perDay: '100.00' } } } });
  world.gateway.moods('accepts', 'refuses the order');
  await deliver(world, payout(1, '60.00'));
  await deliver(world, payout(2, '40.00')); // refused: its 40 are free again
  await deliver(world, payout(3, '40.01'));
  await deliver(world, payout(4, '40.00'));
  await deliver(world, payout(5, '0.01'));
  expect(told(world)).toEqual(['INV-1 accepted', 'INV-2 declined', 'INV-3 held', 'INV-4 accepted', 'INV-5 held']);
  expect(world.gateway.posts.map(({ orderId }) => orderId)).toEqual(['INV-1', 'INV-2', 'INV-4']);
});

it('a cap on the number of orders holds the next one, and what was refused counts for neither cap', async () => {
  const world = aWorld({ profile: { caps: { EUR: { perDay: '100.00', ordersPerDay: '2' } } } });
  world.gateway.moods('refuses the order', 'accepts');
  await deliver(world, payout(1, '60.00')); // refused: it is no order of the day
  await deliver(world, payout(2, '60.00'));
  await deliver(world, payout(3, '60.00')); // above the money of the day, and so no order of it either
  await deliver(world, payout(4, '1.00'));
  await deliver(world, payout(5, '1.00'));
  expect(told(world)).toEqual(['INV-1 declined', 'INV-2 accepted', 'INV-3 held', 'INV-4 accepted', 'INV-5 held']);
  expect(world.results.taken.at(-1)).toMatchObject({
    failure: { code: 'CAP_EXCEEDED', message: 'above the cap of 2026-11-21, 2 orders in EUR; never sent' },
  });
});

it('what the number of orders holds leaves its money to the day', async () => {
  const world = aWorld({ profile: { caps: { EUR: { perDay: '100.00', ordersPerDay: '1' } } } });
  await deliver(world, payout(1, '10.00'), payout(2, '90.00'));
  expect(world.gateway.posts.map(({ orderId }) => orderId)).toEqual(['INV-1']);
  const day = { kind: 'perDay', merchant: 'acme-eu', currency: 'EUR', day: '2026-11-21', limit: 10_000n } as const;
  expect(await world.controls.totalOf(day)).toBe(1_000n);
});

it('however many come at once, the day’s cap is never passed', async () => {
  const world = aWorld({ profile: { caps: { EUR: { perDay: '100.00' } } } });
  const jobs = Array.from({ length: 30 }, (_, index) => payout(index, '9.00'));
  await deliver(world, ...jobs);
  expect(world.gateway.posts).toHaveLength(11);
  expect(told(world).filter((it) => it.endsWith('held'))).toHaveLength(19);
});

it('a held order is released as not paid and sent by a message that names its end, once the cap is raised', async () => {
  const world = aWorld({ profile: { caps: { EUR: { single: '1.00' } } } });
  const record = aRecord(aPayoutJob());
  await world.deliver(record);
  expect(await releaseOrder('acme-eu/INV-1', { ...notPaid, as: 'paid' }, world.ports)).toMatchObject({
    kind: 'refused',
  });
  expect(await releaseOrder('acme-eu/INV-1', notPaid, world.ports)).toMatchObject({ kind: 'done' });

  // The cap still stands: held again.
  await deliver(world, resending(world));
  expect(world.results.taken.map(({ status }) => status)).toEqual(['held', 'failed', 'held']);
  await releaseOrder('acme-eu/INV-1', notPaid, world.ports);
  world.credentials.rotate('acme-eu', someCredentials({ version: 'v2' }));
  await world.credentials.refresh('acme-eu', someCredentials());
  await world.deliver([redelivered(record), aRecord(aPayoutJob())]);
  expect(world.gateway.postsOf('INV-1')).toBe(0);
  await deliver(world, resending(world));
  expect(world.gateway.postsOf('INV-1')).toBe(1);
  expect(world.results.taken.at(-1)).toMatchObject({ status: 'accepted' });
});

it('what a cap holds is no money in doubt: it does not stop its merchant', async () => {
  const world = aWorld({ profile: { caps: { EUR: { single: '20.00' } }, doubtLimits: { EUR: '100.00' } } });
  await deliver(world, payout(1, '5000.00'));
  const { doubt } = await world.sweep();
  expect(doubt).toMatchObject({ held: 1 });
  expect(world.figures.at(-2)).toMatchObject({
    values: { held: 1, doubtOfLimit: 0 },
    perCurrency: new Map([['EUR', { moneyInDoubt: 0, ordersInDoubt: 0, moneyHeld: 5000 }]]),
  });
  await deliver(world, payout(2, '10.00'));
  expect(told(world)).toEqual(['INV-1 held', 'INV-2 accepted']);
});
