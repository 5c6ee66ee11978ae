// What the gateway says of an order, and of no attempt that is known, while none of those lives: a person is to know.
import { expect, it } from 'vitest';
import { exportedOrder } from '../../lib/reconcile/ledger-export.ts';
import { judgeOrder } from '../../lib/reconcile/reconcile.ts';
import { reportDecisionOf } from '../../lib/reconcile/report-decisions.ts';
import { claimOrder } from '../../lib/payout/submit/claim.ts';
import { someCredentials } from '../support/fake-credentials.ts';
import { aPayoutCheck, aPayoutPay, jobOf } from '../support/jobs.ts';
import { aRecord } from '../support/records.ts';
import { aWorld } from '../support/world.ts';

const minute = 60_000;
const twoSteps = { statusInquiry: true, twoStepPayouts: true } as const;

it('two checks without an answer, one of which the gateway has validated: held, and asked about no more', async () => {
  // given
  const world = aWorld({ profile: twoSteps });
  world.gateway.moods('stalls', 'stalls');
  world.gateway.statuses('never heard of it');
  world.gateway.statusStays('check validated');
  const record = aRecord(aPayoutCheck());
  // when
  await world.deliver(record);
  await world.pass(10 * minute);
  await world.deliver(record);
  await world.pass(1_440 * minute);
  // then
  expect(world.entries.get('acme-eu/INV-1')).toMatchObject({ state: 'held', failure: { code: 'UNCLEAR_ANSWER' } });
  const looks = world.items.get('acme-eu/INV-1')?.looks;
  await world.pass(1_440 * minute);
  expect(world.items.get('acme-eu/INV-1')?.looks).toBe(looks);
});

it('a validated id that was neither check’s when it was heard: told as not paid, and checked anew by that name', async () => {
  // given two checks without an answer, the order held, as the gateway has validated one under an id that neither bears
  const world = aWorld({ profile: twoSteps });
  world.gateway.moods('stalls');
  world.gateway.statuses('never heard of it');
  await world.deliver(aRecord(aPayoutCheck()));
  await world.pass(15 * minute);
  const claim = await claimOrder(
    jobOf(aPayoutCheck()),
    { source: 'm', credentials: someCredentials({ profile: twoSteps }) },
    world.ports,
  );
  if (claim.kind !== 'claimed') throw new Error(claim.kind);
  world.gateway.statusStays('check validated');
  await world.pass(60 * minute);
  expect(world.entries.get('acme-eu/INV-1')).toMatchObject({ state: 'held', failure: { code: 'UNCLEAR_ANSWER' } });
  // when the second one's answer comes late, with this id
  const { attempt } = claim;
  const answer = { kind: 'taken', atMs: world.clock.nowMs() } as const;
  await world.deliverOwn([{ kind: 'answer', key: 'acme-eu/INV-1', attempt: { ...attempt, answer, ids: ['9000001'] } }]);
  await world.pass(minute);
  await world.deliver(aRecord(aPayoutPay()));
  // then
  const payments = () => world.gateway.posts.filter(({ url }) => url.includes('/payout-pay/'));
  expect(payments()).toEqual([]);
  const { endId } = world.results.taken.at(-1) ?? {};
  expect(world.results.taken.at(-1)).toMatchObject({ status: 'failed', endId: expect.any(String) });
  await world.deliver(aRecord(aPayoutCheck({ resends: endId ?? '' }), { messageId: 'c-2' }));
  await world.pass(minute);
  await world.deliver(aRecord(aPayoutPay(), { messageId: 'p-2' }));
  expect(payments()).toHaveLength(1);
});

it('no report of the gateway decides an order that nobody sent from here: it may list another one than was called back', async () => {
  const world = aWorld();
  const word = { status: 'processing', orderid: '9000001', client_orderid: 'INV-1', amount: '10.42', currency: 'EUR' };
  expect(await world.callBack(word)).toBe(200);
  const view = world.entries.get('acme-eu/INV-1');
  if (!view) throw new Error('no order');
  const ledger = { ...exportedOrder(view), at: new Date(view.createdAtMs).toISOString() };
  const gateway = [
    { meaning: 'unpaid', status: 'declined', amount: '10.42', currency: 'EUR', gatewayOrderId: '8000009' },
  ] as const;
  const order = { ledger, results: [], gateway };
  expect(reportDecisionOf(view.key, order, judgeOrder(order))).toBeUndefined();
});
