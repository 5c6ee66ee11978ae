// "Not paid" by two persons. For a merchant whose money two persons release, the decision that an attempt moved none opens a second
// payment as much as an approval does: so it bears the MAC of an approver, over the order, what the ledger knew of each attempt, the
// decider, the approver, and the expiry. It is no use for another order, for another person, or once a sign of life has come.
import { hash } from 'node:crypto';
import type { Decision, DecisionApproval } from '../payout/order/facts.ts';
import type { JudgedDecision, SecondPerson } from '../payout/operate/decide.ts';
import { isNameless, namelessOf } from '../payout/operate/erase.ts';
import type { ApprovalCheck } from './approval.ts';
import { maybeOnePerson } from './approval-proof.ts';
import {
  type ApprovalMade,
  approveSharedDecision,
  holdsAt,
  judgeSharedApproval,
  type ApprovingPorts,
  type JudgingPorts,
} from './shared-decision.ts';
import { findSafeguards, type StoredRecords } from './safeguards.ts';

/** The evidence that the decider saw. */
type Seen = Pick<Decision, 'saw'>;

/** The text under the approver's MAC. The evidence is in it by its digest: of an order of many attempts it is longer than KMS takes. */
export function decisionText(key: string, its: Seen, approval: Omit<DecisionApproval, 'mac'>): string {
  const saw = Object.entries(its.saw).toSorted(([a], [b]) => (a < b ? -1 : 1));
  const { decider, approver, untilMs } = approval;
  const seen = JSON.stringify(saw);
  return JSON.stringify([
    'not paid, as two persons say',
    1,
    key,
    hash('sha256', seen, 'base64url'),
    namelessOf(decider),
    namelessOf(approver),
    untilMs,
  ]);
}

/** True where an approver's MAC is over this very decision, whatever its place. Rejects if that can't be checked now. */
export async function isApprovedBy(key: string, decision: Decision, macs: ApprovalCheck): Promise<boolean> {
  const { approval, atMs } = decision;
  if (!approval || !holdsAt(approval, atMs) || isOnePerson(decision, approval)) return false;
  return macs.isMacOf(decisionText(key, decision, approval), approval.mac);
}

/** Persons whose names were erased were judged while they were known; a digest beside a name was written by hand. */
function isOnePerson(decision: Decision, { decider, approver }: DecisionApproval): boolean {
  if (isNameless(decision)) return decider === approver;
  return [decider, approver].some((it) => namelessOf(it) === it) || maybeOnePerson(decider, approver);
}

/** Approves the decision of `decider` (an ARN), as the caller. Rejects for a caller who may not approve. */
export const approveDecision = (
  key: string,
  its: Seen,
  decider: string,
  approving: ApprovingPorts,
): Promise<ApprovalMade> => approveSharedDecision((approval) => decisionText(key, its, approval), decider, approving);

/** The ports of judging. */
interface SecondPersonSources extends JudgingPorts {
  readonly store: StoredRecords;
}

/** The second person by the merchant's safeguards; a merchant without valid ones demands two. */
export function createSecondPerson({ store, ...judging }: SecondPersonSources): SecondPerson {
  return {
    async demandedBy(merchant) {
      const found = await findSafeguards(merchant, { store, macs: judging.macs });
      return found.kind !== 'hold' || found.change.twoPersonRelease;
    },
    async judge(key, decision, token): Promise<JudgedDecision> {
      const judged = await judgeSharedApproval((approval) => decisionText(key, decision, approval), token, judging);
      return judged.kind === 'needs-approver' ? { ...judged, key } : judged;
    },
  };
}
