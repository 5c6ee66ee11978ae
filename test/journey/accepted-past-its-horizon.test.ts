// An accepted order that never ends is not ended for it, and nobody overlooks it: beyond its horizon it is counted with its
// money, and stands among the orders that a person looks at.
import { describe, expect, it } from 'vitest';
import { heldAsText, orderAsText } from '../../lib/cli/orders/order-text.ts';
import { aWorldWith, key, standing } from '../support/asked-order.ts';
import { someCredentials } from '../support/fake-credentials.ts';
import type { World } from '../support/world.ts';
import { lengthOf } from '../support/long-proof.ts';

const day = 86_400_000;

/** What the last sweep published of them. */
function figuresOf(world: World) {
  const { values, perCurrency } = world.figures.findLast(({ values }) => 'overdue' in values) ?? {};
  const { moneyOverdue, ordersOverdue } = perCurrency?.get('EUR') ?? {};
  return [values?.overdue, ordersOverdue, moneyOverdue];
}

async function listed(world: World): Promise<string[]> {
  const keys: string[] = [];
  for await (const entry of world.orders.dueWork('overdue', Number.MAX_SAFE_INTEGER)) keys.push(entry.key);
  return keys;
}

describe.each(
  lengthOf({ short: ['processing'] as const, long: ['processing', 'never heard of it', 'stalls'] as const }),
)('the gateway says for ever: %s', (mood) => {
  it('the order is visible from the third day on, asked about four times a day, and no result says that it ended', async () => {
    const world = await aWorldWith('accepted');
    world.gateway.statusStays(mood);
    await world.pass(2.9 * day);
    expect(figuresOf(world)).toEqual([0, undefined, undefined]);
    expect(await listed(world)).toEqual([]);

    await world.pass(0.2 * day);
    expect(figuresOf(world)).toEqual([1, 1, 10.42]);
    expect(await listed(world)).toEqual([key]);

    const before = world.gateway.inquiries.length;
    await world.pass(day);
    expect(world.gateway.inquiries.length - before).toBeGreaterThanOrEqual(3);
    expect(world.gateway.inquiries.length - before).toBeLessThanOrEqual(5);
    expect(standing(world)).toMatchObject({ state: 'accepted', final: false, revision: 1 });
    expect(world.results.taken).toEqual([]);
  }, 60_000);
});

it('a person reads of it why it is there', async () => {
  const world = await aWorldWith('accepted', { profile: { acceptedHorizonSeconds: 3_600 } });
  await world.pass(2 * 3_600_000);
  expect(orderAsText(standing(world))).toContain('past its horizon');
  expect(heldAsText([standing(world)])).toContain('accepted, and the gateway does not say how it ended');
});

it('once it has ended, nothing counts it any more', async () => {
  const world = await aWorldWith('accepted', { profile: { acceptedHorizonSeconds: 3_600 } });
  await world.pass(3 * 3_600_000);
  expect(figuresOf(world)).toEqual([1, 1, 10.42]);
  world.gateway.statusStays('approved');
  await world.pass(2 * 3_600_000);
  expect(standing(world)).toMatchObject({ state: 'approved', final: true });
  expect(standing(world)).not.toHaveProperty('overdue');
  expect(figuresOf(world)).toEqual([0, undefined, undefined]);
});

it.each(['no secret any more', 'a contract without inquiry'] as const)(
  'with %s it is counted all the same',
  async (now) => {
    const world = await aWorldWith('accepted');
    if (now === 'no secret any more') world.ports.credentials.of = async () => gone;
    else {
      world.credentials.rotate('acme-eu', someCredentials());
      await world.credentials.refresh('acme-eu', someCredentials());
    }
    // Nobody is asked, so its horizon is seen at the next turn, six hours later at most.
    await world.pass(3.25 * day);
    expect(figuresOf(world)).toEqual([1, 1, 10.42]);
    expect(standing(world)).toMatchObject({ state: 'accepted', final: false });
  },
  60_000,
);

const gone = { kind: 'unavailable', failure: { code: 'MERCHANT_UNKNOWN', message: 'there is no secret' } } as const;
