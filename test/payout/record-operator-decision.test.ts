// A person's write: under condition, marked as untold until it is told, and found again where its answer was lost.
import { describe, expect, it } from 'vitest';
import { writeByHand } from '../../lib/payout/record-operator-decision.ts';
import { type LedgerEntry, moved } from '../../lib/payout/ledger.ts';
import { withMark } from '../../lib/payout/due-work.ts';
import { anEntry } from '../support/ledger-entries.ts';
import { startMs } from '../support/time-and-chance.ts';
import { aWorld } from '../support/world.ts';

const held = anEntry({ orderId: 'INV-1', state: 'held', revision: 2 });
const laterMs = startMs + 5_000;

/** What a person makes of it. */
const failed: LedgerEntry = {
  ...moved(held, {
    state: 'failed',
    final: true,
    reason: 'released-as-not-paid',
    nowMs: laterMs,
    failure: { code: 'RELEASED_NOT_PAID', message: 'anna: the bank knows nothing' },
  }),
  note: 'anna: looked it up',
};

function aWorldWhere(stands: LedgerEntry) {
  const world = aWorld();
  world.entries.set(stands.key, stands);
  return world;
}

describe('a write by hand', () => {
  it('is told, and its mark is gone from what it answers and from the ledger', async () => {
    const world = aWorldWhere(held);
    expect(await writeByHand(held, failed, world.ports)).toEqual({ kind: 'written', entry: failed, told: true });
    expect(world.entries.get(held.key)).toEqual(failed);
    expect(world.results.taken).toMatchObject([{ resultId: 'acme-eu/INV-1/3', status: 'failed' }]);
  });

  it('that can’t be told bears its mark in both', async () => {
    const world = aWorldWhere(held);
    world.results.stays('down');
    const marked = withMark(failed, true);
    expect(await writeByHand(held, failed, world.ports)).toEqual({ kind: 'written', entry: marked, told: false });
    expect(world.entries.get(held.key)).toEqual(marked);
  });

  it('of what nobody is told has nothing left to tell', async () => {
    const world = aWorldWhere(held);
    const again = moved(held, { state: 'retryable', final: false, reason: 'x', nowMs: laterMs });
    expect(await writeByHand(held, again, world.ports)).toEqual({ kind: 'written', entry: again, told: true });
    expect(world.entries.get(held.key)).toEqual(again);
    expect(world.results.taken).toEqual([]);
  });

  it.each([held, undefined])('over what newer code wrote is refused, and says why', async (over) => {
    const world = aWorldWhere(held);
    const newer = async () => ({ kind: 'unreadable', reason: 'written by a newer version' }) as const;
    const ledger = { ...world.ports.ledger, advance: newer, claim: newer };
    expect(await writeByHand(over, failed, { ...world.ports, ledger })).toEqual({
      kind: 'refused',
      why: 'written by a newer version',
    });
    expect(world.results.taken).toEqual([]);
  });
});

describe('what stands there already', () => {
  it('is our own write, whose answer was lost: it is told', async () => {
    const world = aWorldWhere(withMark(failed, true));
    expect(await writeByHand(held, failed, world.ports)).toEqual({ kind: 'written', entry: failed, told: true });
    expect(world.results.taken).toMatchObject([{ resultId: 'acme-eu/INV-1/3' }]);
  });

  it.each<[string, Partial<LedgerEntry>]>([
    ['state', { state: 'declined' }],
    ['revision', { revision: 4 }],
    ['time', { updatedAtMs: laterMs + 1 }],
    ['note', { note: 'ben: looked it up' }],
    ['failure', { failure: { code: 'RELEASED_NOT_PAID', message: 'ben: the bank knows nothing' } }],
  ])('is somebody else’s write when its %s alone is another: refused, and nothing is told', async (_, changes) => {
    const others = { ...failed, ...changes };
    const world = aWorldWhere(others);
    expect(await writeByHand(held, failed, world.ports)).toEqual({
      kind: 'refused',
      why: `somebody moved the order meanwhile: it is ${others.state}; look at it again`,
    });
    expect(world.entries.get(held.key)).toEqual(others);
    expect(world.results.taken).toEqual([]);
  });
});
