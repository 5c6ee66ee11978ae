// What a person decides of an order reaches what waits of it; a command to a lane reaches a line whose drain looks again at the
// next probe alone.
import { expect, it } from 'vitest';
import { type DrainRight, rests } from '../../../lib/payout/waiting/drain-right.ts';
import { hurryWaiting, letBegin, type LetBeginPorts } from '../../../lib/payout/waiting/hurry-waiting.ts';
import type { LineMessage, LinesQueue } from '../../../lib/payout/waiting/lines-queue.ts';
import type { WaitingRow } from '../../../lib/payout/waiting/waiting-row.ts';
import { createMemoryWaiting } from '../../support/memory-waiting.ts';
import { startMs } from '../../support/time-and-chance.ts';

const key = 'acme-eu/INV-1';
const lane = { merchant: 'acme-eu', endpointId: '39915' };
const aRow = (digest: string): Omit<WaitingRow, 'slot'> => {
  const its = { nonce: digest, digest, messageId: digest, waits: 1, because: 'paused' };
  const place = { key, lane, class: 'urgent', shard: 0, goAtMs: 0, sinceMs: 0 } as const;
  return { ...place, ...its, sealed: { wrappedKey: 'key-1', iv: 'iv', text: 'sealed' } };
};

function aQueue(): LinesQueue & { readonly sent: LineMessage[] } {
  const sent: LineMessage[] = [];
  return {
    sent,
    async send(messages) {
      sent.push(...messages);
      return new Set();
    },
  };
}

it('has every message of the order that waits submitted now', async () => {
  const [waiting, lines] = [createMemoryWaiting(), aQueue()];
  await waiting.put(aRow('d-1'));
  await waiting.put(aRow('d-2'));
  expect(await hurryWaiting(key, { waiting, lines })).toBe(2);
  const rows = [
    { key, slot: 0 },
    { key, slot: 1 },
  ];
  expect(lines.sent).toEqual([{ message: { kind: 'rows', rows }, delaySeconds: 0 }]);
});

it('sends nothing where nothing of it waits', async () => {
  const lines = aQueue();
  expect(await hurryWaiting(key, { waiting: createMemoryWaiting(), lines })).toBe(0);
  expect(lines.sent).toEqual([]);
});

it('never fails a decision that was made: who may not send leaves it to the line', async () => {
  const waiting = createMemoryWaiting();
  await waiting.put(aRow('d-1'));
  const refusing: LinesQueue = { send: () => Promise.reject(new Error('AccessDenied')) };
  expect(await hurryWaiting(key, { waiting, lines: refusing })).toBe(0);
});

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

it('the right of a line whose lane got a command lapses and rests, so that the sweeper begins it, and the message on its way finds another number', async () => {
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

it('where the rights can not be reached, the command stays all the same', async () => {
  const unreachable = async (): Promise<never> => {
    throw new Error('the table of controls does not answer');
  };
  const drainRights: LetBeginPorts['drainRights'] = { read: unreachable, write: unreachable };
  await expect(letBegin(lane, { drainRights, random: { id: () => 'w-2' } })).resolves.toBeUndefined();
});
