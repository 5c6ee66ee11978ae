// A table lost an order, and a person has ended the gap: what is said of the order late, by the gateway and by a worker of the
// old table, is neither dropped nor taken for something else.
import { describe, expect, it } from 'vitest';
import { releaseOrder } from '../../lib/payout/operate/decide.ts';
import type { Attempt } from '../../lib/payout/order/facts.ts';
import type { Job } from '../../lib/payout/message/job.ts';
import { claimOrder } from '../../lib/payout/submit/claim.ts';
import { someCredentials } from '../support/fake-credentials.ts';
import { anEligibilityJob, aPayoutJob, jobOf } from '../support/jobs.ts';
import { lost, type RestorableWorld, restorableWorld } from '../support/restorable-world.ts';

const key = 'acme-eu/INV-1';
const minute = 60_000;
const inquiry = { statusInquiry: true } as const;
const approved = {
  status: 'approved',
  orderid: '77',
  client_orderid: 'INV-1',
  amount: '10.42',
  currency: 'EUR',
  type: 'payout',
};

/** Claims the job in the old table, of which nothing is left; the worker's word about it, when it comes. */
async function lateWord(it: RestorableWorld, job: Job) {
  const claim = await claimOrder(job, { source: 'm', credentials: someCredentials({ profile: inquiry }) }, it.ports);
  if (claim.kind !== 'claimed') throw new Error('not claimed');
  const { order, attempt } = claim;
  await it.restore(new Map());
  const content = order.content && { content: order.content };
  return (says: Partial<Attempt>) =>
    ({ kind: 'answer', key: order.key, attempt: { ...attempt, ...says }, ...content }) as const;
}

const lapsed = { lapsed: { code: 'UNCLEAR_ANSWER', message: 'x' } };

describe('a callback, and then the late answer', () => {
  it.each<[string, Partial<Attempt>]>([
    ['that took it', { answer: { kind: 'taken', atMs: 1 }, ids: ['77'] }],
    ['that proves nothing', lapsed],
  ])('%s: the order is told as paid, with its amount', async (_, says) => {
    const it = restorableWorld({ profile: inquiry });
    const { world } = it;
    const word = await lateWord(it, jobOf(aPayoutJob()));
    await it.restoration.settle(lost);
    world.gateway.statusStays('never heard of it');
    await world.callBack(approved);
    await world.deliverOwn([word(says)]);
    await world.pass(60 * minute);
    expect(world.entries.get(key)).toMatchObject({ state: 'approved', money: { minorUnits: 1042n } });
    expect(world.results.taken.at(-1)).toMatchObject({ status: 'approved', amount: '10.42' });
  });
});

it('a callback of an order that was lost is kept as it came until a person has decided, who can’t deny that it is paid', async () => {
  const it = restorableWorld({ profile: inquiry });
  const { world, ports } = it;
  await it.restore(new Map());
  await it.restoration.settle(lost);
  world.gateway.statusStays('never heard of it');
  await world.callBack(approved);
  const release = { as: 'not-paid', by: 'ops', reason: 'x' } as const;
  expect(await releaseOrder(key, release, ports)).toMatchObject({ kind: 'refused' });
  await world.pass(2_880 * minute);
  expect(Object.keys(world.items.get(key)?.inbox ?? {})).toHaveLength(1);
  const why = 'the gateway has reported 77 as paid: the order is released as paid, or stays held';
  expect(await releaseOrder(key, release, ports)).toEqual({ kind: 'refused', why });
  expect(world.entries.get(key)?.surprises).toEqual(['approved payout 77 10.42 EUR']);
  expect(await releaseOrder(key, { ...release, as: 'paid' }, ports)).toMatchObject({ kind: 'done' });
  expect(world.entries.get(key)).toMatchObject({ state: 'approved', gatewayOrderId: '77' });
  expect(world.entries.get(key)?.surprises).toEqual(['approved payout 77 10.42 EUR']);
});

it('a late answer about money that does not move begins above all revisions that were told, under the gap too', async () => {
  const it = restorableWorld();
  const word = await lateWord(it, jobOf(anEligibilityJob()));
  const told = word({ answer: { kind: 'taken', atMs: 1 } });
  await it.world.deliverOwn([told]);
  expect(it.world.entries.get(told.key)?.revision).toBeGreaterThan(1_000);
});
