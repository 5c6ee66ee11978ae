// Whoever puts a row, or opens a lane, has its line's message sent at once; unless the line's drain looks anyway by the time from which
// the row may go. What is not sent, the sweeper finds within a minute.
import { errorFields } from '../log-fields.ts';
import type { LaneName } from '../lane.ts';
import { sqsMaxDelaySeconds } from '../limits.ts';
import type { Clock, Log } from '../ports.ts';
import { isLive } from './drain-right.ts';
import type { Waiting } from './keep-waiting.ts';
import { standsInLine, type WaitName } from './waits.ts';

/** What beginning a line needs. */
interface BeginPorts {
  readonly waiting: Pick<Waiting, 'rights' | 'lines'>;
  readonly clock: Pick<Clock, 'nowMs'>;
  readonly log: Log;
}

/** Why a line is to be drained, and from when on. */
export type Begin =
  /** A row is there. */
  | { readonly kind: 'row'; readonly goAtMs: number; readonly because: WaitName }
  /** Its lane was opened. */
  | { readonly kind: 'opened' };

/** A look of the line's drain that is nearer than this is soon enough. */
const soonMs = 2_500;

/** Sends the line's message where its drain would look too late. */
export async function beginLine(lane: LaneName, begin: Begin, { waiting, clock, log }: BeginPorts): Promise<void> {
  const { rights, lines } = waiting;
  try {
    const { atMs, right } = await rights.read(lane);
    const goInMs = begin.kind === 'row' ? Math.max(begin.goAtMs - clock.nowMs(), 0) : 0;
    if (right && isLive(right, atMs)) {
      // A closed lane opens at its own time, and its drain with it.
      const waitsForLane = begin.kind === 'row' && (begin.because === 'lane-closed' || begin.because === 'lane-paused');
      if (waitsForLane || right.nextAtMs <= atMs + goInMs + soonMs) return;
    }
    const { merchant, endpointId } = lane;
    const message = { kind: 'line', lane: { merchant, endpointId }, number: right?.number ?? 0 } as const;
    const delaySeconds = Math.min(Math.floor(goInMs / 1000), sqsMaxDelaySeconds);
    const notTaken = await lines.send([{ message, delaySeconds }]);
    if (notTaken.size > 0) log.write('warn', 'line-failed', { merchant, endpointId });
  } catch (error) {
    log.write('warn', 'line-failed', { merchant: lane.merchant, endpointId: lane.endpointId, ...errorFields(error) });
  }
}

/** The lines that one invocation's rows have joined. */
export function createJoining(ports: BeginPorts) {
  const joined = new Map<string, { readonly lane: LaneName; readonly begin: Begin & { kind: 'row' } }>();
  return {
    joined(lane: LaneName, goAtMs: number, because: WaitName): void {
      const name = `${lane.merchant}/${lane.endpointId}`;
      const first = joined.get(name)?.begin;
      // The first that may go, and rather one that is not the lane's own wait.
      const isSooner = !first || goAtMs < first.goAtMs || (standsInLine(first.because) && first.because !== 'pace');
      if (isSooner) joined.set(name, { lane, begin: { kind: 'row', goAtMs, because } });
    },
    /** Resolves when their messages are sent. */
    async told(): Promise<void> {
      await Promise.all([...joined.values()].map(({ lane, begin }) => beginLine(lane, begin, ports)));
    },
  };
}
