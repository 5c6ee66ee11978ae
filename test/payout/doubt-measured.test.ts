// The sweeper measures what is in doubt, for the alarms and for merchants that stop on doubt.
import { describe, expect, it } from 'vitest';
import type { DueWork } from '../../lib/payout/inquire/due-work.ts';
import { sweep } from '../../lib/payout/inquire/sweep.ts';
import { type Attempt, ofAttempt } from '../../lib/payout/order/facts.ts';
import { aPayoutJob, aTransferByRefJob } from '../support/jobs.ts';
import { sealedFor } from '../support/card-keys.ts';
import { aRecord } from '../support/records.ts';
import { withFacts } from '../support/orders.ts';
import { aWorld, type World } from '../support/world.ts';

const seconds = 1000;

/** What the last sweep found standing, whatever its rounds have counted after it. */
const figuresOf = (world: World) => world.figures.findLast(({ values }) => 'held' in values);

/** The attempt of an order, changed like this since now. */
function change(world: World, at: string, changes: Partial<Attempt>): void {
  const order = world.items.get(at);
  const [attempt] = Object.values(order?.facts.attempts ?? {});
  if (!order || !attempt) throw new Error('there is no such order');
  world.items.set(at, withFacts(order, ofAttempt({ ...attempt, ...changes }), world.clock.nowMs()));
}

describe('money in doubt', () => {
  it('is measured per currency: in doubt, held, and either with its result untold', async () => {
    // given three payouts and a transfer in doubt, one of them held and one untold, and a payout that is paid and untold
    const profile = { statusInquiry: true } as const;
    const world = aWorld({ profile, limits: { concurrency: 1 }, lanes: 'open' });
    world.gateway.moods('stalls', 'stalls', 'stalls', 'stalls');
    const jobs = [
      ...['INV-1', 'INV-2', 'INV-3'].map((orderId) => aPayoutJob({ orderId })),
      await sealedFor(world, aTransferByRefJob()),
      aPayoutJob({ orderId: 'INV-4' }),
    ];
    await world.deliver(jobs.map((job) => aRecord(job)));
    change(world, 'acme-eu/INV-1', { overdue: true });
    for (const at of ['acme-eu/INV-2', 'acme-eu/INV-4']) {
      const untold = world.items.get(at);
      if (untold) world.items.set(at, { ...untold, unpublished: true });
    }
    world.clock.advance(90 * seconds);

    // when the sweeper comes by, then the figures are told, and the exact sums too
    await world.sweep();
    expect(figuresOf(world)).toEqual({
      values: {
        held: 1,
        overdue: 0,
        unreadable: 0,
        oldestDoubtSeconds: 90,
        // The story's alarm is at 20 of any currency: JPY is the furthest above it.
        doubtOfLimit: 50,
      },
      perCurrency: new Map(),
    });
    expect(await world.controls.of('acme-eu')).toMatchObject({ doubt: { EUR: 3126n, JPY: 1000n } });
  });

  it('that there is no time to count leaves merchants stopped by what is known of it', async () => {
    const world = aWorld({ profile: { statusInquiry: true }, lanes: 'open' });
    world.gateway.stays('stalls');
    await world.deliver(Array.from({ length: 40 }, (_, at) => aRecord(aPayoutJob({ orderId: `INV-${at}` }))));
    await world.sweep();
    const { doubt: before } = await world.controls.of('acme-eu');
    // when each order that is counted costs a second, and the rounds have their turn all the same
    const rounds: string[] = [];
    const dueWork: Pick<DueWork, 'measured'> = {
      async *measured(...asked) {
        for await (const order of world.orders.measured(...asked)) {
          world.clock.advance(1_000);
          yield order;
        }
      },
    };
    const round = async (deadlineMs: number) => (rounds.push(String(deadlineMs > world.clock.nowMs())), {});
    const told = world.figures.length;
    await sweep(world.clock.nowMs() + 20_000, { ...world.ports, dueWork, rounds: [round] });
    expect(world.figures.slice(told)).toEqual([]);
    expect(await world.controls.of('acme-eu')).toMatchObject({ doubt: before });
    expect(rounds).toEqual(['true']);
  });
});
