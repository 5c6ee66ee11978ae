// The sweeper measures what is in doubt, and has its rounds, whatever becomes of either.
import { describe, expect, it } from 'vitest';
import type { DueWork, SweepRound } from '../../../lib/payout/inquire/due-work.ts';
import { sweep, type SweepPorts } from '../../../lib/payout/inquire/sweep.ts';
import { aPayoutJob } from '../../support/jobs.ts';
import { aRecord } from '../../support/records.ts';
import { aWorld, type World } from '../../support/world.ts';

const seconds = 1000;
describe('a sweep', () => {
  /** So many payouts whose answers were lost, two hours ago. */
  async function aWorldOfDoubt(count: number): Promise<World> {
    const world = aWorld({ profile: { statusInquiry: true }, lanes: 'open' });
    world.gateway.stays('stalls');
    const ids = Array.from({ length: count }, (_, index) => `INV-${index}`);
    await world.deliver(ids.map((orderId) => aRecord(aPayoutJob({ orderId }))));
    world.ownQueue.taken.splice(0);
    world.clock.advance(7_200 * seconds);
    return world;
  }

  it('stops at its deadline', async () => {
    const world = await aWorldOfDoubt(2);
    const told = world.figures.length;
    await sweep(world.clock.nowMs() - 1, world.ports);
    // A part of the doubt would be taken for the whole.
    expect(world.figures.slice(told)).toEqual([]);
  });

  it('says last of all that it came to its end', async () => {
    const world = await aWorldOfDoubt(1);
    await sweep(world.clock.nowMs() + 1, world.ports);
    expect(world.figures.at(-1)?.values).toEqual({ swept: 1 });
  });

  it.each([
    ['doubt can not be measured', { dueWork: { measured: () => broken() } }],
    ['doubt can not be noted', { controlsAdmin: { recordDoubt: () => Promise.reject(new Error('it broke')) } }],
    ['a round breaks', { rounds: [() => Promise.reject(new Error('it broke'))] }],
  ])('is missed where %s', async (_, trouble) => {
    const world = await aWorldOfDoubt(1);
    const sweeping = sweep(world.clock.nowMs() + 1, { ...world.ports, ...trouble });
    await expect(sweeping).rejects.toThrow('it broke');
    expect(world.figures.at(-1)?.values ?? {}).not.toHaveProperty('swept');
  });

  it.each<[string, Partial<SweepPorts>]>([
    ['another round breaks', {}],
    ['doubt can not be measured', { dueWork: { measured: () => broken() } }],
    ['doubt can not be recorded', { controlsAdmin: { recordDoubt: () => Promise.reject(new Error('it broke')) } }],
  ])('gives each round its turn where %s, and fails all the same', async (_, trouble) => {
    const world = await aWorldOfDoubt(1);
    const ran: string[] = [];
    const rounds: SweepRound[] = [
      async () => (ran.push('lines'), Promise.reject(new Error('it broke'))),
      async () => (ran.push('batches'), { batchesLeft: 1 }),
    ];
    const ports = { ...world.ports, ...trouble, rounds };
    await expect(sweep(world.clock.nowMs() + 60_000, ports)).rejects.toThrow('it broke');
    expect(ran).toEqual(['lines', 'batches']);
    expect(world.figures.at(-1)?.values).toEqual({ batchesLeft: 1 });
  });

  it('keeps a merchant stopped on doubt for as long as a part of the doubt can not be read', async () => {
    const world = await aWorldOfDoubt(1);
    await sweep(world.clock.nowMs() + 60_000, world.ports);
    expect((await world.controls.of('acme-eu')).doubt).toEqual({ EUR: 1042n });
    const { dueWork } = world.ports;
    const measured: DueWork['measured'] = (kind, ...how) =>
      kind === 'in-doubt' ? broken() : dueWork.measured(kind, ...how);
    for (let minute = 0; minute < 20; minute += 1) {
      world.clock.advance(60_000);
      const ports = { ...world.ports, dueWork: { ...dueWork, measured } };
      await expect(sweep(world.clock.nowMs() + 60_000, ports)).rejects.toThrow('it broke');
    }
    expect((await world.controls.of('acme-eu')).doubt).toEqual({ EUR: 1042n });
  });
});

// oxlint-disable-next-line require-yield -- it fails before it finds anything
async function* broken(): AsyncGenerator<never> {
  throw new Error('it broke');
}
