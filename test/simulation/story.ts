// The story of a world, one line an event: time, process, event, order. Written only when somebody will read it.
import { beginningMs } from './timeline.ts';

/** The events so far. */
export interface Story {
  /** The text is made only when the story is kept. */
  tell(who: string, order: string, what: () => string): void;
  readonly lines: readonly string[];
}

/** A story that is kept, or one that is not read (which costs next to nothing). */
export function createStory(kept: boolean, nowMs: () => number): Story {
  const lines: string[] = [];
  return {
    lines,
    tell(who, order, what) {
      if (kept) lines.push(`${sinceBeginning(nowMs())}  ${who.padEnd(12)} ${order.padEnd(18)} ${what()}`);
    },
  };
}

/** Days, hours, minutes and seconds since the world began: "+2d 00:01:40.250". */
function sinceBeginning(nowMs: number): string {
  const passedMs = nowMs - beginningMs;
  const days = Math.floor(passedMs / 86_400_000);
  const time = new Date(passedMs % 86_400_000).toISOString().slice(11, 23);
  return `${days > 0 ? `+${days}d ` : '+'}${time}`;
}
