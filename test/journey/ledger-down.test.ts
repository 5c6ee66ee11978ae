// The ledger is down at the worst moments. Before the claim nothing is sent; after the POST the answer lies on the worker's own
// queue until it is written.
import { expect, it } from 'vitest';
import { claimOrder } from '../../lib/payout/submit/claim.ts';
import { someCredentials } from '../support/fake-credentials.ts';
import { aPayoutJob, jobOf } from '../support/jobs.ts';
import { aRecord, redelivered } from '../support/records.ts';
import { aWorld, type World } from '../support/world.ts';

const key = 'acme-eu/INV-1';
const minute = 60_000;
const verbs = ['read', 'write', 'mark'] as const;
const answers = ({ ownQueue }: World) => ownQueue.taken.filter(({ message }) => message.kind === 'answer');

/** The gateway takes the payout, and the ledger is down from the POST on; the message stays on its queue. */
async function answeredInVain(mood: 'accepts' | 'stalls' = 'accepts') {
  const world = aWorld();
  world.gateway.moods(mood);
  world.gateway.meanwhile(() => world.orders.stays('down', ...verbs));
  const record = aRecord(aPayoutJob(), { messageId: 'm-1' });
  expect(await world.deliver(record)).toEqual(['m-1']);
  expect(answers(world)).toHaveLength(1);
  expect(world.results.taken).toEqual([]);
  return { world, record };
}

it('an answer that could not be written is written later, and its message is told of it', async () => {
  const { world } = await answeredInVain();

  // While the ledger stays down, the message waits, the answer comes back each time, and nothing is sent.
  world.clock.advance(minute);
  await world.again();
  expect(world.waits()).toHaveLength(1);
  expect(await world.inquire()).toMatchObject([{ kind: 'answer', key }]);

  world.orders.stays('up', ...verbs);
  expect(await world.inquire()).toEqual([]);
  expect(world.results.taken).toMatchObject([{ status: 'accepted', payoutId: '9000001', attempts: 1, revision: 1 }]);
  await world.again();
  expect(world.waits()).toEqual([]);
  expect(world.gateway.postsOf('INV-1')).toBe(1);
});

it.each([
  ['accepts', 'accepted'],
  ['stalls', 'held'],
] as const)('an answer whose order the table has lost is written all the same: %s', async (mood, state) => {
  const { world } = await answeredInVain(mood);
  const { account } = world.entries.get(key) ?? {};
  world.items.clear();
  world.orders.stays('up', ...verbs);
  await world.inquire();
  expect(world.entries.get(key)).toMatchObject({ state, account });
  await world.deliver(aRecord(aPayoutJob(), { messageId: 'm-2' }));
  expect(world.gateway.postsOf('INV-1')).toBe(1);
  expect(world.results.taken[0]).toMatchObject({ status: state });
});

it.each([
  ['for half of the time that is kept for it', 120_000, 3_150],
  ['for less where the invocation ends sooner', 37_001, 1_550],
])('an answer is tried to be written %s, then it is still handed on', async (_, remainingMs, triedMs) => {
  // given a POST that takes its whole 30 s, and a ledger that goes down meanwhile
  const world = aWorld({ limits: { settleReserveMs: 10_000, gatewayTotalTimeoutMs: 20_000 } });
  let answeredMs = 0;
  world.gateway.meanwhile(() => {
    world.clock.advance(30_000);
    world.orders.stays('down', ...verbs);
    answeredMs = world.clock.nowMs();
  });

  // when
  await world.deliver(aRecord(aPayoutJob()), remainingMs);

  // then the waits between the tries have doubled from 50 ms, as many as fit
  expect(world.clock.nowMs() - answeredMs).toBe(triedMs);
  expect(answers(world)).toHaveLength(1);
});

it('an answer that is there twice, as its queue did not answer, is written once', async () => {
  const world = aWorld();
  world.gateway.meanwhile(() => world.orders.stays('down', ...verbs));
  world.ownQueue.moods('answer lost');
  await world.deliver(aRecord(aPayoutJob(), { messageId: 'm-1' }));
  expect(answers(world)).toHaveLength(2);
  world.orders.stays('up', ...verbs);
  expect(await world.inquire()).toEqual([]);
  expect(new Set(world.results.taken.map((it) => JSON.stringify(it))).size).toBe(1);
  expect(world.entries.get(key)).toMatchObject({ state: 'accepted', attempts: 1 });
});

it('an answer that no queue takes costs doubt, and never a second POST', async () => {
  const world = aWorld();
  world.gateway.meanwhile(() => world.orders.stays('down', ...verbs));
  world.ownQueue.stays('down');
  const record = aRecord(aPayoutJob(), { messageId: 'm-1' });
  expect(await world.deliver(record)).toEqual(['m-1']);
  world.orders.stays('up', ...verbs);
  world.ownQueue.stays('up');
  await world.pass(20 * minute);
  await world.deliver(redelivered(record));
  expect(world.results.taken).toMatchObject([{ status: 'held', failure: { code: 'WORKER_LOST' } }]);
  expect(world.gateway.postsOf('INV-1')).toBe(1);
});

it('an answer that comes late still ends the doubt that somebody wrote meanwhile', async () => {
  const { world } = await answeredInVain();
  const waiting = world.ownQueue.taken.splice(0).map(({ message }) => message);

  // given that the lease was found over
  world.orders.stays('up', ...verbs);
  await world.pass(20 * minute);
  expect(world.results.taken).toMatchObject([{ status: 'held', failure: { code: 'WORKER_LOST' } }]);

  // when the answer comes
  await world.deliverOwn(waiting);

  // then it supersedes the doubt, and does not bear its failure any more
  const [held, accepted] = world.results.taken;
  expect(accepted).toMatchObject({ status: 'accepted', payoutId: '9000001' });
  expect(accepted).not.toHaveProperty('failure');
  expect(accepted?.revision).toBeGreaterThan(held?.revision ?? Infinity);
  expect(world.gateway.postsOf('INV-1')).toBe(1);
});

it('an answer to an order that newer code wrote waits on its queue, and is written by whom can read it', async () => {
  const { world } = await answeredInVain();
  world.orders.stays('up', ...verbs);
  const { orders } = world.ports;
  const read = async () => ({ kind: 'unreadable', reason: 'newer' }) as const;
  Object.assign(world.ports, { orders: { ...orders, read } });
  expect(await world.inquire()).toMatchObject([{ kind: 'answer', key }]);
  Object.assign(world.ports, { orders });
  expect(await world.inquire()).toEqual([]);
  expect(world.results.taken).toMatchObject([{ status: 'accepted', payoutId: '9000001' }]);
});

it('a ledger that does not answer the claim means no POST; the job comes back and is paid once', async () => {
  const world = aWorld();
  world.orders.stays('down', 'put');
  await world.deliver(aRecord(aPayoutJob()));
  expect(world.gateway.posts).toEqual([]);

  world.orders.stays('up', 'put');
  await world.waitIsOver();
  expect(world.waits()).toEqual([]);
  expect(world.gateway.postsOf('INV-1')).toBe(1);
  expect(world.results.taken).toMatchObject([{ status: 'accepted' }]);
});

it('a claim that was written although its answer never came sends nothing, and may have for all that others know', async () => {
  // given a claim whose every answer is lost
  const world = aWorld();
  world.orders.stays('answer lost', 'put');
  world.orders.stays('down', 'read');
  await world.deliver(aRecord(aPayoutJob()));
  expect(world.gateway.posts).toEqual([]);
  expect(world.entries.get(key)?.state).toBe('submitting');

  // when it comes again, long after the lease
  world.orders.stays('up', 'put', 'read');
  world.clock.advance(900_000);
  await world.again();

  // then
  expect(world.gateway.posts).toEqual([]);
  expect(world.entries.get(key)).toMatchObject({ state: 'held', failure: { code: 'WORKER_LOST' } });
});

it('a message whose order was taken over meanwhile stays until that claim has come to its end', async () => {
  // given an order that is given back, and a second message that claims it before the first one has heard so
  const world = aWorld();
  world.gateway.moods('refuses the connection');
  world.orders.faults('write', 'answer lost');
  const { sleep } = world.clock;
  const takeOver = async (ms: number) => {
    await sleep(ms);
    const claimant = { source: 'another message', credentials: someCredentials() };
    expect(await claimOrder(jobOf(aPayoutJob()), claimant, world.ports)).toMatchObject({ kind: 'claimed' });
  };
  Object.assign(world.clock, { sleep: takeOver });

  // when
  const returned = await world.deliver(aRecord(aPayoutJob(), { messageId: 'm-1' }));

  // then the first message looks again soon: should the second worker die, this one will tell
  expect(returned).toEqual(['m-1']);
  expect(world.results.taken).toEqual([]);
  expect(world.waits()).toMatchObject([{ where: 'queue', inSeconds: 14 }]);
});
