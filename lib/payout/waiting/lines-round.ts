// The sweeper's part of the table `waiting`: each minute it begins lines anew whose drain has lapsed, every five minutes
// those that have ended although rows are in them. Once an hour it goes over the whole index for rows that are over
// (expired, their batch called off, waited for as long as any may), which submit ends, and for lines that no register names;
// each minute where few wait.
import type { Controls } from '../operate/control.ts';
import type { SweepRound } from '../inquire/due-work.ts';
import { type LaneName, type Lanes, laneDecision, nameOfLane } from '../lanes/lane.ts';
import { sqsBatchSize } from '../limits.ts';
import { errorFields } from '../log-fields.ts';
import type { Clock, Log, MetricValues } from '../ports.ts';
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
export function linesRound(ports: LinesRoundPorts): SweepRound {
  const { clock } = ports;
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
      let unreadable = 0;
      for (const { right, ...lane } of await rights.all()) {
        if (clock.nowMs() >= deadlineMs) return {};
        if (right === 'unreadable') unreadable += 1;
        // One whose first message got lost has no right yet.
        const mayHaveEnded = right !== 'unreadable' && (right?.isOver ?? true);
        await goingOn(lane, ports, async () =>
          beginLapsed(lane, ports, mayHaveEnded && looksIntoEnded && (await hasRows(lane, ports))),
        );
      }
      const few = await firstOf(ports.waiting.rows.all());
      if (few.length <= fewRows) reported = await walk(few, { deadlineMs, reported }, ports);
      else await walk(ports.waiting.rows.all({ part, of: walkedParts }), { deadlineMs, reported }, ports);
      return { ...(unreadable > 0 && { unreadable }) };
    },
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

/** Goes over all rows, or a part of them; answers with those that are over, and when submit got them. */
async function walk(
  heads: AsyncIterable<RowHead> | readonly RowHead[],
  { deadlineMs, reported }: Walk,
  ports: LinesRoundPorts,
): Promise<Walk['reported']> {
  const { waiting, clock } = ports;
  const over = new Map<string, number>();
  const toReport: RowPlace[] = [];
  const lines = new Map<string, LaneName>();
  for await (const head of heads) {
    if (clock.nowMs() >= deadlineMs || toReport.length >= reportedAtMost) break;
    lines.set(nameOfLane(head.lane), head.lane);
    if (!(await isOver(head, ports))) continue;
    const { key, slot } = head;
    const reportedAtMs = reported.get(`${key}#${slot}`) ?? -Infinity;
    const isReported = clock.nowMs() - reportedAtMs < hourMs;
    if (!isReported) toReport.push({ key, slot });
    over.set(`${key}#${slot}`, isReported ? reportedAtMs : clock.nowMs());
  }
  const messages: LineMessage[] = [];
  for (let at = 0; at < toReport.length; at += rowsAtOnce)
    messages.push({
      message: { kind: 'rows', rows: toReport.slice(at, at + rowsAtOnce) },
      delaySeconds: Math.floor(at / rowsASecond),
    });
  for (let at = 0; at < messages.length; at += sqsBatchSize)
    await waiting.lines.send(messages.slice(at, at + sqsBatchSize));
  for (const lane of lines.values()) {
    if (clock.nowMs() >= deadlineMs) break;
    await goingOn(lane, ports, () => beginLapsed(lane, ports, true));
  }
  return over;
}
