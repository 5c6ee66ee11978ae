// How the ledger knows a row's order, and what is counted of a file by it.
import { createSecretKey } from 'node:crypto';
import { expect, it } from 'vitest';
import { createKnownRowsCounter, knownAs } from '../../lib/batches/known-orders.ts';
import { createRowsLookup, lookupWherePossible, sendQuestion } from '../../lib/cli/batches/submit-known.ts';
import type { GoodRow } from '../../lib/batches/check-rows.ts';
import { fingerprints, type FingerprintKeys } from '../../lib/payout/fingerprint.ts';
import { parseJob } from '../../lib/payout/job.ts';
import type { LedgerEntry } from '../../lib/payout/ledger.ts';
import { aPayoutJob } from '../support/jobs.ts';
import { anEntry } from '../support/ledger-entries.ts';
import { startMs } from '../support/time-and-chance.ts';

const keys: FingerprintKeys = { current: 'k', keys: new Map([['k', createSecretKey(Buffer.alloc(32, 1))]]) };
function jobOf(changes: object = {}) {
  const parsed = parseJob(JSON.stringify(aPayoutJob({ orderId: 'A', ...changes })));
  if (parsed.kind !== 'job') throw new Error('no job');
  return parsed.job;
}
const job = jobOf();
const own = (changes: Partial<LedgerEntry>): LedgerEntry =>
  anEntry({ orderId: 'A', endpointId: job.endpointId, fingerprint: fingerprints(job, keys)[0], ...changes });

it.each<[LedgerEntry['state'], string | undefined]>([
  ['submitting', 'sent'],
  ['in-doubt', 'sent'],
  ['held', 'sent'],
  ['accepted', 'sent'],
  ['approved', 'sent'],
  ['declined', 'ended'],
  ['cancelled', 'ended'],
  // Proven not to have been sent, for reasons that are not the order's: the row would be sent.
  ['retryable', undefined],
])('an order of the same content that is %s is known as %s', (state, kind) => {
  expect(knownAs(job, own({ state }), { keys, nowMs: startMs })).toBe(kind);
});

it('an order of other content is known as that, with the keys and without', () => {
  const other = jobOf({ params: { ...aPayoutJob().params, amount: '10.43' } });
  for (const state of ['approved', 'retryable'] as const) {
    expect(knownAs(other, own({ state }), { keys, nowMs: startMs })).toBe('other-content');
    expect(knownAs(other, own({ state }), { keys: undefined, nowMs: startMs })).toBe('other-content');
  }
  expect(knownAs(job, own({ state: 'approved' }), { keys: undefined, nowMs: startMs })).toBe('sent');
});

it('rows and money are counted by what becomes of them', () => {
  const counter = createKnownRowsCounter();
  const { money: _, ...check } = job;
  counter.add(job, 'sent');
  counter.add(job, undefined);
  counter.add(job, undefined);
  counter.add(check, undefined);
  const eur = (count: number) => new Map([['EUR', { count, minorUnits: BigInt(count) * 1042n }]]);
  const taken = counter.taken();
  expect(taken).toEqual({
    rows: 4,
    moving: { rows: 3, money: eur(2) },
    known: { sent: { rows: 1, money: eur(1) } },
  });
  expect(sendQuestion(taken)).toBe('Send 20.84 EUR in 3 of 4 rows?');
});

it('rows are looked up a hundred at a time, eight reads at once at most, and told in the order of the file', async () => {
  // given a ledger whose reads end in the reverse of the order in which they began, and that knows every order
  let [underWay, most, reads] = [0, 0, 0];
  const knownOrders = {
    async read(orderKeys: readonly string[]) {
      expect(orderKeys.length).toBeLessThanOrEqual(100);
      reads += 1;
      underWay += 1;
      most = Math.max(most, underWay);
      await new Promise((resolve) => setTimeout(resolve, 20 - reads));
      underWay -= 1;
      return new Map(orderKeys.map((key) => [key, { entry: own({ state: 'approved' }) }]));
    },
  };
  const told: number[] = [];
  const clock = { nowMs: () => startMs, advance: () => {} };
  const lookup = createRowsLookup({ knownOrders, clock } as never, keys, async ({ row }) => void told.push(row));

  // when 1,950 rows are looked up as fast as it takes them
  const rows = Array.from({ length: 1_950 }, (_, at): GoodRow => {
    const named = { ...job, orderId: `A-${at}` };
    return { kind: 'job', row: at, message: {}, text: '', job: named };
  });
  for (const row of rows) await lookup.add(row);

  // then each was told once, in order
  expect(await lookup.finish()).toMatchObject({ rows: 1_950, moving: { rows: 0 } });
  expect(told).toEqual(rows.map(({ row }) => row));
  expect(reads).toBe(20);
  expect(most).toBeLessThanOrEqual(8);
});

it('a read that fails ends the look of who sends, and is said once to who only looks', async () => {
  let reads = 0;
  const knownOrders = {
    read: async () => {
      reads += 1;
      throw new Error('no right');
    },
  };
  const lookup = () => createRowsLookup({ knownOrders, clock: { nowMs: () => 0 } } as never, keys, async () => {});
  const row: GoodRow = { kind: 'job', row: 1, message: {}, text: '', job };

  const sending = lookup();
  await sending.add(row);
  await expect(sending.finish()).rejects.toThrow('no right');

  let said = 0;
  const looking = lookupWherePossible(lookup(), () => (said += 1));
  for (let at = 0; at < 2_000; at += 1) await looking.add(row);
  expect(await looking.finish()).toBeUndefined();
  expect(said).toBe(1);
  expect(reads).toBeLessThan(12);

  const few = lookupWherePossible(lookup(), () => (said += 1));
  await few.add(row);
  expect(await few.finish()).toBeUndefined();
  expect(said).toBe(2);
});
