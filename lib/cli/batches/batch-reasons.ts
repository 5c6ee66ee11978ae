// Why rows of a batch are not paid, counted by reason as in the verdict of a local run.
import type { RowStanding } from '../../batches/batch-row.ts';
import type { Ending } from '../../local/accounts.ts';
import { countReasons, isOwnReason, type Reason } from '../../local/verdict.ts';

/** Counts standings of rows. */
export interface BatchReasons {
  add(standing: RowStanding): void;
  /** The most frequent first. */
  taken(): readonly Reason[];
}

/** Nothing is counted yet. */
export function createBatchReasons(): BatchReasons {
  const reasons = countReasons();
  return {
    add(standing) {
      const ending = endingOfRow(standing);
      const failure = (standing.kind === 'ended' ? standing.failure : undefined) ?? standing.entry?.failure;
      if (ending !== undefined && failure) reasons.add(ending, failure);
    },
    taken: () => reasons.taken(),
  };
}

function endingOfRow(standing: RowStanding): Ending | undefined {
  if (standing.kind === 'open') {
    if (standing.state === 'retryable') return 'waiting';
    return standing.state === 'in-doubt' ? 'in doubt' : undefined;
  }
  switch (standing.end) {
    case 'declined':
    case 'failed':
      return standing.end;
    case 'held':
      return standing.inDoubt ? 'in doubt' : 'waiting';
    case 'accepted':
    case 'approved':
    case 'cancelled':
      return undefined;
  }
}

/** True where a row is not paid for a reason that is not the order's own: somebody must do something. */
export const wantsSomebody = (reasons: readonly Reason[]): boolean =>
  reasons.some(({ ending, code }) => ending !== 'declined' || !isOwnReason(code));
