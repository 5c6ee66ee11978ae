// The last moment at which the bytes of a payment may leave: time for the whole exchange and for writing its answer is left of
// the lease and of the invocation, by the clock that people set and by the one that is never set.
import { expect, it } from 'vitest';
import type { GatewayRequest } from '../../../lib/gateway/ports.ts';
import type { Gate } from '../../../lib/payout/gates.ts';
import type { Orders } from '../../../lib/payout/order/orders.ts';
import { aPayoutJob } from '../../support/jobs.ts';
import { aRecord } from '../../support/records.ts';
import { startMs } from '../../support/time-and-chance.ts';
import { aWorld, type World } from '../../support/world.ts';

const saying = { by: 'jane', reason: 'enough', atMs: startMs };

it.each<[what: string, leaseMs: number, remainingMs: number, leftMs: number]>([
  ['the lease, where the invocation goes on for longer', 55_000, 120_000, 55_000],
  ['the invocation, where the lease goes on for longer', 100_000, 58_000, 58_000],
])('counts back from the end of %s', async (_, leaseMs, remainingMs, leftMs) => {
  const world = aWorld();
  const limits = {
    ...world.ports.limits,
    leaseMs,
    gatewayTotalTimeoutMs: 30_000,
    settleReserveMs: 20_000,
  };
  const requests: GatewayRequest[] = [];
  const { gateway } = world.ports;
  const heard = {
    ...gateway,
    post: (request: GatewayRequest) => {
      requests.push(request);
      return gateway.post(request);
    },
  };
  const uptimeMs = world.clock.uptimeMs();
  await world.deliver(aRecord(aPayoutJob()), remainingMs, { limits, gateway: heard });
  expect(requests).toMatchObject([
    { notAfterMs: startMs + leftMs - 50_000, notAfterUptimeMs: uptimeMs + leftMs - 50_000 },
  ]);
});

// One send of 30 s and 20 s to settle.
it.each<[what: string, remainingMs: number, slowMs: number, posts: number, isClaimed: boolean]>([
  ['just enough time', 50_001, 0, 1, true],
  ['too little: it comes again, unclaimed', 50_000, 0, 0, false],
  ['enough before its claim alone: no byte leaves, and it may be sent again', 60_000, 30_000, 0, true],
])('a job for which an invocation has %s', async (_, remainingMs, slowMs, posts, isClaimed) => {
  const world = aWorld();
  const { write } = world.ports.orders;
  const orders: Orders = {
    ...world.ports.orders,
    write(before, next) {
      world.clock.advance(slowMs);
      world.clock.setBack(slowMs);
      return write(before, next);
    },
  };
  await world.deliver(aRecord(aPayoutJob()), remainingMs, { orders });
  expect([world.gateway.posts.length, world.items.size === 1]).toEqual([posts, isClaimed]);
  expect(world.waits()).toHaveLength(1 - posts);
});

it('an answer that the ledger does not take at first is written by the same invocation', async () => {
  const world = aWorld();
  const { write } = world.ports.orders;
  let writes = 0;
  const orders: Orders = {
    ...world.ports.orders,
    async write(before, next) {
      writes += 1;
      if (writes === 2) throw new Error('throttled');
      return write(before, next);
    },
  };
  await world.deliver(aRecord(aPayoutJob()), 120_000, { orders });
  expect(world.results.taken).toMatchObject([{ status: 'accepted' }]);
  expect(world.waits()).toEqual([]);
});

// A job waits for its turn in its process for ten seconds at most.
it.each<[what: string, stop: (world: World) => Promise<void>, because: string[]]>([
  ['a pause', ({ controls }) => controls.pause('acme-eu', true, saying), ['paused']],
  ['a call-off of its batch', ({ controls }) => controls.cancelBatch('b-1', saying), []],
])('%s that comes while a job waits for its turn keeps it back', async (_, stop, because) => {
  const world = aWorld();
  const known = world.ports.gates;
  const turn: Gate = async (candidate) => {
    const verdict = await known.turn(candidate);
    await stop(world);
    return verdict;
  };
  const gates = { ...known, turn };
  await world.deliver(aRecord(aPayoutJob({ batchId: 'b-1' })), 120_000, { gates });
  expect(world.gateway.posts).toEqual([]);
  expect(world.waits().map((it) => it.because)).toEqual(because);
});
