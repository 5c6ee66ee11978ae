// A slice of a line whose heads may not be sent before a look of theirs: they take no slot, and keep nobody behind them from one.
import { describe, expect, it } from 'vitest';
import type { LaneDecision, Slot } from '../../../lib/payout/lanes/lane.ts';
import { takeSlice } from '../../../lib/payout/waiting/drain-lane.ts';
import type { LineMessage } from '../../../lib/payout/waiting/lines-queue.ts';
import type { WaitingRow } from '../../../lib/payout/waiting/waiting-row.ts';
import { createMemoryDataKeys, createMemoryDrainRights, createMemoryWaiting } from '../../support/memory-waiting.ts';
import { anOrder } from '../../support/orders.ts';
import { startMs } from '../../support/time-and-chance.ts';

const lane = { merchant: 'acme-eu', endpointId: '39915' };
const refused = { kind: 'refused', about: 'pace', connected: true, code: 'HTTP_429', message: 'slow down' } as const;
const waitsForItsLook = anOrder({ attempt: { answer: { ...refused, atMs: startMs } } });

/** A line whose first rows wait for their looks, and behind them one that may go; how it is drained, message by message. */
async function aLine(held: number, decision: LaneDecision) {
  let nowMs = startMs;
  const sent: LineMessage[] = [];
  const rows = createMemoryWaiting();
  for (let n = 0; n <= held; n += 1)
    await rows.put({
      key: n < held ? `acme-eu/HELD-${n}` : 'acme-eu/GOES',
      lane,
      class: 'row',
      shard: 0,
      goAtMs: startMs - 60_000 + n,
      because: n < held ? 'busy' : 'pace',
    } as WaitingRow);
  const slot: Slot = { kind: 'slot', atMs: nowMs, untilMs: nowMs + 10_000, generation: 1, pressed: false };
  const ports = {
    waiting: {
      rows,
      rights: createMemoryDrainRights(() => nowMs),
      dataKeys: createMemoryDataKeys(),
      lines: { send: async (messages: readonly LineMessage[]) => (sent.push(...messages), new Set<number>()) },
    },
    pacing: {
      look: async () => ({ kind: 'known', decision, ratePerSecond: 1 }) as const,
      slice: async (_: unknown, asks: readonly unknown[]) => asks.map(() => slot),
      giveBack: () => {},
    },
    orders: {
      read: async (key: string) =>
        key.includes('HELD') ? ({ kind: 'found', order: waitsForItsLook } as const) : ({ kind: 'none' } as const),
    },
    controls: { of: async () => ({ paused: false, batchCancelled: false, doubt: {} }) },
    credentials: { of: async () => ({ kind: 'credentials', credentials: { profile: {} } }) },
    clock: { nowMs: () => nowMs },
    random: { id: () => 'w-1', chance: () => 0.5 },
    log: { write: () => {} },
  } as unknown as Parameters<typeof takeSlice>[1];
  return {
    /** Seconds until the row that may go has its slot. */
    async secondsUntilItGoes(): Promise<number> {
      let number = 0;
      for (;;) {
        const { heads } = await takeSlice({ kind: 'line', lane, number }, ports);
        if (heads.some(({ key }) => key === 'acme-eu/GOES')) return (nowMs - startMs) / 1000;
        const { message, delaySeconds } = sent.at(-1) ?? { message: { kind: 'rows' }, delaySeconds: 0 };
        if (message.kind !== 'line') throw new Error('nobody is sent for the line');
        number = message.number;
        nowMs += delaySeconds * 1000;
      }
    },
  };
}

describe('30 rows that wait for their looks, three to a slice,', () => {
  it('keep one behind them from an open lane for no longer than slots of theirs would have', async () => {
    const line = await aLine(30, { kind: 'go' } as LaneDecision);
    expect(await line.secondsUntilItGoes()).toBeLessThanOrEqual(30);
  });

  it('keep a closed lane from its probe for seconds', async () => {
    const line = await aLine(30, { kind: 'probe' } as LaneDecision);
    expect(await line.secondsUntilItGoes()).toBeLessThanOrEqual(30);
  });
});
