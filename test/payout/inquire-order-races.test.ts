// Somebody else writes while the gateway is asked: nothing that was learned is lost, nothing is told twice or asked twice.
import { describe, expect, it } from 'vitest';
import { moved } from '../../lib/payout/ledger.ts';
import { aWorldWith, check, inquire, key, moveTo, standing } from '../support/asked-order.ts';

describe('somebody else writes while the gateway is asked', () => {
  it('what a look has shown is not lost: it is made once more, at once', async () => {
    const world = await aWorldWith('in-doubt');
    world.gateway.statusStays('approved');
    world.gateway.meanwhile(async () => void (await moveTo(world, 'failed')));
    const end = await inquire(world);
    expect(standing(world)).toMatchObject({ state: 'failed', revision: 3 });
    const again = { check: check({ now: true }), delaySeconds: 5 };
    expect(end).toEqual({ entry: standing(world), finding: 'approved', next: again });

    world.gateway.meanwhile(() => {});
    expect(await inquire(world, end.next?.check)).toMatchObject({ result: { status: 'approved', revision: 4 } });
  });

  it('an order that somebody else has set moving has a chain of its own', async () => {
    const world = await aWorldWith('in-doubt');
    world.gateway.statusStays('approved');
    world.gateway.meanwhile(async () => {
      const entry = moved(standing(world), {
        state: 'accepted',
        final: false,
        reason: 'x',
        nowMs: world.clock.nowMs(),
      });
      world.entries.set(key, entry);
    });
    expect(await inquire(world)).toEqual({ entry: standing(world), finding: 'approved' });
  });

  it('of two looks at once one is made and counted', async () => {
    const world = await aWorldWith('in-doubt');
    world.gateway.statusStays('never heard of it');
    const ends = await Promise.all([inquire(world), inquire(world)]);
    expect(world.gateway.inquiries).toHaveLength(1);
    expect(standing(world).inquiries).toMatchObject({ count: 1, negatives: 1 });
    expect(ends.filter(({ next }) => next)).toHaveLength(1);
  });

  it('a "no such order" that the ledger does not take does not count', async () => {
    const world = await aWorldWith('in-doubt');
    world.gateway.statusStays('never heard of it');
    world.ledger.faults('advance', 'up', 'down');
    const { next } = await inquire(world);
    expect(standing(world).inquiries).toMatchObject({ count: 1, negatives: 0 });
    expect(next?.check).toEqual(check({ inquiries: 1 }));
  });

  it('a look does not wipe out the mark of a result that was found untellable meanwhile', async () => {
    const world = await aWorldWith('in-doubt');
    world.gateway.statusStays('never heard of it');
    world.gateway.meanwhile(() => world.ledger.markUnpublished(standing(world), true));
    await inquire(world);
    expect(standing(world)).toMatchObject({ unpublished: true, inquiries: { count: 1, negatives: 0 } });
  });

  it('a write whose answer was lost shows as our own, and its result is told', async () => {
    const world = await aWorldWith('accepted');
    world.gateway.statuses('approved');
    const { advance } = world.ledger;
    world.ledger.advance = async (expected, next) => {
      const first = await advance(expected, next);
      return next.revision === expected.revision ? first : advance(expected, next); // the SDK's own retry
    };
    expect(await inquire(world)).toMatchObject({ result: { status: 'approved', revision: 3 } });
  });

  it('newer code has the order now: it is left alone', async () => {
    const world = await aWorldWith('accepted');
    world.gateway.statuses('approved');
    const { advance } = world.ledger;
    world.ledger.advance = async (expected, next) =>
      next.revision === expected.revision ? advance(expected, next) : { kind: 'unreadable', reason: 'newer' };
    expect(await inquire(world)).toEqual({ finding: 'approved' });
  });
});
