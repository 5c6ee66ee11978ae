// A person's word on a lane reaches a line whose drain looks again at the next probe alone.
import { expect, it } from 'vitest';
import { type DrainRight, rests } from '../../../lib/payout/waiting/drain-right.ts';
import { letBegin, type LetBeginPorts } from '../../../lib/payout/waiting/let-begin.ts';
import { startMs } from '../../support/time-and-chance.ts';

const lane = { merchant: 'acme-eu', endpointId: '39915' };
const cursors = { urgent: [{ key: 'acme-eu/A', slot: 0, goAtMs: 1 }, null, null, null], row: [null, null, null, null] };
const inAnHour: DrainRight = {
  number: 7,
  writer: 'w-1',
  nextAtMs: startMs + 900_000,
  leaseUntilMs: startMs + 960_000,
  cursors,
};

async function written(right: DrainRight | undefined): Promise<DrainRight[]> {
  const all: DrainRight[] = [];
  const drainRights: LetBeginPorts['drainRights'] = {
    read: async () => ({ atMs: startMs, ...(right && { right }) }),
    write: async (_, next) => {
      all.push(next);
      return { kind: 'written', atMs: startMs };
    },
  };
  await letBegin(lane, { drainRights, random: { id: () => 'w-2' } });
  return all;
}

it('its right lapses and rests, so that the sweeper begins it, and the message on its way finds another number', async () => {
  const [next, ...others] = await written(inAnHour);
  expect(next).toEqual({ number: 8, writer: 'w-2', cursors, nextAtMs: startMs, leaseUntilMs: startMs });
  expect(next && rests(next)).toBe(true);
  expect(others).toEqual([]);
});

it('a line that has ended, rests, has lapsed or never was is left as it is', async () => {
  expect(await written(undefined)).toEqual([]);
  expect(await written({ ...inAnHour, isOver: true })).toEqual([]);
  expect(await written({ ...inAnHour, nextAtMs: startMs, leaseUntilMs: startMs })).toEqual([]);
});

it('where the rights can not be reached, the word is said all the same', async () => {
  const unreachable = async (): Promise<never> => {
    throw new Error('the table of controls does not answer');
  };
  const drainRights: LetBeginPorts['drainRights'] = { read: unreachable, write: unreachable };
  await expect(letBegin(lane, { drainRights, random: { id: () => 'w-2' } })).resolves.toBeUndefined();
});
