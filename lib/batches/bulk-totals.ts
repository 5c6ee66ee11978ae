// What a file asks for, added up exactly: for the person who is asked whether to send it, and for the batch's controls.
import type { Job } from '../payout/job.ts';
import type { OperationName } from '../gateway/operations.ts';

/** Rows of one merchant, operation and currency. */
export interface Subtotal {
  readonly merchant: string;
  readonly operation: OperationName;
  /** Absent for checks, which move no money. */
  readonly currency?: string;
  readonly count: number;
  readonly minorUnits: bigint;
}

/** Sums, one for each merchant, operation and currency. */
export interface Subtotals {
  add(job: Job): void;
  /** By merchant, operation and currency, in the order of their names. */
  all(): Subtotal[];
}

/** Empty sums. */
export function createSubtotals(): Subtotals {
  const sums = new Map<string, { first: Job; count: number; minorUnits: bigint }>();
  return {
    add(job) {
      const name = `${job.merchant} ${job.operation} ${job.money?.currency ?? ''}`;
      const sum = sums.get(name) ?? { first: job, count: 0, minorUnits: 0n };
      sum.count += 1;
      sum.minorUnits += job.money?.minorUnits ?? 0n;
      sums.set(name, sum);
    },
    all: () =>
      [...sums]
        .toSorted(([a], [b]) => (a < b ? -1 : 1))
        .map(([, { first, count, minorUnits }]) => ({
          merchant: first.merchant,
          operation: first.operation,
          ...(first.money && { currency: first.money.currency }),
          count,
          minorUnits,
        })),
  };
}
