// What a rule of the doctor is.
import type { WorkerStack } from './worker-stack.ts';

/** What is wrong, and where. */
export interface StackFinding {
  /** Logical id, with the property where there is one: `JobsQueue.VisibilityTimeout`. */
  readonly where: string;
  /** What stands there and what should: "is 30, should be at least 721". */
  readonly fault: string;
}

/** One relation that must hold in a stack. */
export interface Rule {
  readonly name: string;
  /** What happens to money, answers or secrets where it does not hold; ends a sentence that begins with the fault. */
  readonly danger: string;
  readonly check: (worker: WorkerStack) => readonly StackFinding[];
}

/** One finding, or none. */
export function unless(holds: boolean, where: string, fault: string): readonly StackFinding[] {
  return holds ? [] : [{ where, fault }];
}
