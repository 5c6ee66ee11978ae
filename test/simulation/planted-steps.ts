// The shape of a planted bug, the replacement of a step of the worker, and the bugs that take more than a line.
import type { Gateway } from '../../lib/gateway/ports.ts';
import type { Sabotage } from './sabotage.ts';

/** One bug. */
export interface PlantedBug {
  readonly name: string;
  /**
   * The walk that finds it: cuts of one job, cuts on its way to settlement, random worlds (other faults), worlds of a lane,
   * or worlds whose ledger was restored. A bug that was made mechanically may be found by any, or by none;
   * bugs-run.ts shows which.
   */
  readonly foundBy: 'cuts' | 'paths' | 'seeds' | 'lanes' | 'restores' | 'any walk';
  /** The prover's message when it finds the bug: it must be found for its harm to money and messages. */
  readonly breaks: RegExp;
  /** So rare that a short hunt may miss it: only the long proof must find it. */
  readonly isSeldom?: true;
  readonly steps?: readonly StepReplacement[];
  readonly sabotage?: Sabotage;
  /** The guard that hides it when it is alone: that is planted together with it beside it. */
  readonly guardedBy?: string;
}

/** Some exports of one module, replaced for the length of a test. */
interface StepReplacement {
  /** The path from this folder. */
  readonly module: string;
  readonly replace: (honest: never) => object;
}

/** Replaces some exports of a module, given its honest ones. */
export function step<Module>(module: string, replace: (honest: Module) => object): StepReplacement {
  return { module, replace };
}

/** A transport that means well: where no answer came, it sends the request once more. */
export function retransmitted(gateway: Gateway): Gateway['post'] {
  return async (request) => {
    const evidence = await gateway.post(request);
    return evidence.kind === 'no-answer' ? gateway.post(request) : evidence;
  };
}
