// The sweeper's round over what waits: what is over is told to submit, soon where few wait, seldom where many do.
import { beforeEach, describe, expect, it } from 'vitest';
import { type SweepPart, wholeIndex } from '../../../lib/payout/inquire/due-work.ts';
import { linesRound } from '../../../lib/payout/waiting/lines-round.ts';
import type { LineMessage } from '../../../lib/payout/waiting/lines-queue.ts';
import type { RowHead } from '../../../lib/payout/waiting/waiting-row.ts';
import type { LaneName, LaneRead } from '../../../lib/payout/lanes/lane.ts';
import type { DrainRight, DrainRights } from '../../../lib/payout/waiting/drain-right.ts';
import { createMemoryDrainRights, createMemoryWaiting } from '../../support/memory-waiting.ts';

const minute = 60_000;
const hour = 60 * minute;
const morningMs = Date.parse('2026-11-26T09:30:00Z');
const lane = { merchant: 'acme-eu', endpointId: '39915' };

let nowMs: number;
let heads: RowHead[];
let seen: number;
/** How long a look into a line that has ended takes, and how many parts of such lines were looked into. */
let lookTakesMs: number;
let looked: number;
let sent: LineMessage[];
let rights: DrainRights;
let logged: string[];
let readLane: () => Promise<LaneRead>;
let controlTakes: () => Promise<void>;
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
  [nowMs, heads, seen, sent, logged, lookTakesMs, looked] = [morningMs, [], 0, [], [], 0, 0];
  readLane = async () => ({ atMs: nowMs });
  const clock = { nowMs: () => nowMs };
  const rows = {
    ...createMemoryWaiting(),
    async heads() {
      nowMs += lookTakesMs / 8;
      looked += 1;
      return [];
    },
    async *all({ part, of }: SweepPart = wholeIndex) {
      for (const [n, head] of heads.entries()) {
        if (n % of !== part) continue;
        seen += 1;
        yield head;
      }
    },
  };
  const lines = {
    async send(messages: readonly LineMessage[]) {
      sent.push(...messages);
      return new Set<number>();
    },
  };
  controlTakes = async () => {};
  const controls = {
    async of(_: string, batchId?: string) {
      await controlTakes();
      return { paused: false, doubt: new Map<string, never>(), batchCancelled: batchId === 'called-off' };
    },
  };
  rights = createMemoryDrainRights(clock.nowMs);
  aProcess = () => {
    const round = linesRound({
      waiting: { rows, rights, lines },
      lanes: { read: () => readLane() },
      controls: controls as never,
      clock,
      log: { write: (_level, event, { merchant }) => void logged.push(`${event} ${merchant}`) },
    });
    ({ unnamed } = round);
    return (deadlineMs = Infinity) => round.run(deadlineMs);
  };
  sweep = aProcess();
});

describe('where few wait', () => {
  it('each sweep finds what has expired, and tells it once an hour for as long as it is there', async () => {
    heads = [aHead(1, { expiresAtMs: morningMs + 30_000 }), aHead(2)];
    await sweep();
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

  it('a line that has ended is looked into twelve times an hour, and not by each sweep', async () => {
    await rights.name(lane);
    await sweep();
    const partsOfOne = looked;
    for (nowMs += minute; nowMs < morningMs + hour; nowMs += minute) await sweep();
    expect(looked / partsOfOne).toBe(12);
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

  it('a line that has got its name since is said no more', async () => {
    heads = [aHead(1)];
    await sweep();
    await rights.name(lane);
    await sweep();
    expect(unnamed()).toEqual([]);
  });
});

describe('a sweep without time', () => {
  it('leaves what it has not looked at of the lines of many lanes to the next one', async () => {
    heads = Array.from({ length: 1_000 }, (_, n) => aHead(n, { lane: { merchant: `shop-${n}`, endpointId: '1' } }));
    const { read } = rights;
    rights.read = async (it) => {
      nowMs += 100;
      return read(it);
    };
    await sweep(morningMs + 10_000);
    expect(nowMs).toBeLessThanOrEqual(morningMs + 10_100);
  });
});

describe('lanes by the thousand, as a sender may name any endpoint', () => {
  const lapsed: DrainRight = {
    number: 1,
    writer: 'w-1',
    nextAtMs: 0,
    leaseUntilMs: 60_000,
    cursors: { urgent: [null, null, null, null], row: [null, null, null, null] },
  };
  const laneOf = (n: number) => ({ merchant: 'acme-eu', endpointId: String(n) });

  /** Each answer takes so long, however many are asked for at the same time. */
  async function whileAnswersTake(ms: number, round: Promise<unknown>): Promise<void> {
    const state = { isOver: false };
    void round.finally(() => (state.isOver = true));
    while (!state.isOver) {
      for (let turn = 0; turn < 20; turn += 1) await Promise.resolve();
      if (answering.length > 0) nowMs += ms;
      for (const answer of answering.splice(0)) answer();
    }
  }

  let answering: (() => void)[];
  beforeEach(() => {
    answering = [];
    const { read } = rights;
    rights.read = async (it) => {
      await new Promise<void>((resolve) => answering.push(resolve));
      return read(it);
    };
  });

  it('keep no line from being begun in the few seconds that a busy sweep has left for it', async () => {
    for (let n = 0; n < 2_000; n += 1) await rights.write(laneOf(n), lapsed);
    await whileAnswersTake(5, sweep(morningMs + 7_000));
    expect(sent).toHaveLength(2_000);
  });

  it('keep no row that is over from its end', async () => {
    heads = Array.from({ length: 1_999 }, (_, n) => aHead(n, { lane: laneOf(n), batchId: `b-${n}` }));
    heads.push(aHead(2_000, { expiresAtMs: morningMs - 1, batchId: 'b' }));
    controlTakes = () => new Promise((resolve) => answering.push(resolve));
    await whileAnswersTake(5, sweep(morningMs + 7_000));
    expect(told()).toEqual([{ key: 'acme-eu/INV-2000', slot: 0 }]);
  });
});

describe('where many wait', () => {
  const aLine = (rows: number) => Array.from({ length: rows }, (_, n) => aHead(n));

  it('each is gone over once an hour, a sixtieth of them a minute, and whether they are few is looked at each minute', async () => {
    heads = aLine(30_000);
    await sweep();
    expect(seen).toBe(2_001 + 500);
    for (nowMs += minute; nowMs < morningMs + 2 * hour; nowMs += minute) await sweep();
    expect(seen).toBe(120 * 2_001 + 2 * 30_000);
  });

  it('those that expired are told within the hour, each once, whichever process comes in its minute', async () => {
    // given three processes of the sweeper that take turns, and rows that expire all over the index
    heads = aLine(12_000).map((it, n) => (n % 100 === 99 ? { ...it, expiresAtMs: morningMs - 1 } : it));
    const sweeps = [aProcess(), aProcess(), aProcess()];
    for (let n = 0; n < 60; n += 1, nowMs += minute) await sweeps[n % 3]?.();
    const beyondTheFew = told().filter(({ key }) => Number(key.slice('acme-eu/INV-'.length)) >= 2_001);
    expect(beyondTheFew).toHaveLength(100);
    expect(new Set(told().map(({ key }) => key)).size).toBe(120);
  });

  it('those that expired are told within the hour, though a look into ended lines goes beyond the end of its minute', async () => {
    // given sweeps that come two seconds before the minute ends, and each fifth of them looks into ended lines for three seconds
    heads = aLine(12_000).map((it) => ({ ...it, expiresAtMs: morningMs - 1 }));
    await rights.name(lane);
    lookTakesMs = 3_000;
    for (nowMs += 58_000; nowMs < morningMs + hour; nowMs = Math.floor(nowMs / minute) * minute + 58_000) {
      const startedMs = nowMs;
      await sweep();
      nowMs = startedMs + minute;
    }
    expect(new Set(told().map(({ key }) => key)).size).toBe(12_000);
  });

  it('those of a batch that was called off come to submit one after the other, so that lines get their turn between', async () => {
    heads = aLine(370_000).map((it) => ({ ...it, batchId: 'called-off' }));
    await sweep();
    const delays = sent.flatMap(({ message, delaySeconds }) => (message.kind === 'rows' ? [delaySeconds] : []));
    expect(told()).toHaveLength(6_000);
    for (let second = 0; second < 60; second += 1) expect(delays.filter((it) => it === second)).toHaveLength(5);
    // when a minute has gone by
    sent = [];
    nowMs += minute;
    await sweep();
    expect(told()).toHaveLength(6_000);
  });
});

describe('what can not be read', () => {
  const lapsed: DrainRight = {
    number: 1,
    writer: 'w-1',
    nextAtMs: 0,
    leaseUntilMs: 60_000,
    cursors: { urgent: [null, null, null, null], row: [null, null, null, null] },
  };
  const line = { kind: 'line', lane, number: 1 };

  it('a right that newer code wrote keeps no other line from being begun, and is counted', async () => {
    await rights.write(lane, lapsed);
    const { read } = rights;
    Object.assign(rights, {
      all: async () => [
        { merchant: 'aaa', endpointId: '1', right: 'unreadable' },
        { ...lane, right: lapsed },
      ],
      read: async (it: typeof lane) => {
        if (it.merchant === 'aaa') throw new Error('the right was written by another version of the worker');
        return read(it);
      },
    } satisfies Partial<DrainRights>);
    expect(await sweep()).toEqual({ unreadable: 1 });
    expect(sent.map(({ message }) => message)).toEqual([line]);
    expect(logged).toEqual(['line-failed aaa']);
  });

  it('a lane that can not be read keeps no other line from being begun, nor rows that are over from their end', async () => {
    // given two lapsed lines, of which the lane of the first can't be read, and in whose line a row has expired
    const first = { merchant: 'aaa', endpointId: '1' };
    await rights.write(first, lapsed);
    await rights.write(lane, lapsed);
    heads = [aHead(1, { lane: first, expiresAtMs: morningMs - 1 })];
    let reads = 0;
    readLane = async () => {
      reads += 1;
      if (reads !== 2) throw new Error('the lane was written by another version of the worker');
      return { atMs: nowMs };
    };
    expect(await sweep()).toEqual({});
    expect(sent.map(({ message }) => message)).toEqual([
      line,
      { kind: 'rows', rows: [{ key: 'acme-eu/INV-1', slot: 0 }] },
    ]);
  });
});
