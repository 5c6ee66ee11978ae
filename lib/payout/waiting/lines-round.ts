// The sweeper's part of what waits: each minute it begins lines anew whose drain has lapsed, and once an hour it goes over the whole index for
// rows that are over (expired, their batch called off, waited for as long as any may), which submit ends, and for lines that no
// register names.
import type { Controls } from '../operate/control.ts';
import type { SweepRound } from '../inquire/due-work.ts';
import { type LaneName, type Lanes, laneStanding } from '../lane.ts';
import { longestWaitDays, sqsBatchSize } from '../limits.ts';
import type { Clock, MetricValues } from '../ports.ts';
import { isLive, rests } from './drain-right.ts';
import type { Waiting } from './keep-waiting.ts';
import type { LineMessage } from './lines-queue.ts';
import type { RowHead, RowPlace } from './waiting-row.ts';

/** What it needs. */
export interface LinesRoundPorts {
  readonly waiting: Pick<Waiting, 'rows' | 'rights' | 'lines'>;
  readonly lanes: Pick<Lanes, 'read'>;
  readonly controls: Controls;
  readonly clock: Pick<Clock, 'nowMs'>;
}

const hourMs = 3_600_000;
/** Rows of one message: one invocation ends them. */
const rowsAtOnce = 20;

/** The round. What it remembers from sweep to sweep is when it went over the index; a new process does so at once. */
export function linesRound(ports: LinesRoundPorts): SweepRound {
  let walkedAtMs = -Infinity;
  return {
    name: 'lines',
    async run(deadlineMs): Promise<MetricValues['values']> {
      const { rights } = ports.waiting;
      for (const { right: _, ...lane } of await rights.all()) {
        if (ports.clock.nowMs() >= deadlineMs) return {};
        await beginLapsed(lane, ports);
      }
      if (ports.clock.nowMs() - walkedAtMs < hourMs) return {};
      if (await walk(deadlineMs, ports)) walkedAtMs = ports.clock.nowMs();
      return {};
    },
  };
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
  const { merchant, endpointId } = lane;
  const message = { kind: 'line', lane: { merchant, endpointId }, number: right?.number ?? 0 } as const;
  await waiting.lines.send([{ message, delaySeconds: 0 }]);
}

/** Goes over everything that waits; false where the time was too short. */
async function walk(deadlineMs: number, ports: LinesRoundPorts): Promise<boolean> {
  const { waiting, clock } = ports;
  const over: RowPlace[] = [];
  const lines = new Map<string, LaneName>();
  let isWhole = true;
  for await (const head of waiting.rows.all()) {
    isWhole = clock.nowMs() < deadlineMs;
    if (!isWhole) break;
    lines.set(`${head.lane.merchant}/${head.lane.endpointId}`, head.lane);
    if (await isOver(head, ports)) over.push({ key: head.key, slot: head.slot });
  }
  const messages: LineMessage[] = [];
  for (let at = 0; at < over.length; at += rowsAtOnce)
    messages.push({ message: { kind: 'rows', rows: over.slice(at, at + rowsAtOnce) }, delaySeconds: 0 });
  for (let at = 0; at < messages.length; at += sqsBatchSize)
    await waiting.lines.send(messages.slice(at, at + sqsBatchSize));
  for (const lane of lines.values()) await beginLapsed(lane, ports, true);
  return isWhole;
}

async function isOver(
  { lane, batchId, expiresAtMs = Infinity, sinceMs }: RowHead,
  { controls, clock }: LinesRoundPorts,
): Promise<boolean> {
  const nowMs = clock.nowMs();
  if (nowMs >= expiresAtMs || nowMs - sinceMs >= longestWaitDays * 24 * hourMs) return true;
  return batchId !== undefined && (await controls.of(lane.merchant, batchId)).batchCancelled;
}
