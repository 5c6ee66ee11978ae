// Which rows may be asked for once more, and under which id: never one that may still be paid.
import { describe, expect, it } from 'vitest';
import type { Payout } from '../../lib/batches/batch-payouts.ts';
import { type Standing, standingNames } from '../../lib/payout/order/standing.ts';
import type { BatchRow } from '../../lib/batches/batch.ts';
import { nextOrderId, reopeningOf, type Retried, retryIds, retryVerdict } from '../../lib/batches/retry-rows.ts';
import { viewOf } from '../../lib/payout/order/projection.ts';
import { aPayoutJob, jobOf } from '../support/jobs.ts';
import { anOrderThatStands, type OrderStanding } from '../support/order-that-stands.ts';
import { anAttempt, withFacts } from '../support/orders.ts';
import { startMs } from '../support/time-and-chance.ts';

const batchId = 'payroll';
const row: BatchRow = { digest: 'd', orderKey: 'acme-eu/A', money: { currency: 'EUR', minorUnits: 1042n } };
const payout = (standing: Standing, changes: Partial<Payout> = {}): Payout => ({
  index: 0,
  row,
  standing,
  elsewhere: false,
  ...changes,
});

it.each(standingNames)('a payout that is %s is unpaid by proof alone', (standing) => {
  const isUnpaid = ['declined', 'failed', 'id-taken'].includes(standing);
  expect(retryVerdict(payout(standing), false)).toMatchObject({ kind: isUnpaid ? 'unpaid' : 'not-proven' });
});

it('what was called off is asked for again only where that is said', () => {
  expect(retryVerdict(payout('cancelled'), true)).toMatchObject({ kind: 'unpaid' });
});

it('a payout whose order bears another batch is that batch’s to retry', () => {
  expect(retryVerdict(payout('declined', { elsewhere: true }), false)).toEqual({ kind: 'elsewhere' });
});

it.each([
  ['INV-1', 'INV-1-R1'],
  ['INV-1-R1', 'INV-1-R2'],
  ['INV-1-R9', 'INV-1-R10'],
  ['INV-R', 'INV-R-R1'],
  ['-R1', '-R1-R1'],
])('after %s comes %s', (orderId, next) => {
  expect(nextOrderId(orderId)).toBe(next);
});

const ledgerOf = (states: Readonly<Record<string, OrderStanding>>) => ({
  knownOrders: {
    read: async (keys: readonly string[]) => {
      expect(keys.length).toBeLessThanOrEqual(100);
      return new Map(
        keys.flatMap((key) => {
          const standing = states[key];
          return standing ? [[key, { order: anOrderThatStands({ standing }) }] as const] : [];
        }),
      );
    },
  },
});

it('an id is the next that the ledger does not know; a retry that may be paid leaves none', async () => {
  const long = `acme-eu/${'x'.repeat(200)}`;
  const ids = await retryIds(['acme-eu/A', 'acme-eu/B', 'acme-eu/C', 'acme-us/A', long], {
    ...ledgerOf({
      'acme-eu/B-R1': 'declined',
      'acme-eu/B-R2': 'failed',
      'acme-eu/C-R1': 'declined',
      'acme-eu/C-R2': 'confirming',
    }),
  });
  expect(Object.fromEntries(ids)).toEqual({
    'acme-eu/A': { kind: 'free', orderId: 'A-R1', tried: [] },
    'acme-eu/B': { kind: 'free', orderId: 'B-R3', tried: ['acme-eu/B-R1', 'acme-eu/B-R2'] },
    'acme-eu/C': { kind: 'retried', orderId: 'C-R2', standing: 'confirming' },
    'acme-us/A': { kind: 'free', orderId: 'A-R1', tried: [] },
    [long]: { kind: 'too-long', orderId: expect.stringMatching(/^x+-R1$/) },
  });
});

it.each(['sending', 'waiting', 'in-doubt', 'held', 'confirming', 'paid'] as const)(
  'a retry that is %s is never sent a second time under another id',
  async (standing) => {
    const ids = await retryIds(['acme-eu/A'], ledgerOf({ 'acme-eu/A-R1': standing }));
    expect(ids.get('acme-eu/A')).toEqual({
      kind: 'retried',
      orderId: 'A-R1',
      standing: expect.stringContaining(standing),
    });
  },
);

describe('an unpaid row is opened', () => {
  const declined = anOrderThatStands({ batchId, orderId: 'A', standing: 'declined' });
  const job = jobOf(aPayoutJob({ orderId: 'A' }));
  const its = payout('declined', { entry: viewOf(declined) });
  const open = (changes: Partial<Retried>) =>
    reopeningOf({ payout: its, job, known: { order: declined }, nowMs: startMs, ...changes });
  const { endId } = viewOf(declined);

  it('by the name of the end that was seen', () => {
    expect(open({})).toEqual({ kind: 'named', resends: endId });
    expect(endId).toBeDefined();
  });

  it.each<[what: string, changes: Partial<Retried>, why: string]>([
    ['is gone from what was read', { known: undefined }, 'has changed'],
    ['can’t be read', { known: { unreadable: true } }, 'newer version'],
    [
      'has another end by now',
      { payout: { ...its, entry: { ...viewOf(declined), endId: 'end-of-yesterday' } } },
      'has changed',
    ],
    ['is another payment’s', { payout: payout('id-taken') }, 'used for another payment'],
    ['is past its time', { job: { ...job, expiresAtMs: startMs } }, 'expiresAt has passed'],
  ])('and not where its order %s', (_, changes, why) => {
    expect(open(changes)).toEqual({ kind: 'kept', why: expect.stringContaining(why) });
  });

  it('and not where it was paid since, nor after as many tries as an order may have', () => {
    const [first] = Object.values(declined.facts.attempts);
    const many = Object.fromEntries(
      Array.from({ length: 20 }, (_, at) => [`a-${at}`, { ...anAttempt(), ...first, id: `a-${at}`, number: at + 1 }]),
    );
    const tired = withFacts(declined, { attempts: many });
    const entry = viewOf(tired);
    expect(open({ payout: { ...its, entry }, known: { order: tired } }).kind).toBe('kept');
    const paid = anOrderThatStands({ batchId, orderId: 'A', standing: 'paid' });
    expect(open({ known: { order: paid } })).toMatchObject({ kind: 'kept', why: expect.stringContaining('changed') });
  });
});
