// The last moment at which the bytes of a payment may leave: time for the whole exchange and for writing its answer is left of
// the lease and of the invocation, by the clock that people set and by the one that nobody sets.
import { expect, it } from 'vitest';
import type { GatewayRequest } from '../../../lib/gateway/ports.ts';
import { aPayoutJob } from '../../support/jobs.ts';
import { aRecord } from '../../support/records.ts';
import { startMs } from '../../support/time-and-chance.ts';
import { aWorld } from '../../support/world.ts';

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
