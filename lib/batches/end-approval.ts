// The end of a restore's gap by two persons. It declares that every order of the gap is known, so that an order that the ledger lacks is
// sent as new: where two persons release the money of any merchant, one person alone may not declare that.
import type { SecondPerson } from '../payout/operate/decide.ts';
import type { DecisionText } from './shared-decision.ts';

/** The text under the approver's MAC: this table, and this restore of it. */
export const endText =
  (table: string, restoredAtMs: number): DecisionText =>
  ({ decider, approver, untilMs }) =>
    JSON.stringify(['restore ended, as two persons say', 1, table, restoredAtMs, decider, approver, untilMs]);

/** The first of these merchants that demands two persons; undefined where none does. */
export async function firstDemandingTwo(
  merchants: readonly string[],
  { demandedBy }: Pick<SecondPerson, 'demandedBy'>,
): Promise<string | undefined> {
  for (const merchant of merchants) if (await demandedBy(merchant)) return merchant;
  return undefined;
}
