// The ledger is down at the worst moments. Before the claim nothing is sent; after the POST the answer rides along.
import { someCredentials } from '../support/fake-credentials.ts';
import { expect, it } from 'vitest';
import { claimOrder } from '../../lib/payout/submit/claim.ts';
import type { JobCopy } from '../../lib/payout/ports.ts';
import { aPayoutJob, jobOf } from '../support/jobs.ts';
import { aRecord, deliveryOf, redelivered } from '../support/records.ts';
import { aWorld, type World } from '../support/world.ts';

const minute = 60_000;

it('an answer that could not be written is carried by a copy and settled later', async () => {
  // given a ledger that goes down while the POST is under way
  const world = aWorld();
  world.gateway.meanwhile(() => world.orders.stays('down', 'write', 'read', 'mark'));
  const record = aRecord(aPayoutJob(), { messageId: 'm-1' });

  // when the gateway accepts
  const first = await world.deliver(record);

  // then nothing is told yet; a copy carries the answer, so the message itself may leave
  expect(first).toEqual([]);
  expect(world.results.taken).toEqual([]);
  expect(lastCopy(world).attributes).toMatchObject({ originMessageId: 'm-1', waits: 1 });

  // and while the ledger stays down, the copy waits on by its visibility, and has a copy when SQS is about to forget it
  let carrier = deliveryOf(lastCopy(world));
  for (let day = 1; day <= 14; day += 1) {
    expect(await world.deliver(carrier)).toEqual([carrier.messageId]);
    carrier = redelivered(carrier);
    world.clock.advance(86_340_000);
  }
  expect(world.jobsQueue.copies.taken).toHaveLength(1);
  expect(await world.deliver(carrier)).toEqual([]);
  expect(lastCopy(world).attributes).toMatchObject({ originMessageId: 'm-1', waits: 2 });

  // and when the ledger is back, the order is settled with the one and only answer
  world.orders.stays('up', 'write', 'read', 'mark');
  expect(await world.deliver(deliveryOf(lastCopy(world)))).toEqual([]);
  expect(world.gateway.postsOf('INV-1')).toBe(1);
  expect(world.results.taken).toMatchObject([{ status: 'accepted', payoutId: '9000001', attempts: 1 }]);
});

it.each([
  ['for half of the time that is kept for it', 120_000, 3_150],
  ['for less where the invocation ends sooner', 37_001, 1_550],
])('an answer is tried to be written %s, then a copy is still sent', async (_, remainingMs, triedMs) => {
  // given a POST that takes its whole 30 s, and a ledger that goes down meanwhile
  const world = aWorld({ limits: { settleReserveMs: 10_000, gatewayTotalTimeoutMs: 20_000 } });
  let answeredMs = 0;
  world.gateway.meanwhile(() => {
    world.clock.advance(30_000);
    world.orders.stays('down', 'write');
    answeredMs = world.clock.nowMs();
  });

  // when
  await world.deliver(aRecord(aPayoutJob()), remainingMs);

  // then the waits between the tries have doubled from 50 ms, as many as fit
  expect(world.clock.nowMs() - answeredMs).toBe(triedMs);
  expect(lastCopy(world).attributes).toHaveProperty('answer');
});

it('a message that carries the answer of an earlier claim is copied with that of its last one', async () => {
  // given a claim that was written although its answer never came: its message carries that nothing was sent
  const world = aWorld();
  world.orders.stays('answer lost', 'put');
  world.orders.stays('down', 'read');
  await world.deliver(aRecord(aPayoutJob()));
  world.orders.stays('up', 'put', 'read');
  const carrier = deliveryOf(lastCopy(world));
  expect(lastCopy(world).attributes.answer).toContain('NOT_SENT');

  // when the order is claimed anew by it and accepted, and the ledger is down for this second answer
  world.gateway.meanwhile(() => world.orders.stays('down', 'write', 'read', 'mark'));
  const copies = world.jobsQueue.copies.taken.length;
  for (let delivery = carrier; world.gateway.postsOf('INV-1') === 0; delivery = redelivered(delivery)) {
    world.clock.advance(minute);
    await world.deliver(delivery);
  }

  // then a copy carries the acceptance, and with the ledger back it is told
  expect(world.jobsQueue.copies.taken.length).toBe(copies + 1);
  world.orders.stays('up', 'write', 'read', 'mark');
  await world.deliver(deliveryOf(lastCopy(world)));
  expect(world.results.taken.at(-1)).toMatchObject({ status: 'accepted', payoutId: '9000001' });
  expect(world.gateway.postsOf('INV-1')).toBe(1);
});

it('a copy that carries the only answer is sent again where the queue does not answer, and is there twice at most', async () => {
  const world = aWorld();
  world.gateway.meanwhile(() => world.orders.stays('down', 'write', 'read', 'mark'));
  world.jobsQueue.copies.moods('answer lost', 'answer lost');
  expect(await world.deliver(aRecord(aPayoutJob(), { messageId: 'm-1' }))).toEqual(['m-1']);
  expect(world.jobsQueue.copies.callSizes).toEqual([1, 1]);
  expect(world.jobsQueue.copies.taken).toHaveLength(2);
  expect(lastCopy(world).attributes).toHaveProperty('answer');
  // and the message comes behind its copies
  expect([...world.jobsQueue.postponed.values()]).toEqual([3_600]);
});

it('an answer carried late still ends the doubt that another worker wrote meanwhile', async () => {
  const world = aWorld();
  world.gateway.meanwhile(() => world.orders.stays('down', 'write'));
  await world.deliver(aRecord(aPayoutJob()));
  const copy = lastCopy(world);

  // given a resubmitted file that found the lease over
  world.orders.stays('up', 'write');
  world.clock.advance(100_000);
  await world.deliver(aRecord(aPayoutJob()));
  expect(world.results.taken).toMatchObject([{ status: 'held', failure: { code: 'WORKER_LOST' } }]);

  // when the carried answer arrives
  await world.deliver(deliveryOf(copy));

  // then it supersedes the doubt, and does not bear its failure any more
  const [held, accepted] = world.results.taken;
  expect(accepted).toMatchObject({ status: 'accepted', payoutId: '9000001' });
  expect(accepted).not.toHaveProperty('failure');
  expect(accepted?.revision).toBeGreaterThan(held?.revision ?? Infinity);
  expect(world.gateway.postsOf('INV-1')).toBe(1);
});

it('a ledger that does not answer the claim means no POST; the job comes back and is paid once', async () => {
  const world = aWorld();
  world.orders.stays('down', 'put');
  expect(await world.deliver(aRecord(aPayoutJob()))).toEqual([]);
  expect(world.gateway.posts).toEqual([]);

  world.orders.stays('up', 'put');
  world.clock.advance(15_000);
  expect(await world.deliver(deliveryOf(lastCopy(world)))).toEqual([]);
  expect(world.gateway.postsOf('INV-1')).toBe(1);
  expect(world.results.taken).toMatchObject([{ status: 'accepted' }]);
});

it('a claim that was written although its answer never came is known to have sent nothing', async () => {
  // given a claim whose every answer is lost
  const world = aWorld();
  world.orders.stays('answer lost', 'put');
  await world.deliver(aRecord(aPayoutJob()));
  expect(world.gateway.posts).toEqual([]);
  expect(world.entries.get('acme-eu/INV-1')?.state).toBe('submitting');

  // when its copy returns, long after the lease
  world.orders.stays('up', 'put');
  world.clock.advance(900_000);
  const again = deliveryOf(lastCopy(world));
  const returned = await world.deliver(again);

  // then the order is not in doubt: it comes back to be sent
  expect(returned).toEqual([again.messageId]);
  expect(world.entries.get('acme-eu/INV-1')).toMatchObject({
    state: 'retryable',
    failure: { code: 'NOT_SENT', message: 'the ledger did not answer the claim' },
  });
});

it('a message whose order was taken over meanwhile stays until that claim has come to its end', async () => {
  // given an order that is given back, and a second message that claims it before the first one has heard so
  const world = aWorld();
  world.gateway.moods('refuses the connection');
  world.orders.faults('write', 'answer lost');
  const { sleep } = world.clock;
  const takeOver = async (ms: number) => {
    await sleep(ms);
    const claimant = { owner: 'somebody', messageId: 'm-2', leaseMs: 100_000, credentials: someCredentials() };
    expect(await claimOrder(jobOf(aPayoutJob()), claimant, world.ports)).toMatchObject({ kind: 'claimed' });
  };
  Object.assign(world.clock, { sleep: takeOver });

  // when
  const returned = await world.deliver(aRecord(aPayoutJob(), { messageId: 'm-1' }));

  // then the first message looks again soon: should the second worker die, this one will tell
  expect(returned).toEqual([]);
  expect(world.results.taken).toEqual([]);
  expect(lastCopy(world)).toMatchObject({ delaySeconds: 14, attributes: { originMessageId: 'm-1' } });
});

function lastCopy({ jobsQueue }: World): JobCopy {
  const copy = jobsQueue.copies.taken.at(-1);
  if (!copy) throw new Error('there is no copy');
  return copy;
}
