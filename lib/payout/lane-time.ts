// THE LANES' TIME: one clock for all workers, whatever their own ones say. Each answer of the store bears the store's time, in
// whole seconds rounded down; since then as much has passed as this process has counted. So what a worker knows is a time
// that has come for certain: the latest such time of all its answers, which a few answers bring near to the truth.
import type { Clock } from './ports.ts';

/** What one worker knows of the lanes' time. */
export interface LaneTime {
  /** Ms of this process alone: counts by its monotonic or its wall clock, whichever says more, and never goes back. */
  tickMs(): number;
  /** Epoch ms by the store's clock, a second and the way of an answer behind at most; 0 before the first answer. */
  nowMs(): number;
  /** An answer came that bears this time of the store. */
  heard(atMs: number): void;
}

/**
 * An answer so much older than what is known was slow, or this machine's clocks have run away. It is believed: who is
 * behind waits, who is ahead would take what is not his yet.
 */
const believedMs = 3_000;

/** Nothing heard yet. */
export function createLaneTime({ nowMs, uptimeMs }: Pick<Clock, 'nowMs' | 'uptimeMs'>): LaneTime {
  let [wallMs, upMs, tickMs] = [nowMs(), uptimeMs(), 0];
  /** Of the store's time, before the ticks. */
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
