// The input of a thread that hunts one planted bug, and its answer.

/** The bug, and how many worlds of how many jobs each kind of walk may take. */
export interface BugHunt {
  readonly name: string;
  readonly worlds: number;
  readonly jobs: number;
  /** The number of walks through the worlds, each by other seeds. */
  readonly bases: number;
  /** Random worlds for a bug that nothing else finds. */
  readonly most: number;
}

/** The name of no bug: the worker as it is must pass all that finds the bugs. */
export const nothingPlanted = '(nothing planted)';

/** Lives that were lived until random, and until guided worlds found it. */
export interface LivesLived {
  readonly uniform?: number;
  readonly guided?: number;
}

/** The walk that found it. */
export interface BugReport {
  /** The lives by base. */
  readonly lives: readonly LivesLived[];
  /** The walk that found it first: worlds, or another walk where they did not; and the lives of that walk until then. */
  readonly by?: string;
  readonly after?: number;
  /** The promise that it broke. */
  readonly fault?: string;
}
