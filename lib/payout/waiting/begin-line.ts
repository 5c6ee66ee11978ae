// A new row, or a lane that opens, has its line's message sent at once; unless the line's drain looks anyway by the time
// from which the row may go. The sweeper finds a line within a minute whose message was not sent. A row that came behind
// what its line has taken already (by another clock, or as it was taken and its lane closed) goes before it, or nobody would
// look at it for minutes.
import { errorFields } from '../log-fields.ts';
import { type LaneName, nameOfLane } from '../lanes/lane.ts';
import type { Clock, Log } from '../ports.ts';
import { type DrainRead, type DrainRight, isLive, rests } from './drain-right.ts';
import type { Waiting } from './keep-waiting.ts';
import { lineMessage } from './lines-queue.ts';
import type { JoinedRow } from './waiting-row.ts';
import type { WaitName } from './waits.ts';

/** The ports of beginning a line. */
interface BeginPorts {
  readonly waiting: Pick<Waiting, 'rights' | 'lines'>;
  readonly clock: Pick<Clock, 'nowMs'>;
  readonly log: Log;
}

/** The ports of joining a line. */
interface JoinPorts extends BeginPorts {
  readonly waiting: Pick<Waiting, 'rights' | 'lines' | 'rows'>;
}

/** A look of the line's drain that is nearer than this is soon enough. */
const soonMs = 2_500;

/** A look is over after so long, and an index shows a row. */
const [endsInMs, shownMs] = [5_000, 15_000];
/** The next look is one from the head. */
const mayEndAt = (nextAtMs: number, { againAtMs }: DrainRight) =>
  againAtMs !== undefined && againAtMs <= nextAtMs + 1_000;

/** Sends the message of a line whose lane was opened, or that is to be looked at before its next look. */
export function beginLine(lane: LaneName, ports: BeginPorts, inMs = 0): Promise<void> {
  return safely(lane, ports, async () => {
    const { right } = await ports.waiting.rights.read(lane);
    await send(lane, right, inMs, ports);
  });
}

/** The lines that one invocation's rows have joined. */
export function createJoining(ports: JoinPorts) {
  const lines = new Map<string, JoinedRow[]>();
  return {
    joined(row: JoinedRow): void {
      const name = nameOfLane(row.lane);
      const line = lines.get(name);
      if (line) line.push(row);
      else lines.set(name, [row]);
    },
    /** Resolves when their messages are sent. */
    async sent(): Promise<void> {
      await Promise.all([...lines.values()].map((line) => sendFor(line, ports)));
    },
  };
}

async function sendFor(line: readonly JoinedRow[], ports: JoinPorts): Promise<void> {
  const [first] = line;
  if (!first) return;
  const { merchant, endpointId } = first.lane;
  const lane = { merchant, endpointId };
  await safely(lane, ports, async () => {
    const read = await ports.waiting.rights.read(lane);
    const { right, atMs } = read;
    // A person begins it.
    if (right && rests(right)) return;
    const isDrained = right !== undefined && isLive(right, atMs);
    if (isDrained) await Promise.allSettled(line.map((row) => goBefore(row, right, read, ports)));
    // A closed lane opens at its own time, and its drain with it.
    const wanting = isDrained ? line.filter(({ because }) => !waitsForLane.has(because)) : line;
    if (wanting.length === 0) return;
    const goInMs = Math.max(Math.min(...wanting.map(({ goAtMs }) => goAtMs)) - ports.clock.nowMs(), 0);
    if (!isDrained || right.nextAtMs > atMs + goInMs + soonMs) return send(lane, right, goInMs, ports);
    // That look may end the line before the index shows these rows: then they begin it anew.
    const afterItMs = Math.max(right.nextAtMs - atMs, 0) + endsInMs;
    if (mayEndAt(right.nextAtMs, right) && afterItMs < shownMs)
      await send(lane, right, Math.max(goInMs, afterItMs), ports);
  });
}

const waitsForLane: ReadonlySet<WaitName> = new Set(['lane-closed', 'lane-paused']);

/**
 * A row behind the cursor is moved before it. Where the drain looks at any moment, the index would show it there too late, so it
 * is the last of the rows that wait now; else it is the next.
 */
async function goBefore(
  { class: of, shard, key, nonce, goAtMs, because }: JoinedRow,
  { cursors, nextAtMs }: DrainRight,
  { atMs }: DrainRead,
  { waiting: { rows }, clock }: JoinPorts,
): Promise<void> {
  const cursor = cursors[of][shard];
  if (!cursor || goAtMs > cursor.goAtMs) return;
  const row = (await rows.ofOrder(key)).find((it) => it.nonce === nonce);
  const nextMs = cursor.goAtMs + 1;
  if (row)
    await rows.move(row, { goAtMs: nextAtMs > atMs + soonMs ? nextMs : Math.max(clock.nowMs(), nextMs), because });
}

async function send(
  lane: LaneName,
  right: DrainRight | undefined,
  inMs: number,
  { waiting, log }: BeginPorts,
): Promise<void> {
  const { merchant, endpointId } = lane;
  const notTaken = await waiting.lines.send([lineMessage(lane, right, inMs)]);
  if (notTaken.size > 0) log.write('warn', 'line-failed', { merchant, endpointId });
}

/** The sweeper finds what fails here. */
async function safely(
  { merchant, endpointId }: LaneName,
  { log }: BeginPorts,
  work: () => Promise<void>,
): Promise<void> {
  await work().catch((error: unknown) => {
    log.write('warn', 'line-failed', { merchant, endpointId, ...errorFields(error) });
  });
}
