// Virtual time: the coming events, ordered by (time, sequence). Nothing else in a simulated world knows the time.

/** The start of every world: 2026-11-21T10:00:00.000Z. */
export const beginningMs = Date.UTC(2026, 10, 21, 10);

/** The events to come. */
export interface Timeline {
  nowMs(): number;
  at(atMs: number, happens: () => void): void;
  after(delayMs: number, happens: () => void): void;
  /** Runs the next event; false when there is none left. */
  step(): boolean;
  /** Moves the clock on by itself, without an event. Only while nothing is to come. */
  skip(ms: number): void;
}

interface Event {
  readonly atMs: number;
  readonly sequence: number;
  readonly happens: () => void;
}

const isEarlier = (a: Event, b: Event) => a.atMs < b.atMs || (a.atMs === b.atMs && a.sequence < b.sequence);

/** An empty timeline, as a binary heap. */
export function createTimeline(): Timeline {
  const heap: Event[] = [];
  let nowMs = beginningMs;
  let sequence = 0;

  function at(atMs: number, happens: () => void): void {
    const event = { atMs: Math.max(atMs, nowMs), sequence: (sequence += 1), happens };
    let place = heap.length;
    heap.push(event);
    while (place > 0) {
      const parent = (place - 1) >> 1;
      const above = heap[parent];
      if (!above || isEarlier(above, event)) break;
      heap[place] = above;
      place = parent;
    }
    heap[place] = event;
  }

  function takeFirst(): Event | undefined {
    const first = heap[0];
    const last = heap.pop();
    if (!first || !last || first === last) return first;
    let place = 0;
    for (;;) {
      const [left, right] = [heap[2 * place + 1], heap[2 * place + 2]];
      const rightIsNext = left && right && isEarlier(right, left);
      const child = rightIsNext ? right : left;
      if (!child || isEarlier(last, child)) break;
      heap[place] = child;
      place = 2 * place + (rightIsNext ? 2 : 1);
    }
    heap[place] = last;
    return first;
  }

  return {
    nowMs: () => nowMs,
    at,
    after: (delayMs, happens) => at(nowMs + delayMs, happens),
    step() {
      const event = takeFirst();
      if (!event) return false;
      nowMs = event.atMs;
      event.happens();
      return true;
    },
    skip(ms) {
      if (heap.length > 0) throw new Error('time may be skipped only when nothing is to come');
      nowMs += ms;
    },
  };
}

/** A world that lives through the events. */
export interface Living {
  isOver(): boolean;
  /** Code runs on from the event that has just happened. */
  codeRuns(): boolean;
  /** Runs when all code has run as far as it can. */
  afterEach(): void;
  neverRests(): void;
}

/** More than any world of the walks needs, fourteen days behind a held order among them: something goes round for ever. */
const stepsAtMost = 3_000_000;
const aPromise = Promise.resolve();
/** A tick that a promise asks for comes when all have run as far as they can, and costs much less than a turn of the loop. */
const afterEveryPromise = (run: () => void): void => void aPromise.then(() => process.nextTick(run));

/** Runs events until nothing more will happen. */
export function runToRest(timeline: Timeline, { isOver, codeRuns, afterEach, neverRests }: Living): Promise<void> {
  return new Promise((resolve) => {
    let left = stepsAtMost;
    function goesOn(): void {
      if (left < stepsAtMost) afterEach();
      while (!isOver() && timeline.step()) {
        if ((left -= 1) === 0) neverRests();
        if (codeRuns()) return afterEveryPromise(goesOn);
        afterEach();
      }
      resolve();
    }
    afterEveryPromise(goesOn);
  });
}
