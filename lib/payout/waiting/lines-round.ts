// The sweeper's part of the table `waiting`: each minute it begins lines anew whose drain has lapsed, every five minutes
// those that have ended although rows are in them. Once an hour it goes over the whole index for rows that are over
// (expired, their batch called off, waited for as long as any may), which submit ends, and for lines that no register names;
// each minute where few wait.
import type { Controls } from '../operate/control.ts';
import type { SweepRound } from '../inquire/due-work.ts';
import { type LaneName, laneOfName, type Lanes, laneDecision, nameOfLane } from '../lanes/lane.ts';
import { sqsBatchSize } from '../limits.ts';
import { errorFields } from '../log-fields.ts';
import type { Clock, Log, MetricValues } from '../ports.ts';
import { eachConcurrently } from '../run-records.ts';
import { isLive, rests } from './drain-right.ts';
import type { Waiting } from './keep-waiting.ts';
import { type LineMessage, lineMessage } from './lines-queue.ts';
import { lineClasses, type RowHead, type RowPlace, shardsOf, isOver } from './waiting-row.ts';

/** The ports of the round. */
interface LinesRoundPorts {
  readonly waiting: Pick<Waiting, 'rows' | 'rights' | 'lines'>;
  readonly lanes: Pick<Lanes, 'read'>;
  readonly controls: Controls;
  readonly clock: Pick<Clock, 'nowMs'>;
  readonly log: Log;
}

/** A sender may name lanes by the thousand: one after the other they would take more time than a sweep has. */
const lanesAtOnce = 20;
const [hourMs, minuteMs] = [3_600_000, 60_000];
/** A line that has ended, and whose next message got lost, is found so soon. */
const endedLookedAtMs = 300_000;
/** So few are gone over each minute. */
const fewRows = 2_000;
/** More are gone over once an hour, a part of the index each minute by the clock: so any process may take its turn. */
const walkedParts = 60;
/** Rows of one message: one invocation ends them. */
const rowsAtOnce = 20;
/** More at a time would keep the lines' own messages waiting behind them, until their rights lapse; the others are found an hour later. */
const rowsASecond = 100;
const reportedAtMost = rowsASecond * 60;

/** The round. */
interface LinesRound extends SweepRound {
  /** Lanes in whose lines rows were met lately, and for which the register has no room: the figures count them too. */
  readonly unnamed: () => readonly LaneName[];
}

/** The round. */
export function linesRound(ports: LinesRoundPorts): LinesRound {
  const { clock } = ports;
  const unnamed = createUnnamed(clock);
  /** Few rows that were found over, and when submit got them: once an hour, however often they are found. */
  let reported: ReadonlyMap<string, number> = new Map();
  return {
    name: 'lines',
    async run(deadlineMs): Promise<MetricValues['values']> {
      const { rights } = ports.waiting;
      // Before anything that takes longer in some minutes than in others, or their parts would be left out each hour.
      const nowMs = clock.nowMs();
      const looksIntoEnded = nowMs % endedLookedAtMs < minuteMs;
      const part = Math.floor(nowMs / minuteMs) % walkedParts;
      const named = await rights.all();
      const unreadable = named.filter(({ right }) => right === 'unreadable').length;
      await eachConcurrently(named, lanesAtOnce, async ({ right, ...lane }) => {
        if (clock.nowMs() >= deadlineMs) return;
        // One whose first message got lost has no right yet.
        const mayHaveEnded = right !== 'unreadable' && (right?.isOver ?? true);
        await goingOn(lane, ports, async () =>
          beginLapsed(lane, ports, mayHaveEnded && looksIntoEnded && (await hasRows(lane, ports))),
        );
      });
      if (clock.nowMs() >= deadlineMs) return {};
      const few = await firstOf(ports.waiting.rows.all());
      const areFew = few.length <= fewRows;
      const heads = areFew ? few : ports.waiting.rows.all({ part, of: walkedParts });
      const walked = await walk(heads, { deadlineMs, reported }, ports);
      if (areFew) reported = walked.over;
      unnamed.met(walked.lanes, named);
      return { ...(unreadable > 0 && { unreadable }) };
    },
    unnamed: unnamed.all,
  };
}

/** A lane that was met is remembered until the walk has met it, or not, once more. */
const metServesMs = 2 * hourMs;
/** So many are remembered: a sender may name more. */
const unnamedAtMost = 2_000;

function createUnnamed({ nowMs }: Pick<Clock, 'nowMs'>) {
  const metAtMs = new Map<string, number>();
  return {
    met(lanes: readonly LaneName[], named: readonly LaneName[]): void {
      for (const [name, atMs] of metAtMs) if (nowMs() - atMs > metServesMs) metAtMs.delete(name);
      const names = new Set(named.map(nameOfLane));
      for (const name of lanes.map(nameOfLane))
        if (!names.has(name) && (metAtMs.size < unnamedAtMost || metAtMs.has(name))) metAtMs.set(name, nowMs());
      for (const name of names) metAtMs.delete(name);
    },
    all: () => [...metAtMs.keys()].map(laneOfName),
  };
}

/** The other lines must not wait for what is wrong with one, as where newer code has written an item of it. */
async function goingOn(
  { merchant, endpointId }: LaneName,
  { log }: LinesRoundPorts,
  work: () => Promise<void>,
): Promise<void> {
  await work().catch((error: unknown) => {
    log.write('warn', 'line-failed', { merchant, endpointId, ...errorFields(error) });
  });
}

/** A line whose drain was lost, or rested until a person decided; `isFound`: rows of it were seen. */
async function beginLapsed(
  lane: LaneName,
  { waiting, lanes, controls }: LinesRoundPorts,
  isFound = false,
): Promise<void> {
  const { atMs, right } = await waiting.rights.read(lane);
  if (right ? isLive(right, atMs) || (right.isOver && !isFound) : !isFound) return;
  const { state } = await lanes.read(lane);
  const decision = state && laneDecision(state, atMs);
  if (decision?.kind === 'wait' && decision.untilMs === undefined) return;
  if (right && rests(right) && (await controls.of(lane.merchant)).paused) return;
  await waiting.lines.send([lineMessage(lane, right, 0)]);
}

/** True where the index shows anybody in the line. */
async function hasRows(lane: LaneName, { waiting: { rows } }: LinesRoundPorts): Promise<boolean> {
  const shards = lineClasses.flatMap((of) => shardsOf(lane, of));
  return (await Promise.all(shards.map((shard) => rows.heads(shard, undefined, 1)))).flat().length > 0;
}

/** One more than few, where there are more. */
async function firstOf(rows: AsyncIterable<RowHead>): Promise<readonly RowHead[]> {
  const first: RowHead[] = [];
  for await (const head of rows) {
    first.push(head);
    if (first.length > fewRows) break;
  }
  return first;
}

interface Walk {
  readonly deadlineMs: number;
  /** The rows that were found over, and when submit got them. */
  readonly reported: ReadonlyMap<string, number>;
}

/** Goes over all rows, or a part of them; answers with those that are over, and when submit got them, and with the lanes of all. */
async function walk(
  heads: AsyncIterable<RowHead> | readonly RowHead[],
  { deadlineMs, reported }: Walk,
  ports: LinesRoundPorts,
): Promise<{ readonly over: Walk['reported']; readonly lanes: readonly LaneName[] }> {
  const { waiting, clock } = ports;
  const over = new Map<string, number>();
  const toReport: RowPlace[] = [];
  const lines = new Map<string, LaneName>();
  for await (const some of inChunks(heads)) {
    if (clock.nowMs() >= deadlineMs || toReport.length >= reportedAtMost) break;
    for (const { lane } of some) lines.set(nameOfLane(lane), lane);
    const areOver = await Promise.all(some.map((head) => isOver(head, ports)));
    for (const { key, slot } of some.filter((_, at) => areOver[at])) {
      const reportedAtMs = reported.get(`${key}#${slot}`) ?? -Infinity;
      const isReported = clock.nowMs() - reportedAtMs < hourMs;
      if (!isReported) toReport.push({ key, slot });
      over.set(`${key}#${slot}`, isReported ? reportedAtMs : clock.nowMs());
    }
  }
  const messages: LineMessage[] = [];
  for (let at = 0; at < toReport.length; at += rowsAtOnce)
    messages.push({
      message: { kind: 'rows', rows: toReport.slice(at, at + rowsAtOnce) },
      delaySeconds: Math.floor(at / rowsASecond),
    });
  for (let at = 0; at < messages.length; at += sqsBatchSize)
    await waiting.lines.send(messages.slice(at, at + sqsBatchSize));
  const lanes = [...lines.values()];
  await eachConcurrently(lanes, lanesAtOnce, async (lane) => {
    if (clock.nowMs() < deadlineMs) await goingOn(lane, ports, () => beginLapsed(lane, ports, true));
  });
  return { over, lanes };
}

/** The heads, as many at once as lanes are looked at. */
async function* inChunks(heads: AsyncIterable<RowHead> | readonly RowHead[]): AsyncGenerator<readonly RowHead[]> {
  let some: RowHead[] = [];
  for await (const head of heads) {
    some.push(head);
    if (some.length < lanesAtOnce) continue;
    yield some;
    some = [];
  }
  if (some.length > 0) yield some;
}
