// The table of waiting rows, the rights to drain and the queue of lines, whose calls are cut, frozen, refused and late as the ledger's
// are; the table's index, which shows puts and moves up to three seconds later; and the minute's round that finds lapsed lines by the
// ports alone.
import { linesRound } from '../../lib/payout/waiting/lines-round.ts';
import { writeLineTask } from '../../lib/payout/waiting/lines-queue.ts';
import type { Waiting } from '../../lib/payout/waiting/keep-waiting.ts';
import type { LineShard, WaitingRow } from '../../lib/payout/waiting/waiting-row.ts';
import type { Controls } from '../../lib/payout/operate/control.ts';
import { type Lanes, nameOfLane } from '../../lib/payout/lanes/lane.ts';
import { createMemoryDataKeys, createMemoryDrainRights, createMemoryWaiting } from '../support/memory-waiting.ts';
import { createQueue, type ChecksSurroundings } from './checks-queue.ts';
import { underFault } from './ledger.ts';
import type { Process } from './process.ts';
import { batchCall, faultOfDelays } from './queue-calls.ts';
import type { Queues } from './queues.ts';

/** The waiting rows and their lines, for the world. */
export interface SimulatedWaiting {
  readonly lines: Pick<Queues, 'receive' | 'delete' | 'onVisible'>;
  readonly rows: ReadonlyMap<string, WaitingRow>;
  portFor(process: Process): Waiting;
}

/** The surroundings of the waiting rows. */
interface WaitingSurroundings extends ChecksSurroundings {
  readonly lanes: Pick<Lanes, 'read'>;
  readonly controls: Controls;
  /** A row of this message is gone. */
  readonly onGone: (messageId: string) => void;
  /** A message of the very same text took its place, and asks for the same. */
  readonly onReplaced: (messageId: string) => void;
  /** Code runs on from this event. */
  readonly onTurn: () => void;
}

const minuteMs = 60_000;
/** Rows that wait for days without an event are swept less often: a lost line begins later then, and nothing else differs. */
const quietSweeps = 5;
const quietMs = 15 * minuteMs;

/** A table without rows. */
export function createWaiting(surroundings: WaitingSurroundings): SimulatedWaiting {
  const { timeline, weather, story, truth, lanes, controls, onGone, onReplaced, onTurn } = surroundings;
  const rows = new Map<string, WaitingRow>();
  const table = createMemoryWaiting(rows);
  const rights = createMemoryDrainRights(timeline.nowMs);
  const dataKeys = createMemoryDataKeys();
  const lines = createQueue('lines', surroundings);
  let isSweeping = false;
  let sweepsSinceChange = 0;

  const round = linesRound({
    waiting: { rows: table, rights, lines: { send: async (messages) => (messages.forEach(put), new Set<number>()) } },
    lanes,
    controls,
    clock: { nowMs: timeline.nowMs },
    log: { write: () => {} },
  });

  function put({ message, delaySeconds }: Parameters<Waiting['lines']['send']>[0][number]): void {
    lines.put(writeLineTask(message), delaySeconds);
  }

  /** Sweeps while anything waits. */
  function sweeps(): void {
    if (isSweeping || rows.size === 0) return;
    isSweeping = true;
    sweepsSinceChange += 1;
    timeline.after(sweepsSinceChange > quietSweeps ? quietMs : minuteMs, () => {
      onTurn();
      void round.run(Infinity).then(() => {
        isSweeping = false;
        sweeps();
      });
    });
  }

  /** Runs a change, and records the fate of the messages whose rows are gone. */
  async function changing<T>(change: () => Promise<T>): Promise<T> {
    const before = [...rows.values()];
    const answer = await change();
    sweepsSinceChange = 0;
    const after = new Set([...rows.values()].map(({ messageId }) => messageId));
    for (const { key, slot, digest, messageId } of before) {
      if (after.has(messageId)) continue;
      if (rows.get(`${key}#${slot}`)?.digest === digest) onReplaced(messageId);
      onGone(messageId);
    }
    noteShown();
    sweeps();
    return answer;
  }

  /** The index shows each put and each move by its own lateness, up to three seconds. */
  const shownAtMs = new Map<string, number>();
  const changeOf = ({ key, slot, goAtMs }: Pick<WaitingRow, 'key' | 'slot' | 'goAtMs'>) => `${key}#${slot}/${goAtMs}`;
  function noteShown(): void {
    for (const row of rows.values()) {
      const lateMs = 1_000 * (row.nonce.charCodeAt(row.nonce.length - 1) % 4);
      if (!shownAtMs.has(changeOf(row))) shownAtMs.set(changeOf(row), timeline.nowMs() + lateMs);
    }
  }
  const shown: typeof table.heads = async (shard, after, atMost) =>
    (await table.heads(shard, after, Infinity))
      .filter((head) => (shownAtMs.get(changeOf(head)) ?? 0) <= timeline.nowMs())
      .slice(0, atMost);

  /** All shards are read together, and one that fails fails all: an empty one is not read, or a line would cost ten times the events. */
  const isAsked = ({ lane, class: of, shard }: LineShard) =>
    shard === 0 ||
    [...rows.values()].some((it) => it.shard === shard && it.class === of && nameOfLane(it.lane) === nameOfLane(lane));

  return {
    lines,
    rows,
    portFor(process) {
      const call = <T>(key: string, perform: () => Promise<T>) =>
        process.effect('waiting', key, () => underFault(weather().ledger('waiting'), timeline, perform));
      return {
        dataKeys,
        rows: {
          put: (row) =>
            call(row.key, () =>
              changing(() => {
                story.tell(process.name, row.key, () => `keeps ${row.messageId}, ${row.because}`);
                return table.put(row);
              }),
            ),
          read: (place) => call(place.key, () => table.read(place)),
          ofOrder: (key) => call(key, () => table.ofOrder(key)),
          heads: (shard, after, atMost) =>
            isAsked(shard) ? call('', () => shown(shard, after, atMost)) : Promise.resolve([]),
          length: (lane, of) => call('', () => table.length(lane, of)),
          move: (row, to) => call(row.key, () => table.move(row, to).finally(noteShown)),
          remove: (row) =>
            call(row.key, () =>
              changing(() => {
                story.tell(process.name, row.key, () => `removes its row`);
                return table.remove(row);
              }),
            ),
          all: (part) => table.all(part),
        },
        rights: {
          read: (lane) => call('', () => rights.read(lane)),
          write: (lane, next) => call('', () => rights.write(lane, next)),
          name: (lane) => call('', () => rights.name(lane)),
          all: () => call('', () => rights.all()),
        },
        lines: {
          send: (messages) =>
            process.effect('lines', '', () => {
              const fault = faultOfDelays(messages);
              if (fault !== undefined) truth.breaks(fault);
              return batchCall(weather().queue('lines'), messages, put);
            }),
        },
      };
    },
  };
}
