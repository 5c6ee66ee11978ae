// Evidence to outcome (DESIGN 4.2). `declined` and `not-processed` are said only when it is proven that no money moved by
// this attempt.
import { attemptViewOf, type SentOrder } from './attempt-view.ts';
import type { Evidence } from './evidence.ts';
import type { GatewayOutcome } from './gateway-outcome.ts';
import { noRowFits, outcomeTable } from './outcome-table.ts';
import type { Profile } from './profile.ts';

/** Judges one attempt. Doubt about an operation that moves no money is a kind of its own. */
export function judge(evidence: Evidence, order: SentOrder, profile: Profile): GatewayOutcome {
  const it = attemptViewOf(evidence, order, profile);
  const row = outcomeTable.find((candidate) => candidate.fits(it));
  const outcome = row ? row.outcome(it) : noRowFits(it);
  if (outcome.kind !== 'in-doubt' || it.operation.movesMoney) return outcome;
  return { kind: 'check-unanswered', failure: { ...outcome.failure, code: 'CHECK_UNANSWERED' } };
}
