// The outcome of a POST into the ledger, whatever happens to the ledger or to the order meanwhile.
import { someCredentials } from '../support/fake-credentials.ts';
import { describe, expect, it } from 'vitest';
import { claimOrder } from '../../lib/payout/claim-order.ts';
import { settleOrder } from '../../lib/payout/settle-order.ts';
import { type LedgerEntry, moved, type OrderState } from '../../lib/payout/ledger.ts';
import type { Outcome } from '../../lib/payout/outcome.ts';
import { aPayoutJob, jobOf } from '../support/jobs.ts';
import { aWorld, type World } from '../support/world.ts';

const accepted: Outcome = { kind: 'accepted', gatewayOrderId: '9' };
const doubt: Outcome = { kind: 'in-doubt', failure: { code: 'NO_ANSWER', message: 'reset' } };

async function aClaimedOrder() {
  const world = aWorld();
  const claim = await claimOrder(
    jobOf(aPayoutJob()),
    { owner: 'me', messageId: 'm-1', leaseMs: 100_000, credentials: someCredentials() },
    world.ports,
  );
  if (claim.kind !== 'claimed') throw new Error('not claimed');
  const { entry } = claim;
  const settle = (outcome: Outcome, giveUpAfterMs = 5_000) =>
    settleOrder(
      entry,
      { outcome, attempts: 1, statusInquiry: false },
      world.clock.nowMs() + giveUpAfterMs,
      world.ports,
    );
  return { world, entry, settle };
}

async function moveOn(world: World, entry: LedgerEntry, state: OrderState, changes: Partial<LedgerEntry> = {}) {
  const next = { ...moved(entry, { state, final: false, reason: 'x', nowMs: world.clock.nowMs() }), ...changes };
  await world.ledger.advance(entry, next);
  return next;
}

it('that nothing was sent is not lost where somebody has held the order as doubt meanwhile', async () => {
  // given an order that is held by our owner's name, in the state and revision that we would have written
  const { world, entry, settle } = await aClaimedOrder();
  const failure = { code: 'WORKER_LOST', message: 'never reported' } as const;
  await moveOn(world, entry, 'held', { failure });

  // when
  const spent: Outcome = { kind: 'spent', failure: { code: 'NEW_CARD_DATA_NEEDED', message: 'seal anew' } };
  const settlement = await settle(spent);

  // then it is no doubt any more
  expect(settlement).toMatchObject({ entry: { state: 'failed', failure: { code: 'NEW_CARD_DATA_NEEDED' } } });
});

describe('an outcome is settled', () => {
  it('in one write', async () => {
    const { world, settle } = await aClaimedOrder();
    expect(await settle(accepted)).toMatchObject({ kind: 'settled', entry: { state: 'accepted', revision: 2 } });
    expect(world.entries.get('acme-eu/INV-1')).toMatchObject({ state: 'accepted', gatewayOrderId: '9' });
  });

  it('once, although the answer of the write was lost', async () => {
    const { world, settle } = await aClaimedOrder();
    world.ledger.faults('advance', 'answer lost', 'answer lost');
    expect(await settle(accepted)).toMatchObject({ kind: 'settled', entry: { state: 'accepted', revision: 2 } });
    expect(world.entries.get('acme-eu/INV-1')?.revision).toBe(2);
    expect(world.log).toEqual([]); // nobody is called to a difference that is none
  });

  it('after a while, when the ledger comes back', async () => {
    const { world, settle } = await aClaimedOrder();
    world.ledger.faults('advance', 'down', 'down', 'down');
    expect(await settle(accepted)).toMatchObject({ kind: 'settled', entry: { state: 'accepted' } });
  });
});

it('an outcome that cannot be written in time is handed on, not given up', async () => {
  const { world, settle } = await aClaimedOrder();
  const startedMs = world.clock.nowMs();
  world.ledger.stays('down', 'advance');
  expect(await settle(accepted)).toEqual({ kind: 'unsettled', outcome: accepted });
  expect(world.clock.nowMs() - startedMs).toBeLessThan(5_000);
});

it.each([
  [50, 0],
  [51, 50],
])('with %i ms left it is tried again after %i ms at most: no try begins when the time is up', async (leftMs, ms) => {
  const { world, settle } = await aClaimedOrder();
  const startedMs = world.clock.nowMs();
  world.ledger.stays('down', 'advance');
  await settle(accepted, leftMs);
  expect(world.clock.nowMs() - startedMs).toBe(ms);
});

describe('a late owner', () => {
  it.each(['in-doubt', 'held'] as const)('with an answer ends an order that is %s meanwhile', async (state) => {
    const { world, entry, settle } = await aClaimedOrder();
    await moveOn(world, entry, state, { failure: { code: 'WORKER_LOST', message: 'lost' } });
    expect(await settle(accepted)).toMatchObject({ kind: 'settled', entry: { state: 'accepted', revision: 3 } });
    expect(world.entries.get(entry.key)).not.toHaveProperty('failure');
  });

  it('with nothing but doubt leaves the doubt as it stands', async () => {
    const { world, entry, settle } = await aClaimedOrder();
    const held = await moveOn(world, entry, 'held');
    expect(await settle(doubt)).toEqual({ kind: 'settled', entry: held });
  });

  it('does not undo what a person or an inquiry has decided, and the difference is logged for a person', async () => {
    const { world, entry, settle } = await aClaimedOrder();
    const held = await moveOn(world, entry, 'held');
    const declined = await moveOn(world, held, 'declined');
    // Its id is kept: should the gateway ever speak of that attempt, it is recognised.
    const noted = { ...declined, gatewayOrderId: '9', revision: 4, unpublished: true };
    expect(await settle(accepted)).toEqual({ kind: 'settled', entry: noted });
    expect(world.entries.get(entry.key)).toEqual(noted);
    expect(world.log).toContainEqual({
      level: 'error',
      event: 'answer-overtaken',
      fields: { merchant: 'acme-eu', orderId: 'INV-1', state: 'accepted', gatewayOrderId: '9' },
    });
  });

  it('does not settle the claim of another', async () => {
    const { world, entry, settle } = await aClaimedOrder();
    const retryable = await moveOn(world, entry, 'retryable');
    const taken = await moveOn(world, retryable, 'submitting', { owner: 'somebody' });
    // The answer rides on with its id until that claim has come to its end.
    expect(await settle(accepted)).toEqual({ kind: 'unsettled', outcome: accepted });
    expect(world.entries.get(entry.key)).toBe(taken);
    expect(await settle(doubt)).toEqual({ kind: 'settled', entry: taken });
  });

  it.each(['in-doubt', 'held'] as const)('with doubt under an id leaves it %s, and the id is kept', async (state) => {
    const { world, entry, settle } = await aClaimedOrder();
    await moveOn(world, entry, state, { failure: { code: 'WORKER_LOST', message: 'lost' } });
    const named = { ...doubt, gatewayOrderId: '9', gatewayAlias: 'P-9' } as const;
    expect(await settle(named)).toMatchObject({
      kind: 'settled',
      entry: { state, revision: 3, gatewayOrderId: '9', gatewayAlias: 'P-9', failure: { code: 'WORKER_LOST' } },
    });
    // and once more, it is known
    expect(await settle(named)).toMatchObject({ entry: { revision: 3 } });
  });

  it('with an id beside the one that is known keeps both', async () => {
    const { world, entry, settle } = await aClaimedOrder();
    await moveOn(world, entry, 'held', { gatewayOrderId: '8', failure: { code: 'STATUS_UNPROVEN', message: 'error' } });
    expect(await settle({ ...doubt, gatewayOrderId: '9' })).toMatchObject({
      entry: { state: 'held', gatewayOrderId: '8', earlierAttempts: [{ gatewayOrderId: '9' }] },
    });
    expect(await settle({ ...accepted, gatewayOrderId: '7' })).toMatchObject({
      entry: {
        state: 'accepted',
        gatewayOrderId: '7',
        earlierAttempts: [{ gatewayOrderId: '9' }, { gatewayOrderId: '8' }],
      },
    });
  });

  it('that finds the order ended and sent anew has its id kept with the attempts before', async () => {
    const { world, entry, settle } = await aClaimedOrder();
    const failed = await moveOn(world, await moveOn(world, entry, 'held'), 'failed', { final: true });
    const taken = await moveOn(world, failed, 'submitting', { owner: 'somebody' });
    await moveOn(world, taken, 'accepted', { gatewayOrderId: '10' });
    expect(await settle({ ...doubt, gatewayOrderId: '9' })).toMatchObject({
      entry: { state: 'accepted', gatewayOrderId: '10', revision: 6 },
    });
    expect(world.entries.get(entry.key)?.earlierAttempts?.at(-1)).toMatchObject({ gatewayOrderId: '9' });
  });
});

it('an entry that newer code wrote is left alone', async () => {
  const { world, entry } = await aClaimedOrder();
  const ledger = { ...world.ledger, advance: async () => ({ kind: 'unreadable', reason: 'state "split"' }) as const };
  const attempt = { outcome: accepted, attempts: 1, statusInquiry: false };
  const settlement = await settleOrder(entry, attempt, Infinity, { ...world.ports, ledger });
  expect(settlement).toEqual({ kind: 'unreadable', reason: 'state "split"' });
});
