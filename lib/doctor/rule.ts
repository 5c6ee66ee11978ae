// The shape of a rule of the doctor.
import type { WorkerStack } from './worker-stack.ts';

/** A fault and its place. */
export interface StackFinding {
  /** Logical id, with the property where there is one: `JobsQueue.VisibilityTimeout`. */
  readonly where: string;
  /** The present value and the right one: "is 30, should be at least 721". */
  readonly fault: string;
}

/** One relation that must hold in a stack. */
export interface Rule {
  readonly name: string;
  /** The danger to money, answers or secrets where it does not hold; ends a sentence that begins with the fault. */
  readonly danger: string;
  readonly check: (worker: WorkerStack) => readonly StackFinding[];
}

/** One finding, or none. */
export function unless(holds: boolean, where: string, fault: string): readonly StackFinding[] {
  return holds ? [] : [{ where, fault }];
}
