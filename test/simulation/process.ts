// A worker process in the world: it asks for effects and hears answers. At every boundary between the two it may
// die (nothing of it is ever heard again) or freeze (it hears the answer long after, as if no time had passed).
import { createTableClock } from '../../lib/aws/table-clock.ts';
import type { Story } from './story.ts';
import type { Timeline } from './timeline.ts';
import type { Boundary, Effect, Weather } from './weather.ts';

/** The world's reply to an effect: the answer, and how long until the process hears it (default: the weather's). */
export interface Reply<T> {
  readonly answer: Promise<T>;
  readonly afterMs?: number;
}

/** The version of a process's code: older code can't read newer code's own layout. */
export type CodeVersion = 'older' | 'newer';

/** A process, as its ports see it. */
export interface Process {
  readonly name: string;
  readonly version: CodeVersion;
  isAlive(): boolean;
  /** Runs its own code as soon as it is not frozen; never, when it is dead. */
  whenAwake(run: () => void): void;
  /** Its own clock, which may be wrong until a table's answers have corrected it. */
  nowMs(): number;
  /** Asks a table, whose answer bears its Date. */
  askTable<T>(effect: Effect, order: string, perform: () => Reply<T>): Promise<T>;
  /** Asks the world for something. Never resolves when the process does not live to hear it. */
  effect<T>(effect: Effect, order: string, perform: () => Reply<T>): Promise<T>;
  /** Like `effect`, but nothing can come between the call and its leaving: it is sent in the same turn. */
  effectAtOnce<T>(effect: Effect, order: string, perform: () => Reply<T>): Promise<T>;
  sleep(ms: number): Promise<void>;
  die(why: string): void;
  newId(): string;
  /** The time when the invocation under way began; of several at once, the first. */
  begunAtMs(): number;
  /** Marks the begin and the end of an invocation: its claims in between are lost with it. */
  begins(): void;
  ends(): void;
}

/** The surroundings of a process. */
export interface Surroundings {
  readonly timeline: Timeline;
  readonly weather: () => Weather;
  readonly story: Story;
  /** Code of a process runs in this turn. */
  readonly onTurn: () => void;
  /** Ids of the claims that die with a process in the middle of an invocation. */
  readonly onDeath: (idsAtRisk: ReadonlySet<string>) => void;
}

/** A process that has just started. */
export function createProcess(
  { name, version, skewMs }: { readonly name: string; readonly version: CodeVersion; readonly skewMs: number },
  { timeline, weather, story, onTurn, onDeath }: Surroundings,
): Process {
  const machineMs = () => timeline.nowMs() + skewMs;
  const clock = createTableClock({ nowMs: machineMs, uptimeMs: machineMs, sleep: async () => {} });
  let alive = true;
  let frozenUntilMs = 0;
  let ids = 0;
  let invocations = 0;
  let begunAtMs = 0;
  const idsAtRisk = new Set<string>();

  function die(why: string): void {
    alive = false;
    story.tell(name, '', () => `DIES ${why}`);
    onDeath(new Set(idsAtRisk));
  }

  /** The weather's cut of the process here; true when it lives. */
  function passes(boundary: Boundary, order: string): boolean {
    const cut = weather().cut(boundary);
    if (!cut) return true;
    const where = `${boundary.when === 'before' ? 'before' : 'before it hears of'} ${boundary.effect}`;
    if (cut.kind === 'freezes') {
      frozenUntilMs = timeline.nowMs() + cut.ms;
      story.tell(name, order, () => `FREEZES for ${cut.ms / 1000} s ${where}`);
      return true;
    }
    die(`${where}${order && ` of ${order}`}`);
    return false;
  }

  const isFrozen = () => timeline.nowMs() < frozenUntilMs;

  function whenAwake(run: () => void): void {
    if (!alive) return;
    if (isFrozen()) return timeline.at(frozenUntilMs, () => whenAwake(run));
    onTurn();
    run();
  }

  function ask<T>(
    effect: Effect,
    order: string,
    perform: () => Reply<T>,
    resolve: (answer: T) => void,
    reject: (error: unknown) => void,
  ): void {
    const { answer, afterMs = weather().latencyMs(effect) } = perform();
    // Settled long before it is heard, if any process lives to hear it.
    let hear = () => {};
    answer.then(
      (value) => {
        hear = () => resolve(value);
      },
      (error) => {
        hear = () => reject(error);
      },
    );
    timeline.after(afterMs, () =>
      whenAwake(() => {
        if (passes({ when: 'after', effect, order, process: name }, order)) whenAwake(hear);
      }),
    );
  }

  const effectOf: Process['effect'] = (effect, order, perform) =>
    new Promise((resolve, reject) => {
      if (!alive || !passes({ when: 'before', effect, order, process: name }, order)) return;
      whenAwake(() => ask(effect, order, perform, resolve, reject));
    });

  return {
    name,
    version,
    isAlive: () => alive,
    whenAwake,
    nowMs: clock.nowMs,
    async askTable(effect, order, perform) {
      const sentMs = machineMs();
      let dateMs = 0;
      const answer = await effectOf(effect, order, () => {
        dateMs = Math.floor(timeline.nowMs() / 1_000) * 1_000;
        return perform();
      });
      clock.saw(sentMs, machineMs(), dateMs);
      return answer;
    },
    effect: effectOf,
    effectAtOnce: (effect, order, perform) =>
      new Promise((resolve, reject) => {
        if (alive) ask(effect, order, perform, resolve, reject);
      }),
    // A clock shows whole milliseconds, as the ledger writes them; the pace asks for slots between two of them.
    sleep: (ms) => new Promise((resolve) => timeline.after(Math.ceil(ms), () => whenAwake(resolve))),
    die: (why) => {
      if (alive) die(why);
    },
    newId() {
      const id = `${name}_${(ids += 1)}`;
      idsAtRisk.add(id);
      return id;
    },
    begunAtMs: () => begunAtMs,
    begins() {
      if (invocations === 0) begunAtMs = timeline.nowMs();
      invocations += 1;
    },
    ends() {
      invocations -= 1;
      if (invocations === 0) idsAtRisk.clear();
    },
  };
}
