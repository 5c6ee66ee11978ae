// Bugs that the simulation found in settlement, each reduced to its shortest story.
import { createPacing } from '../../lib/payout/pacing.ts';
import { createMemoryLanes } from '../support/memory-lanes.ts';
import { expect, it } from 'vitest';
import { createMemoryLedger } from '../support/memory-ledger.ts';
import { inquireOrder } from '../../lib/payout/inquire-order.ts';
import { newEntry } from '../../lib/payout/claim.ts';
import type { SeenOrder, SeenOrders } from './seen.ts';
import { defaultLimits } from '../../lib/payout/limits.ts';
import { abandoned } from '../../lib/payout/settlement.ts';
import { aPayoutJob, jobOf } from '../support/jobs.ts';
import type { Credentials } from '../../lib/gateway/ports.ts';

const job = jobOf(aPayoutJob());
const beganMs = Date.UTC(2026, 10, 21, 10);
const hourMs = 3_600_000;
const failure = { code: 'CREDENTIALS_UNAVAILABLE', message: 'Secrets Manager did not answer' } as const;
const noSecret: Credentials = {
  of: async () => ({ kind: 'unavailable', failure }),
  refresh: async () => ({ kind: 'unavailable', failure }),
};
const gateway = { post: async () => ({ kind: 'no-answer', reason: 'nobody is there' }) as const };

function portsAt(nowMs: number, credentials: Credentials, entries = new SeenOrders()) {
  const clock = { nowMs: () => nowMs, sleep: async () => {} };
  return {
    credentials,
    gateway,
    ledger: createMemoryLedger(entries),
    clock,
    random: { id: () => 'nonce', chance: () => 0.5 },
    log: { write: () => {} },
    limits: defaultLimits,
    pacing: createPacing({ lanes: createMemoryLanes(), clock, random: { id: () => 'write' } }),
  };
}

function doubtful(): SeenOrder {
  const claim = { job, fingerprints: ['k1.x'] as const, owner: 'me', messageId: 'm', nowMs: beganMs, leaseMs: 100_000 };
  return abandoned(newEntry(claim), { nowMs: beganMs, statusInquiry: true });
}

it('checks about an order whose secret is missing do not multiply', async () => {
  // Inquiries that could not be made were not counted, so no check was ever overtaken: each duplicate delivery began a chain
  // of its own, and under duplicates they grew without end.
  const entry = doubtful();
  const ports = portsAt(beganMs + 60_000, noSecret, new Map([[entry.key, entry]]));
  const check = { orderKey: entry.key, inquiries: 0 };
  const ends = [await inquireOrder(check, Infinity, ports), await inquireOrder(check, Infinity, ports)];
  expect(ends.filter(({ next }) => next)).toHaveLength(1);
});

it('doubt about an order whose secret is missing ends for a person, too', async () => {
  const entry = doubtful();
  const ports = portsAt(beganMs + 25 * hourMs, noSecret, new Map([[entry.key, entry]]));
  const end = await inquireOrder({ orderKey: entry.key, inquiries: 0 }, Infinity, ports);
  expect(end.entry).toMatchObject({ state: 'held', unpublished: true, failure: entry.failure });
});
