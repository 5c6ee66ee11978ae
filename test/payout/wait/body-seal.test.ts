// The body of what waits opens as what was sealed for its order, and as nothing else: a writer of the table can swap bodies
// between orders, merchants and keys, and none of them is opened, let alone sent.
import { describe, expect, it } from 'vitest';
import { bodyDigest, openBody, sealBody, type DataKeys } from '../../../lib/payout/wait/body-seal.ts';
import type { ParkedJob, SealedBody } from '../../../lib/payout/wait/parked-job.ts';
import { aPayoutJob } from '../../support/jobs.ts';
import { createMemoryDataKeys } from '../../support/memory-waiting.ts';
import { aRecord } from '../../support/records.ts';
import { createSeededRandom, startMs } from '../../support/time-and-chance.ts';
import { aWorld, type World } from '../../support/world.ts';

type Sealed = Pick<ParkedJob, 'key' | 'digest' | 'sealed'>;

const random = createSeededRandom(7);
const body = JSON.stringify(aPayoutJob());
const another = JSON.stringify(aPayoutJob({ params: { amount: '9999.00', currency: 'EUR' } }));

/** Two keys, as of two hours. */
const ofHours: readonly DataKeys[] = [1, 2].map((hour) => ({
  current: async () => ({ plain: Buffer.alloc(32, hour), wrapped: `key-${hour}` }),
  unwrap: async (wrapped) => Buffer.alloc(32, Number(wrapped.slice(4))),
}));
const [dataKeys = createMemoryDataKeys(), nextHour = createMemoryDataKeys()] = ofHours;

const rowOf = async (key: string, its = body, keys = dataKeys): Promise<Sealed> => ({
  key,
  digest: bodyDigest(its),
  sealed: await sealBody(its, key, { dataKeys: keys, random }),
});

const edited = (row: Sealed, changes: Partial<SealedBody>): Sealed => ({
  ...row,
  sealed: { ...row.sealed, ...changes },
});

describe('a sealed body', () => {
  it('opens as what was sealed, and shows nothing of it', async () => {
    const row = await rowOf('acme-eu/INV-1');
    expect(await openBody(row, dataKeys)).toBe(body);
    expect(Buffer.from(row.sealed.text, 'base64url').toString('latin1')).not.toContain('amount');
  });

  it('is never sealed alike twice', async () => {
    const [one, two] = [await rowOf('acme-eu/INV-1'), await rowOf('acme-eu/INV-1')];
    expect(one.sealed.iv).not.toBe(two.sealed.iv);
    expect(one.sealed.text).not.toBe(two.sealed.text);
  });

  it.each<[what: string, swap: (row: Sealed) => Promise<Sealed>]>([
    ['of another order', async ({ sealed, digest }) => ({ key: 'acme-eu/INV-2', sealed, digest })],
    ['of another merchant', async ({ sealed, digest }) => ({ key: 'globex-us/INV-1', sealed, digest })],
    ['of an order whose parts are parted elsewhere', async (row) => ({ ...row, key: 'acme-eu/INV-1\n' })],
    [
      'of another order with its digest',
      async (row) => {
        const { sealed, digest } = await rowOf('acme-eu/INV-2', another);
        return { ...row, sealed, digest };
      },
    ],
    ['of the same order, under the digest of another', async (row) => ({ ...row, digest: bodyDigest(another) })],
    [
      'of the same order and another content, in the place of this one',
      async (row) => ({ ...row, sealed: (await rowOf(row.key, another)).sealed }),
    ],
    [
      'with the key of another hour',
      async (row) => edited(row, { wrappedKey: (await rowOf(row.key, body, nextHour)).sealed.wrappedKey }),
    ],
    ['with the number of another', async (row) => edited(row, { iv: (await rowOf(row.key)).sealed.iv })],
    ['without the end of its tag', async (row) => edited(row, { text: row.sealed.text.slice(0, -4) })],
    ['of nothing but a tag', async (row) => edited(row, { text: row.sealed.text.slice(-22) })],
    ['of nothing', async (row) => edited(row, { text: '' })],
  ])('%s is not opened', async (_, swap) => {
    const row = await swap(await rowOf('acme-eu/INV-1'));
    await expect(openBody(row, dataKeys)).rejects.toBeInstanceOf(Error);
  });
});

/** Two jobs of a paused merchant wait; what is in the row of the first is changed, and the pause is over. */
async function afterSwap(swap: (one: ParkedJob, two: ParkedJob) => ParkedJob): Promise<World> {
  const world = aWorld();
  const by = { by: 'anna', reason: 'month end', atMs: startMs };
  await world.controls.pause('acme-eu', true, by);
  const rows = ['INV-1', 'INV-2'].map((orderId) =>
    aRecord(aPayoutJob({ orderId, params: { amount: orderId === 'INV-1' ? '10.42' : '9999.00', currency: 'EUR' } })),
  );
  await world.deliver(rows);
  const [first, second] = [...world.parked.entries()].toSorted(([, a], [, b]) => (a.key < b.key ? -1 : 1));
  if (!first || !second) throw new Error('both wait');
  world.parked.set(first[0], swap(first[1], second[1]));
  await world.controls.pause('acme-eu', false, by);
  await world.again();
  return world;
}

it.each<[what: string, swap: (one: ParkedJob, two: ParkedJob) => ParkedJob]>([
  ['the body of another order', (one, two) => ({ ...one, sealed: two.sealed })],
  ['another key', (one) => ({ ...one, sealed: { ...one.sealed, wrappedKey: 'key-2' } })],
])('a row that was given %s is not sent, stays, and is told by its order; the other one is paid', async (_, swap) => {
  const world = await afterSwap(swap);
  expect(world.entries.get('acme-eu/INV-1')).toBeUndefined();
  expect(world.entries.get('acme-eu/INV-2')?.standing).toBe('accepted');
  expect(world.gateway.posts.map(({ orderId }) => orderId)).toEqual(['INV-2']);
  expect([...world.parked.values()].map(({ key }) => key)).toEqual(['acme-eu/INV-1']);
  const told = world.log
    .filter(({ event }) => event === 'waiting-failed')
    .map(({ level, fields }) => [level, fields.orderKey]);
  expect(told).toEqual([['error', 'acme-eu/INV-1']]);
});
