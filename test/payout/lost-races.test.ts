// A claim that meets somebody at every turn, and an answer that comes after others have written: what is said then, and
// what it costs.
import { someCredentials } from '../support/fake-credentials.ts';
import { describe, expect, it } from 'vitest';
import { claimOrder } from '../../lib/payout/claim-order.ts';
import type { Ledger } from '../../lib/payout/ports.ts';
import { settleOrder } from '../../lib/payout/settle-order.ts';
import { takenOver } from '../../lib/payout/claim.ts';
import { type LedgerEntry, moved, type OrderState } from '../../lib/payout/ledger.ts';
import type { Outcome } from '../../lib/payout/outcome.ts';
import { aPayoutJob, jobOf } from '../support/jobs.ts';
import { startMs } from '../support/time-and-chance.ts';
import { aWorld, type World } from '../support/world.ts';

const job = jobOf(aPayoutJob());
const me = { owner: 'me', messageId: 'm-1', leaseMs: 100_000, credentials: someCredentials() };
const key = 'acme-eu/INV-1';

/** Puts the order where a story needs it. */
async function move(world: World, entry: LedgerEntry, state: OrderState, changes: Partial<LedgerEntry> = {}) {
  const next = { ...moved(entry, { state, final: false, reason: 'x', nowMs: world.clock.nowMs() }), ...changes };
  world.entries.set(key, next);
  return next;
}

async function claimed(world: World): Promise<LedgerEntry> {
  const claim = await claimOrder(job, me, world.ports);
  if (claim.kind !== 'claimed') throw new Error('not claimed');
  return claim.entry;
}

/** A ledger in which another takes the order over and gives it back before each of the next so many writes. */
function contested(world: World, times: number): Ledger {
  const another = { owner: 'another', messageId: 'm-2', fingerprints: ['k1.x'] as const, nowMs: startMs, leaseMs: 1 };
  let left = times;
  return {
    ...world.ledger,
    async advance(expected, next) {
      if (left > 0) {
        left -= 1;
        await move(world, takenOver(expected, { ...another, job }), 'retryable');
      }
      return world.ledger.advance(expected, next);
    },
  };
}

/** A ledger in which another claims the order before each of the next so many writes, and dies of it. */
function deadly(world: World, times: number): Ledger {
  let left = times;
  return {
    ...world.ledger,
    async advance(expected, next) {
      if (left > 0) {
        left -= 1;
        const { revision } = expected;
        const dead = { ...expected, state: 'submitting', owner: `dead-${left}`, leaseUntilMs: startMs } as const;
        world.entries.set(key, { ...dead, revision: revision + 1 });
      }
      return world.ledger.advance(expected, next);
    },
  };
}

describe('a claim that loses', () => {
  it.each([1, 4])('%i races wins the next one, without a pause', async (times) => {
    const world = aWorld();
    await move(world, await claimed(world), 'retryable');
    const claim = await claimOrder(job, { ...me, owner: 'again' }, { ...world.ports, ledger: contested(world, times) });
    expect(claim).toMatchObject({ kind: 'claimed', entry: { owner: 'again', attempts: times + 2 } });
    expect(world.entries.get(key)?.owner).toBe('again');
    expect(world.clock.nowMs()).toBe(startMs);
  });

  it('five races comes back at once, and claims nothing', async () => {
    const world = aWorld();
    await move(world, await claimed(world), 'retryable');
    const ports = { ...world.ports, ledger: contested(world, 6) };
    expect(await claimOrder(job, { ...me, owner: 'again' }, ports)).toEqual({ kind: 'busy', untilMs: startMs });
    expect(world.entries.get(key)).toMatchObject({ state: 'retryable', owner: 'another' });
  });

  it.each([
    [4, 'held', { kind: 'stands', entry: { state: 'held', failure: { code: 'WORKER_LOST' } } }],
    [5, 'submitting', { kind: 'busy', untilMs: startMs }],
  ])('%i times to claims that are lost themselves: the order is %s', async (times, state, end) => {
    const world = aWorld();
    await move(world, await claimed(world), 'retryable');
    const ports = { ...world.ports, ledger: deadly(world, times) };
    expect(await claimOrder(job, { ...me, owner: 'again' }, ports)).toMatchObject(end);
    expect(world.entries.get(key)?.state).toBe(state);
    expect(world.clock.nowMs()).toBe(startMs);
  });

  it('its own entry to somebody who called it lost may not send', async () => {
    const world = aWorld();
    const ledger: Ledger = {
      ...world.ledger,
      async claim(entry) {
        const answer = await world.ledger.claim(entry);
        if (answer.kind !== 'claimed') return answer;
        await move(world, entry, 'held');
        throw new Error('the answer was lost');
      },
    };
    expect(await claimOrder(job, me, { ...world.ports, ledger })).toEqual({ kind: 'unavailable' });
  });

  it('its ledger waits longer each time, a second and a half in all', async () => {
    const world = aWorld();
    world.ledger.stays('down', 'claim');
    expect(await claimOrder(job, me, world.ports)).toEqual({ kind: 'unavailable' });
    expect(world.clock.nowMs() - startMs).toBe(50 + 100 + 200 + 400 + 800);
  });

  it('its fingerprint key says so', async () => {
    const world = aWorld();
    await move(world, await claimed(world), 'retryable', { fingerprint: 'k9.unknown' });
    expect(await claimOrder(job, { ...me, owner: 'again' }, world.ports)).toEqual({
      kind: 'unreadable',
      reason: 'its fingerprint was made under a key that this worker does not have',
    });
  });
});

describe('an answer that comes late', () => {
  const settle = (world: World, entry: LedgerEntry, outcome: Outcome) =>
    settleOrder(entry, { outcome, attempts: 1, statusInquiry: false }, world.clock.nowMs() + 5_000, world.ports);
  const doubt: Outcome = { kind: 'in-doubt', failure: { code: 'NO_ANSWER', message: 'reset' } };
  const notSent: Outcome = { kind: 'retryable', failure: { code: 'NOT_SENT', message: 'refused' } };

  it('to an order in doubt is written with its mark: the message may have gone', async () => {
    const world = aWorld();
    const entry = await claimed(world);
    await move(world, entry, 'held');
    await settle(world, entry, { kind: 'accepted', gatewayOrderId: '9' });
    expect(world.entries.get(key)).toMatchObject({ state: 'accepted', unpublished: true });
  });

  it('in time is written without one', async () => {
    const world = aWorld();
    await settle(world, await claimed(world), { kind: 'accepted' });
    expect(world.entries.get(key)).not.toHaveProperty('unpublished');
  });

  it('with nothing but doubt leaves the other doubt as it stands', async () => {
    const world = aWorld();
    const entry = await claimed(world);
    const inDoubt = await move(world, entry, 'in-doubt');
    expect(await settle(world, entry, doubt)).toEqual({ kind: 'settled', entry: inDoubt });
    expect(world.entries.get(key)).toBe(inDoubt);
  });

  it('with the proof that nothing was sent goes round until its message is surely there', async () => {
    const world = aWorld();
    const entry = await claimed(world);
    const held = await move(world, entry, 'held');
    expect(await settle(world, entry, notSent)).toEqual({ kind: 'unsettled', outcome: notSent });
    expect(world.entries.get(key)).toBe(held);
  });

  it('and says nothing new of what somebody has looked up since is a difference for a person', async () => {
    const world = aWorld();
    const entry = await claimed(world);
    const doubted = await move(world, entry, 'in-doubt');
    const found = await move(world, doubted, 'accepted');
    expect(await settle(world, entry, { kind: 'accepted' })).toEqual({ kind: 'settled', entry: found });
    expect(world.log).toMatchObject([{ level: 'error', event: 'answer-overtaken' }]);
  });

  it('with an end leaves an order that a person has released as not paid, and calls a person', async () => {
    const world = aWorld();
    const entry = await claimed(world);
    const failed = await move(world, await move(world, entry, 'held'), 'failed', { final: true });
    const declined: Outcome = { kind: 'declined', failure: { code: 'GATEWAY_REFUSED', message: 'no' } };
    expect(await settle(world, entry, declined)).toEqual({ kind: 'settled', entry: failed });
    expect(world.entries.get(key)).toBe(failed);
    expect(world.log).toMatchObject([{ event: 'answer-overtaken', fields: { state: 'declined' } }]);
  });

  it("is not taken for somebody else's of the same kind", async () => {
    const world = aWorld();
    const entry = await claimed(world);
    const others = await move(world, entry, 'accepted', { owner: 'somebody' });
    expect(await settle(world, entry, { kind: 'accepted' })).toEqual({ kind: 'settled', entry: others });
    expect(world.log).toStrictEqual([
      {
        level: 'error',
        event: 'answer-overtaken',
        fields: { merchant: 'acme-eu', orderId: 'INV-1', state: 'accepted' },
      },
    ]);
  });
});
