// The one error of the tool's own.
import { faultOfNames } from '../payout/message/job.ts';

/** A command line or input that can't be followed; `message` names what to correct. Exit code 2. */
export class UsageError extends Error {}

/** Throws UsageError for names that no job could have. */
export function checkNames(names: Parameters<typeof faultOfNames>[0]): void {
  const fault = faultOfNames(names);
  if (fault !== undefined) throw new UsageError(fault);
}
