// "Not paid" by two persons. For a merchant whose money two persons release, the decision that an attempt moved none opens a second payment
// as much as an approval does. So it has the MAC of an approver, over the order and its revision, what the ledger knew of each attempt,
// both persons, and when it was approved. It is of no use for another order, for another person, or once the order has changed. The tool
// prints the command for the approver, the approver's tool prints one token, and the decider adds it to the command line. The token is no
// secret.
import { hash } from 'node:crypto';
import * as v from 'valibot';
import { approvalSchema } from '../payout/order/fact-schemas.ts';
import type { Decision, DecisionApproval } from '../payout/order/facts.ts';
import type { Order } from '../payout/order/order.ts';
import { clockSkewMs } from '../payout/order/time.ts';
import type { JudgedDecision, SecondPerson } from '../payout/operate/decide.ts';
import { isNameless, namelessOf } from '../payout/operate/erase.ts';
import type { Clock } from '../payout/ports.ts';
import type { ApprovalCheck, ApprovalMaker } from './approval.ts';
import { maybeOnePerson, personOf } from './approval-proof.ts';
import type { Identity } from './batch-ports.ts';
import { findSafeguards, type StoredRecords } from './safeguards.ts';

/** The evidence that the decider saw. */
type Seen = Pick<Decision, 'saw'>;

/**
 * The text under the approver's MAC. It holds a digest of the evidence, because the evidence of an order of many attempts is longer than
 * KMS takes.
 */
export function decisionText(key: string, { saw }: Seen, approval: Omit<DecisionApproval, 'mac'>): string {
  const { decider, approver, atMs, revision } = approval;
  const seen = JSON.stringify(Object.entries(saw).toSorted(([a], [b]) => (a < b ? -1 : 1)));
  return JSON.stringify({
    says: 'not paid, as two persons say',
    order: key,
    revision,
    saw: hash('sha256', seen, 'base64url'),
    decider: namelessOf(decider),
    approver: namelessOf(approver),
    atMs,
  });
}

/** How long an approval may be used: a working day and a night. */
const holdsMs = 24 * 3_600_000;

/** True if the approval can be used at that moment. No decision is older than its approval, whatever date is written into it. */
const holdsAt = (approval: DecisionApproval, nowMs: number): boolean =>
  nowMs >= approval.atMs - clockSkewMs && nowMs < approval.atMs + holdsMs;

/** True if an approver's MAC is over this very decision, whatever its place. Rejects if that can't be checked now. */
export async function isApprovedBy(key: string, decision: Decision, macs: ApprovalCheck): Promise<boolean> {
  const { approval, atMs } = decision;
  if (!approval || !holdsAt(approval, atMs) || isOnePerson(decision, approval)) return false;
  return macs.isMacOf(decisionText(key, decision, approval), approval.mac);
}

/**
 * True if these may be one person. Erased names were judged while they were known. A digest beside a name was written by hand, so it is
 * refused.
 */
function isOnePerson(decision: Decision, { decider, approver }: DecisionApproval): boolean {
  if (isNameless(decision)) return decider === approver;
  return [decider, approver].some((it) => namelessOf(it) === it) || maybeOnePerson(decider, approver);
}

/** The ports of approving. */
export interface ApprovingPorts {
  readonly maker: ApprovalMaker;
  readonly identity: Identity;
  readonly clock: Pick<Clock, 'nowMs'>;
}

/** The outcome of approving. */
export type ApprovalMade =
  | { readonly kind: 'approved'; readonly token: string; readonly untilMs: number }
  /** By their names these may be one person. */
  | { readonly kind: 'one-person'; readonly approver: string };

/** Approves the decision of `decider` (an ARN), as the caller. Rejects for a caller who may not approve. */
export async function approveDecision(
  { key, published: { revision } }: Pick<Order, 'key' | 'published'>,
  its: Seen,
  decider: string,
  { maker, identity, clock }: ApprovingPorts,
): Promise<ApprovalMade> {
  const approver = await identity.whoAmI();
  if (maybeOnePerson(decider, approver)) return { kind: 'one-person', approver };
  const approval = { decider, approver, atMs: clock.nowMs(), revision };
  const mac = await maker.macOf(decisionText(key, its, approval));
  const token = Buffer.from(JSON.stringify({ ...approval, mac })).toString('base64url');
  return { kind: 'approved', token, untilMs: approval.atMs + holdsMs };
}

/** The sources of judging. */
interface SecondPersonSources {
  readonly store: StoredRecords;
  readonly macs: ApprovalCheck;
  readonly identity: Identity;
  readonly clock: Pick<Clock, 'nowMs'>;
}

/** The second person by the merchant's safeguards; a merchant without valid ones demands two. */
export function createSecondPerson({ store, macs, identity, clock }: SecondPersonSources): SecondPerson {
  return {
    async demandedBy(merchant) {
      const found = await findSafeguards(merchant, { store, macs });
      return found.kind !== 'hold' || found.change.twoPersonRelease;
    },
    async judge({ key, published }, decision, token): Promise<JudgedDecision> {
      const decider = await identity.whoAmI();
      if (token === undefined) return { kind: 'needs-approver', key, decider };
      const approval = approvalIn(token);
      if (!approval) return refused('this is no approval token: paste the one that the approver was given');
      if (approval.decider !== decider) return refused(`the token is for ${approval.decider}, and you are ${decider}`);
      // A digest of the name has the same MAC, and would hide who it is.
      if (!arn.test(approval.approver))
        return refused('the token names no approver: paste the one that the approver was given');
      if (maybeOnePerson(decider, approval.approver)) return refused('decider and approver may be one person');
      if (!holdsAt(approval, clock.nowMs())) return refused('the approval has expired: ask for another');
      if (approval.revision !== published.revision)
        return refused(
          `the token is for revision ${approval.revision} of the order, which has changed since: ask for another`,
        );
      if (!(await macs.isMacOf(decisionText(key, decision, approval), approval.mac)))
        return refused('the token does not fit the present state: something was learned since, or no approver made it');
      return { kind: 'holds', approval, approvedBy: personOf(approval.approver) ?? approval.approver };
    },
  };
}

const arn = /^arn:[^:]*:(?:iam|sts)::\d*:/;

const refused = (why: string) => ({ kind: 'refused', why: `--approval: ${why}` }) as const;

function approvalIn(token: string): DecisionApproval | undefined {
  const read = v.safeParse(
    v.pipe(v.string(), v.parseJson(), approvalSchema),
    Buffer.from(token, 'base64url').toString(),
  );
  return read.success ? read.output : undefined;
}
