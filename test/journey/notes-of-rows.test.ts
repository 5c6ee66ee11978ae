// Whoever may send messages says nothing of another's batch: what ends a row must prove to be that row, by the digest that was
// registered of it.
import { beforeEach, describe, expect, it } from 'vitest';
import { settleBatches } from '../../lib/batches/settle-batches.ts';
import { rowDigest } from '../../lib/payout/message/plain-digest.ts';
import { type JobBody, jobOf, withoutParams, aTransferJob } from '../support/jobs.ts';
import { aRecord } from '../support/records.ts';
import { aJobOf, upload } from '../support/uploaded-batch.ts';
import { aWorld, type World } from '../support/world.ts';

const rows = ['R-1', 'R-2', 'R-3'].map((orderId) => aJobOf(orderId));

let world: World;
beforeEach(async () => {
  world = aWorld();
  await upload(world, rows);
});

const settle = async () => {
  await world.clock.advance(24 * 3_600_000);
  await settleBatches(Infinity, world.ports);
};
const forged = (changes: (row: JobBody) => object | string) =>
  Promise.all(rows.map((row) => world.deliver(aRecord(asText(changes(row))))));
const asText = (it: object | string) => (typeof it === 'string' ? it : JSON.stringify(it));

const forgeries: readonly [what: string, forge: (row: JobBody) => object | string][] = [
  ['messages that are no jobs', (row) => ({ ...row, params: { amount: 'ten' } })],
  ['jobs that have expired', (row) => ({ ...row, expiresAt: '2020-01-01T00:00:00Z' })],
  [
    'jobs of one cent',
    (row) => ({ ...row, params: { ...row.params, amount: '0.01' }, expiresAt: '2020-01-01T00:00:00Z' }),
  ],
  ['fields outside the contract', (row) => ({ ...row, params: { ...row.params, purpose: 'x' } })],
  ['card data in the clear', (row) => ({ ...row, params: { ...row.params, order_desc: '4111 1111 1111 1111' } })],
];

describe.each(forgeries)('%s under the ids of rows', (_, forge) => {
  it('while the rows wait close nothing: the batch is told once, by its rows', async () => {
    await forged(forge);
    await settle();
    expect(world.batchResults).toEqual([]);
    for (const row of rows) await world.deliver(aRecord(row));
    await settle();
    expect(world.batchResults).toMatchObject([{ revision: 1, outcomes: [{ status: 'accepted', count: 3 }] }]);
    expect(JSON.stringify(world.batchResults)).not.toContain('failed');
  });

  it('after the payment put nothing in doubt', async () => {
    for (const row of rows) await world.deliver(aRecord(row));
    await settle();
    const told = structuredClone(world.batchResults);
    await forged(forge);
    await settle();
    expect(world.batchResults).toEqual(told);
  });
});

it('one cent to the same account, before and after, is another payment and says nothing of the row', async () => {
  for (const row of rows) await world.deliver(aRecord(row));
  await settle();
  const told = structuredClone(world.batchResults);
  await forged((row) => ({ ...row, params: { ...row.params, amount: '0.01' } }));
  await settle();
  expect(world.batchResults).toEqual(told);
});

describe('the digest of a row', () => {
  it('is the same however a serialiser writes it', () => {
    const row = aJobOf('R-1', { context: { a: 'ß', b: [1] } });
    expect(rowDigest(jobOf(JSON.parse(JSON.stringify(row, undefined, 2)) as JobBody))).toBe(rowDigest(jobOf(row)));
  });

  it('holds nothing of a card: no hash of one lies in a table', () => {
    const one = aTransferJob({ params: { 'destination-card-no': '4111111111111111' } });
    const other = aTransferJob({ params: { 'destination-card-no': '5555555555554444' } });
    expect(rowDigest(jobOf(one))).toBe(rowDigest(jobOf(other)));
    expect(rowDigest(jobOf(withoutParams(one, 'destination-card-no', 'cvv2')))).toBe(rowDigest(jobOf(one)));
  });
});
