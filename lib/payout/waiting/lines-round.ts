// The sweeper's part of what waits: each minute it begins lines anew whose drain has lapsed, every five minutes those that have ended
// although somebody stands in them, and by and by it goes over the whole index for rows that are over (expired, their batch called off,
// waited for as long as any may), which submit ends, and for lines that no register names: the fewer wait, the sooner, so that looking
// costs little beside keeping.
import type { Controls } from '../operate/control.ts';
import type { SweepRound } from '../inquire/due-work.ts';
import { type LaneName, type Lanes, laneStanding, nameOfLane } from '../lane.ts';
import { longestWaitDays, sqsBatchSize, sqsMaxDelaySeconds } from '../limits.ts';
import { errorFields } from '../log-fields.ts';
import type { Clock, Log, MetricValues } from '../ports.ts';
import { isLive, rests } from './drain-right.ts';
import type { Waiting } from './keep-waiting.ts';
import { type LineMessage, lineMessage } from './lines-queue.ts';
import { lineClasses, type RowHead, type RowPlace, shardsOf } from './waiting-row.ts';

/** What it needs. */
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
/** So many are gone over once an hour at least, and fewer as much sooner. */
const rowsAnHour = 100_000;
/** More are gone over twice a day, by the clock: a process that begins anew does not know when the last one did. */
const [halfDayMs, halfDayBeginsMs] = [12 * hourMs, 600_000];
/** Rows of one message: one invocation ends them. */
const rowsAtOnce = 20;
/** More at a time would keep the lines' own messages waiting behind them, until their rights lapse. */
const rowsASecond = 100;

/** The round. What it remembers from sweep to sweep is when it went over the index; a new process does so at once. */
export function linesRound(ports: LinesRoundPorts): SweepRound {
  const { clock } = ports;
  let dueAtMs = -Infinity;
  let wholeAtMs = -Infinity;
  /** Found over, and when submit was told: once an hour, however often it is found. */
  let told: ReadonlyMap<string, number> = new Map();
  return {
    name: 'lines',
    async run(deadlineMs): Promise<MetricValues['values']> {
      const { rights } = ports.waiting;
      const looksIntoEnded = clock.nowMs() % endedLookedAtMs < minuteMs;
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
      const found = { ...(unreadable > 0 && { unreadable }) };
      const nowMs = clock.nowMs();
      const isHalfDay = nowMs % halfDayMs < halfDayBeginsMs && nowMs - wholeAtMs >= halfDayBeginsMs;
      if (!isHalfDay && nowMs < dueAtMs) return found;
      const walked = await walk({ deadlineMs, atMost: isHalfDay ? Infinity : rowsAnHour, told }, ports);
      told = walked.told;
      if (walked.end === 'whole') wholeAtMs = nowMs;
      if (walked.end !== 'late')
        dueAtMs = nowMs + (walked.rows > rowsAnHour ? halfDayMs : (walked.rows * hourMs) / rowsAnHour);
      return found;
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

/** A line whose drain was lost, or rested until a person said something; `isFound`: rows of it were seen. */
async function beginLapsed(
  lane: LaneName,
  { waiting, lanes, controls }: LinesRoundPorts,
  isFound = false,
): Promise<void> {
  const { atMs, right } = await waiting.rights.read(lane);
  if (right ? isLive(right, atMs) || (right.isOver && !isFound) : !isFound) return;
  const { state } = await lanes.read(lane);
  const standing = state && laneStanding(state, atMs);
  if (standing?.kind === 'wait' && standing.untilMs === undefined) return;
  if (right && rests(right) && (await controls.of(lane.merchant)).paused) return;
  await waiting.lines.send([lineMessage(lane, right, 0)]);
}

/** True where the index shows anybody in the line. */
async function hasRows(lane: LaneName, { waiting: { rows } }: LinesRoundPorts): Promise<boolean> {
  const shards = lineClasses.flatMap((of) => shardsOf(lane, of));
  return (await Promise.all(shards.map((shard) => rows.heads(shard, undefined, 1)))).flat().length > 0;
}

interface Walk {
  readonly deadlineMs: number;
  readonly atMost: number;
  readonly told: ReadonlyMap<string, number>;
}

interface Walked {
  /** `many`: there are more than it was to go over. `late`: the time was too short. */
  readonly end: 'whole' | 'many' | 'late';
  readonly rows: number;
  readonly told: ReadonlyMap<string, number>;
}

/** Goes over what waits. */
async function walk({ deadlineMs, atMost, told }: Walk, ports: LinesRoundPorts): Promise<Walked> {
  const { waiting, clock } = ports;
  const over = new Map<string, number>();
  const toTell: RowPlace[] = [];
  const lines = new Map<string, LaneName>();
  let rows = 0;
  let end: Walked['end'] = 'whole';
  for await (const head of waiting.rows.all()) {
    if (rows > atMost) end = 'many';
    if (clock.nowMs() >= deadlineMs) end = 'late';
    if (end !== 'whole') break;
    rows += 1;
    lines.set(nameOfLane(head.lane), head.lane);
    if (!(await isOver(head, ports))) continue;
    const { key, slot } = head;
    const toldAtMs = told.get(`${key}#${slot}`) ?? -Infinity;
    const isTold = clock.nowMs() - toldAtMs < hourMs;
    if (!isTold) toTell.push({ key, slot });
    over.set(`${key}#${slot}`, isTold ? toldAtMs : clock.nowMs());
  }
  const messages: LineMessage[] = [];
  for (let at = 0; at < toTell.length; at += rowsAtOnce)
    messages.push({
      message: { kind: 'rows', rows: toTell.slice(at, at + rowsAtOnce) },
      delaySeconds: Math.min(Math.floor(at / rowsASecond), sqsMaxDelaySeconds),
    });
  for (let at = 0; at < messages.length; at += sqsBatchSize)
    await waiting.lines.send(messages.slice(at, at + sqsBatchSize));
  for (const lane of lines.values()) await goingOn(lane, ports, () => beginLapsed(lane, ports, true));
  return { end, rows, told: over };
}

async function isOver(
  { lane, batchId, expiresAtMs = Infinity, sinceMs }: RowHead,
  { controls, clock }: LinesRoundPorts,
): Promise<boolean> {
  const nowMs = clock.nowMs();
  if (nowMs >= expiresAtMs || nowMs - sinceMs >= longestWaitDays * 24 * hourMs) return true;
  return batchId !== undefined && (await controls.of(lane.merchant, batchId)).batchCancelled;
}
