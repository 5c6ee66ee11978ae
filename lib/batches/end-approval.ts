// The end of a restore's gap by two persons. It says that every order of the gap is known, so that what the ledger does not hold is sent
// as new: where money of any merchant is released by two, one person alone may not say that.
import type { SecondPerson } from '../payout/operate/decide.ts';
import type { WordText } from './approved-word.ts';

/** What the approver's MAC is over: this table, and this restore of it. */
export const endText =
  (table: string, restoredAtMs: number): WordText =>
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
