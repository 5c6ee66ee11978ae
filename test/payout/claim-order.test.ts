// Races for one claim: whatever the order of events, at most one claimant may send.
import { someCredentials } from '../support/fake-credentials.ts';
import { describe, expect, it } from 'vitest';
import { claimOrder } from '../../lib/payout/claim-order.ts';
import type { Ledger } from '../../lib/payout/ports.ts';
import { type LedgerEntry, moved } from '../../lib/payout/ledger.ts';
import { aPayoutJob, anEligibilityJob, jobOf } from '../support/jobs.ts';
import { aWorld, type World } from '../support/world.ts';

const job = jobOf(aPayoutJob());
const claimant = (owner: string, messageId = owner) => ({
  owner,
  messageId,
  leaseMs: 100_000,
  credentials: someCredentials(),
});
const kinds = (claims: readonly { readonly kind: string }[]) => claims.map(({ kind }) => kind).toSorted();

/** The order as it stands, put there by an earlier claim and moved on. */
async function standing(world: World, state: LedgerEntry['state']): Promise<LedgerEntry> {
  const claim = await claimOrder(job, claimant('earlier'), world.ports);
  if (claim.kind !== 'claimed') throw new Error('not claimed');
  const next = moved(claim.entry, { state, final: false, reason: 'x', nowMs: world.clock.nowMs() });
  await world.ledger.advance(claim.entry, next);
  return next;
}

describe('of ten claims at once', () => {
  const owners = Array.from({ length: 10 }, (_, index) => `worker-${index}`);

  it('for a new order one is won', async () => {
    const world = aWorld();
    const claims = await Promise.all(owners.map((owner) => claimOrder(job, claimant(owner), world.ports)));
    expect(kinds(claims)).toEqual([...Array(9).fill('busy'), 'claimed']);
  });

  it.each(['retryable', 'failed'] as const)('for one that is %s one is won', async (state) => {
    const world = aWorld();
    await standing(world, state);
    const claims = await Promise.all(owners.map((owner) => claimOrder(job, claimant(owner), world.ports)));
    expect(kinds(claims)).toEqual([...Array(9).fill('busy'), 'claimed']);
    expect(world.entries.get('acme-eu/INV-1')).toMatchObject({ state: 'submitting', revision: 3, attempts: 2 });
  });

  it('for one whose lease is over none is won, and the doubt is written once', async () => {
    const world = aWorld();
    await claimOrder(job, claimant('lost'), world.ports);
    world.clock.advance(100_000);
    const claims = await Promise.all(owners.map((owner) => claimOrder(job, claimant(owner), world.ports)));
    expect(kinds(claims)).toEqual(Array(10).fill('stands'));
    expect(world.entries.get('acme-eu/INV-1')).toMatchObject({ state: 'held', revision: 2, owner: 'lost' });
  });

  it('for a check whose lease is over one is won', async () => {
    const world = aWorld();
    const check = jobOf(anEligibilityJob());
    await claimOrder(check, claimant('lost'), world.ports);
    world.clock.advance(100_000);
    const claims = await Promise.all(owners.map((owner) => claimOrder(check, claimant(owner), world.ports)));
    expect(kinds(claims)).toEqual([...Array(9).fill('busy'), 'claimed']);
  });
});

describe('where the answer of the ledger is lost', () => {
  it('a claim that was written is found to be ours', async () => {
    const world = aWorld();
    world.ledger.faults('claim', 'answer lost');
    expect(await claimOrder(job, claimant('me'), world.ports)).toMatchObject({
      kind: 'claimed',
      entry: { owner: 'me', revision: 1 },
    });
  });

  it('so is a take-over', async () => {
    const world = aWorld();
    await standing(world, 'retryable');
    world.ledger.faults('advance', 'answer lost');
    expect(await claimOrder(job, claimant('me'), world.ports)).toMatchObject({
      kind: 'claimed',
      entry: { owner: 'me', revision: 3, attempts: 2 },
    });
  });

  it('and a claim that was not written is written now', async () => {
    const world = aWorld();
    world.ledger.faults('claim', 'down', 'down');
    expect(await claimOrder(job, claimant('me'), world.ports)).toMatchObject({ kind: 'claimed' });
  });

  it('five times, nothing may be sent', async () => {
    const world = aWorld();
    world.ledger.stays('answer lost', 'claim');
    expect(await claimOrder(job, claimant('me'), world.ports)).toEqual({ kind: 'unavailable' });
  });
});

describe('what a claim finds', () => {
  it('is left alone where newer code wrote it', async () => {
    const world = aWorld();
    const ledger: Ledger = { ...world.ledger, claim: async () => ({ kind: 'unreadable', reason: 'state "split"' }) };
    expect(await claimOrder(job, claimant('me'), { ...world.ports, ledger })).toEqual({
      kind: 'unreadable',
      reason: 'state "split"',
    });
  });

  it('is left alone where its fingerprint was made under a key that is not here', async () => {
    const world = aWorld();
    const entry = await standing(world, 'retryable');
    world.entries.set(entry.key, { ...entry, fingerprint: 'k9.unknown' });
    expect(await claimOrder(job, claimant('me'), world.ports)).toMatchObject({ kind: 'unreadable' });
    expect(world.entries.get(entry.key)?.state).toBe('retryable');
  });

  it('is refused where the content is another', async () => {
    const world = aWorld();
    await standing(world, 'retryable');
    const other = jobOf(aPayoutJob({ params: { amount: '99' } }));
    expect(await claimOrder(other, claimant('me'), world.ports)).toEqual({ kind: 'reused' });
  });

  it('without fingerprint keys is not even looked at', async () => {
    const world = aWorld();
    world.fingerprinting.lose();
    await expect(claimOrder(job, claimant('me'), world.ports)).rejects.toThrow('there are no fingerprint keys');
    expect(world.entries.size).toBe(0);
  });
});
