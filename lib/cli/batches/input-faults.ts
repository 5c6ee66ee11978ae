// Everything that is wrong with an input file, told together, each with its place.
import { UsageError } from '../usage-error.ts';

/** Collects faults of one file. */
export interface InputFaults {
  /** Throws as soon as there are so many that the file is of another kind. */
  add(fault: string): void;
  /** Throws UsageError if there was any. */
  end(): void;
}

const faultsAtMost = 10;

/** No faults yet. */
export function createInputFaults(path: string): InputFaults {
  const faults: string[] = [];
  function end(more = ''): void {
    if (faults.length > 0) throw new UsageError(`${path}:\n  ${faults.join('\n  ')}${more}`);
  }
  return {
    add(fault) {
      faults.push(fault);
      if (faults.length === faultsAtMost) end('\n  … and maybe more');
    },
    end: () => end(),
  };
}
