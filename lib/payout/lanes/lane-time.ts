// THE LANES' TIME: one clock for all workers, whatever their own ones say. Each answer of the store bears the store's time, in
// whole seconds rounded down; since then as much has passed as this process has counted. So what a worker knows is a time
// that has come for certain: the latest such time of all its answers, which a few answers bring near to the truth.
import type { Clock } from '../ports.ts';

/** The lanes' time, as far as one worker knows it. */
export interface LaneTime {
  /** Ms of this process alone: counts by its monotonic or its wall clock, whichever says more, and never goes back. */
  tickMs(): number;
  /** Epoch ms by the store's clock, a second and the way of an answer behind at most; 0 before the first answer. */
  nowMs(): number;
  /** Takes in an answer that bears this time of the store. */
  heard(atMs: number): void;
}

/**
 * An answer that is so much older than the known time was slow, or this machine's clocks have run away. The answer is believed:
 * a worker that is behind waits, one that is ahead would take slots that are not its own yet.
 */
const believedMs = 3_000;

/** The lanes' time before any answer. */
export function createLaneTime({ nowMs, uptimeMs }: Pick<Clock, 'nowMs' | 'uptimeMs'>): LaneTime {
  let [wallMs, upMs, tickMs] = [nowMs(), uptimeMs(), 0];
  /** The store's time, before the ticks. */
  let baseMs: number | undefined;

  function tick(): number {
    const [wall, up] = [nowMs(), uptimeMs()];
    tickMs += Math.max(wall - wallMs, up - upMs, 0);
    [wallMs, upMs] = [wall, up];
    return tickMs;
  }

  return {
    tickMs: tick,
    nowMs: () => (baseMs === undefined ? 0 : baseMs + tick()),
    heard(atMs) {
      const newMs = atMs - tick();
      baseMs = baseMs === undefined || baseMs > newMs + believedMs ? newMs : Math.max(baseMs, newMs);
    },
  };
}
