// The sweeper's round over what waits: what is over is told to submit, soon where few wait, seldom where many do.
import { beforeEach, describe, expect, it } from 'vitest';
import { type SweepPart, wholeIndex } from '../../../lib/payout/inquire/due-work.ts';
import { linesRound } from '../../../lib/payout/waiting/lines-round.ts';
import type { LineMessage } from '../../../lib/payout/waiting/lines-queue.ts';
import type { RowHead } from '../../../lib/payout/waiting/waiting-row.ts';
import type { LaneName, LaneRead } from '../../../lib/payout/lanes/lane.ts';
import type { DrainRights } from '../../../lib/payout/waiting/drain-right.ts';
import { createMemoryDrainRights, createMemoryWaiting } from '../../support/memory-waiting.ts';

const minute = 60_000;
const hour = 60 * minute;
const morningMs = Date.parse('2026-11-26T09:30:00Z');
const lane = { merchant: 'acme-eu', endpointId: '39915' };

let nowMs: number;
let heads: RowHead[];
let sent: LineMessage[];
let rights: DrainRights;
let readLane: () => Promise<LaneRead>;
let unnamed: () => readonly LaneName[];
let aProcess: () => (deadlineMs?: number) => Promise<object>;
let sweep: (deadlineMs?: number) => Promise<object>;

const aHead = (n: number, changes: Partial<RowHead> = {}): RowHead => ({
  key: `acme-eu/INV-${n}`,
  slot: 0,
  lane,
  class: 'row',
  shard: 0,
  goAtMs: morningMs,
  sinceMs: morningMs,
  because: 'paused',
  ...changes,
});
const told = () => sent.flatMap(({ message }) => (message.kind === 'rows' ? message.rows : []));

beforeEach(() => {
  [nowMs, heads, sent] = [morningMs, [], []];
  readLane = async () => ({ atMs: nowMs });
  const clock = { nowMs: () => nowMs };
  const rows = {
    ...createMemoryWaiting(),
    heads: async () => [],
    async *all({ part, of }: SweepPart = wholeIndex) {
      yield* heads.filter((_, n) => n % of === part);
    },
  };
  const lines = {
    async send(messages: readonly LineMessage[]) {
      sent.push(...messages);
      return new Set<number>();
    },
  };
  const controls = {
    of: async (_: string, batchId?: string) => ({ paused: false, doubt: {}, batchCancelled: batchId === 'called-off' }),
  };
  rights = createMemoryDrainRights(clock.nowMs);
  aProcess = () => {
    const round = linesRound({
      waiting: { rows, rights, lines },
      lanes: { read: () => readLane() },
      controls,
      clock,
      log: { write: () => {} },
    });
    ({ unnamed } = round);
    return (deadlineMs = Infinity) => round.run(deadlineMs);
  };
  sweep = aProcess();
});

describe('where few wait', () => {
  it('each sweep finds what has expired, and tells it once an hour for as long as it is there', async () => {
    heads = [aHead(1, { expiresAtMs: morningMs + 30_000 }), aHead(2)];
    expect(await sweep()).toEqual({});
    expect(told()).toEqual([]);
    nowMs += minute;
    await sweep();
    expect(told()).toEqual([{ key: 'acme-eu/INV-1', slot: 0 }]);
    for (nowMs += minute; nowMs < morningMs + hour; nowMs += minute) await sweep();
    expect(told()).toHaveLength(1);
    nowMs += 2 * minute;
    await sweep();
    expect(told()).toHaveLength(2);
  });

  it('what is called off and what has waited for as long as any may are found too', async () => {
    heads = [
      aHead(1, { batchId: 'called-off' }),
      aHead(2, { batchId: 'paid' }),
      aHead(3, { sinceMs: morningMs - 14 * 24 * hour }),
    ];
    await sweep();
    expect(told().map(({ key }) => key)).toEqual(['acme-eu/INV-1', 'acme-eu/INV-3']);
  });

  it('a line that no register names is begun, and its lane is said for as long as it is met', async () => {
    heads = [aHead(1)];
    await sweep();
    expect(sent.map(({ message }) => message)).toEqual([{ kind: 'line', lane, number: 0 }]);
    expect(unnamed()).toEqual([lane]);
    heads = [];
    nowMs += 2 * hour + minute;
    await sweep();
    expect(unnamed()).toEqual([]);
  });
});

describe('where many wait', () => {
  const aLine = (rows: number) => Array.from({ length: rows }, (_, n) => aHead(n));

  it('those that expired are told within the hour, each once, whichever process comes in its minute', async () => {
    // given three processes of the sweeper that take turns, and rows that expire all over the index
    heads = aLine(12_000).map((it, n) => (n % 100 === 99 ? { ...it, expiresAtMs: morningMs - 1 } : it));
    const sweeps = [aProcess(), aProcess(), aProcess()];
    for (let n = 0; n < 60; n += 1, nowMs += minute) await sweeps[n % 3]?.();
    const beyondTheFew = told().filter(({ key }) => Number(key.slice('acme-eu/INV-'.length)) >= 2_001);
    expect(beyondTheFew).toHaveLength(100);
    expect(new Set(told().map(({ key }) => key)).size).toBe(120);
  });
});
