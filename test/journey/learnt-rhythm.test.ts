// What an endpoint has shown is what its next orders are asked about by: many that end after an hour teach it.
import { expect } from 'vitest';
import { endsSeen } from '../../lib/payout/accepted-rhythm.ts';
import { aPayoutJob } from '../support/jobs.ts';
import { longIt } from '../support/long-proof.ts';
import { aRecord } from '../support/records.ts';
import { aWorld, type World } from '../support/world.ts';

const minuteMs = 60_000;

/** So many orders that end after an hour, all of them to their end; answers with the inquiries of each. */
async function lived(world: World, ids: readonly string[]): Promise<number[]> {
  const before = world.gateway.inquiries.length;
  world.gateway.statusStays('processing');
  for (const orderId of ids) await world.deliver(aRecord(aPayoutJob({ orderId })));
  await world.pass(60 * minuteMs);
  world.gateway.statusStays('approved');
  await world.pass(120 * minuteMs);
  const asked = world.gateway.inquiries.slice(before).map(({ orderId }) => orderId);
  for (const id of ids) expect(world.entries.get(`acme-eu/${id}`)).toMatchObject({ state: 'approved' });
  return ids.map((id) => asked.filter((it) => it === id).length);
}

const idsFrom = (name: string, count: number) => Array.from({ length: count }, (_, at) => `${name}-${at}`);
const median = (numbers: readonly number[]) => numbers.toSorted((a, b) => a - b)[numbers.length >> 1] ?? 0;

longIt(
  'orders of an endpoint that has shown how long they take cost half as many inquiries, and are known as soon',
  async () => {
    const world = aWorld({ profile: { statusInquiry: true } });
    const first = await lived(world, idsFrom('FIRST', 40));
    expect(median(first)).toBeGreaterThanOrEqual(14);
    const ends = await world.ports.endTimes.of('acme-eu', aPayoutJob().endpointId);
    expect(ends && endsSeen(ends)).toBeGreaterThanOrEqual(32);

    const later = await lived(world, idsFrom('LATER', 40));
    expect(median(later)).toBeLessThanOrEqual(6);
    // One in eight goes on as before, so that a change is seen.
    expect(later.filter((it) => it >= 14).length).toBeGreaterThan(0);
  },
);
