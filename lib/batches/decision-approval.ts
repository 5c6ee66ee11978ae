// "Not paid" by two persons. For a merchant whose money two persons release, the word that an attempt moved none opens a second
// payment as much as an approval does: so it bears the MAC of an approver, over the order, what the ledger knew of each attempt, who
// decides, who approves, and until when. It is no use for another order, for another person, or once a sign of life has come.
import * as v from 'valibot';
import type { Decision, DecisionApproval } from '../payout/order/facts.ts';
import { namelessOf } from '../payout/operate/erase.ts';
import type { JudgedDecision, SecondPerson } from '../payout/operate/decide.ts';
import type { Clock } from '../payout/ports.ts';
import type { ApprovalCheck, ApprovalMaker } from './approval.ts';
import { maybeOnePerson, personOf } from './approval-proof.ts';
import type { Identity } from './batch-ports.ts';
import { findSafeguards, type SafeguardsStore } from './safeguards.ts';

/** For so long an approved decision may be written: a working day and a night. */
const holdsMs = 24 * 3_600_000;

/** What was seen, and is decided about. */
type Seen = Pick<Decision, 'saw' | 'sawUnattributed' | 'replaces'>;

/** What the approver's MAC is over. */
export function decisionText(key: string, its: Seen, approval: Omit<DecisionApproval, 'mac'>): string {
  const saw = Object.entries(its.saw).toSorted(([a], [b]) => (a < b ? -1 : 1));
  const { decider, approver, untilMs } = approval;
  const seen = [saw, its.sawUnattributed, its.replaces ?? null];
  return JSON.stringify([
    'not paid, as two persons say',
    1,
    key,
    ...seen,
    namelessOf(decider),
    namelessOf(approver),
    untilMs,
  ]);
}

/** True where an approver's MAC is over this very decision, by whomever it was written. Rejects where it can't be told now. */
export async function isApprovedBy(key: string, decision: Decision, macs: ApprovalCheck): Promise<boolean> {
  const { approval, atMs } = decision;
  if (!approval || atMs >= approval.untilMs || isOnePerson(approval)) return false;
  return macs.isMacOf(decisionText(key, decision, approval), approval.mac);
}

/** Of persons whose names were erased it was judged while they were known. */
const isOnePerson = ({ decider, approver }: DecisionApproval): boolean =>
  namelessOf(decider) === namelessOf(approver) ||
  (namelessOf(decider) !== decider && namelessOf(approver) !== approver && maybeOnePerson(decider, approver));

const tokenSchema = v.strictObject({
  decider: v.string(),
  approver: v.string(),
  untilMs: v.pipe(v.number(), v.integer()),
  mac: v.string(),
});

/** An approval as it is handed over: one word of the command line, and no secret. */
const tokenOf = (approval: DecisionApproval): string => Buffer.from(JSON.stringify(approval)).toString('base64url');

function approvalIn(token: string): DecisionApproval | undefined {
  try {
    const read = v.safeParse(tokenSchema, JSON.parse(Buffer.from(token, 'base64url').toString()));
    return read.success ? read.output : undefined;
  } catch {
    return undefined;
  }
}

/** What approving needs. */
export interface DecisionApproving {
  readonly maker: ApprovalMaker;
  readonly identity: Identity;
  readonly clock: Pick<Clock, 'nowMs'>;
}

/** How it went. */
export type ApprovedDecision =
  | { readonly kind: 'approved'; readonly token: string; readonly untilMs: number }
  /** By their names these may be one person. */
  | { readonly kind: 'one-person'; readonly approver: string };

/** Approves that `decider` (an ARN) decides so, as whoever calls. Rejects for who may not approve. */
export async function approveDecision(
  key: string,
  its: Seen,
  decider: string,
  { maker, identity, clock }: DecisionApproving,
): Promise<ApprovedDecision> {
  const approver = await identity.whoAmI();
  if (maybeOnePerson(decider, approver)) return { kind: 'one-person', approver };
  const approval = { decider, approver, untilMs: clock.nowMs() + holdsMs };
  const mac = await maker.macOf(decisionText(key, its, approval));
  return { kind: 'approved', token: tokenOf({ ...approval, mac }), untilMs: approval.untilMs };
}

/** What judging needs. */
export interface SecondPersonSources {
  readonly store: SafeguardsStore;
  readonly macs: ApprovalCheck;
  readonly identity: Identity;
  readonly clock: Pick<Clock, 'nowMs'>;
}

/** The second person by the merchant's safeguards; a merchant without any that hold is one that demands two. */
export function createSecondPerson({ store, macs, identity, clock }: SecondPersonSources): SecondPerson {
  return {
    async demandedBy(merchant) {
      const found = await findSafeguards(merchant, { store, macs });
      return found.kind !== 'hold' || found.change.twoPersonRelease;
    },
    async judge(key, decision, token): Promise<JudgedDecision> {
      const decider = await identity.whoAmI();
      if (token === undefined) return { kind: 'needs-approver', key, decider };
      const approval = approvalIn(token);
      if (!approval) return refused('it is no approval: paste what `payouts approve-release` printed');
      if (approval.decider !== decider) return refused(`it is for ${approval.decider}, and you are ${decider}`);
      if (maybeOnePerson(decider, approval.approver)) return refused('who decides and who approves may be one person');
      if (clock.nowMs() >= approval.untilMs) return refused('the approval has expired: ask for another');
      const isRight = await macs.isMacOf(decisionText(key, decision, approval), approval.mac);
      if (!isRight)
        return refused(
          'it is not of this order as it stands now: something was learned of it since, or no approver made it',
        );
      return { kind: 'holds', approval, approvedBy: personOf(approval.approver) ?? approval.approver };
    },
  };
}

const refused = (why: string) => ({ kind: 'refused', why: `--approval: ${why}` }) as const;
