// A decision of one person that another approves: the tool prints the command for the approver, the approver's tool prints one token,
// and the decider adds it to the command line. The token is the MAC of an approver over the decision, the decider, the
// approver, and the expiry; it is no secret.
import * as v from 'valibot';
import type { DecisionApproval } from '../payout/order/facts.ts';
import { clockSkewMs } from '../payout/order/time.ts';
import type { Clock } from '../payout/ports.ts';
import type { ApprovalCheck, ApprovalMaker } from './approval.ts';
import { maybeOnePerson, personOf } from './approval-proof.ts';
import type { Identity } from './batch-ports.ts';

/** An approved token may be used for so long: a working day and a night. */
const holdsMs = 24 * 3_600_000;

/** True for a moment at which it could be used: no decision is older than its approval, whatever date is written into it. */
export const holdsAt = ({ untilMs }: Pick<DecisionApproval, 'untilMs'>, atMs: number): boolean =>
  atMs < untilMs && atMs >= untilMs - holdsMs - clockSkewMs;

/** The text under the MAC, for these two persons. */
type DecisionText = (approval: Omit<DecisionApproval, 'mac'>) => string;

const tokenSchema = v.pipe(
  v.string(),
  v.parseJson(),
  v.strictObject({
    decider: v.string(),
    approver: v.string(),
    untilMs: v.pipe(v.number(), v.integer()),
    mac: v.string(),
  }),
);

const arn = /^arn:[^:]*:(?:iam|sts)::\d*:/;

const tokenOf = (approval: DecisionApproval): string => Buffer.from(JSON.stringify(approval)).toString('base64url');

function approvalIn(token: string): DecisionApproval | undefined {
  const read = v.safeParse(tokenSchema, Buffer.from(token, 'base64url').toString());
  return read.success ? read.output : undefined;
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
export async function approveSharedDecision(
  textOf: DecisionText,
  decider: string,
  { maker, identity, clock }: ApprovingPorts,
): Promise<ApprovalMade> {
  const approver = await identity.whoAmI();
  if (maybeOnePerson(decider, approver)) return { kind: 'one-person', approver };
  const approval = { decider, approver, untilMs: clock.nowMs() + holdsMs };
  const mac = await maker.macOf(textOf(approval));
  return { kind: 'approved', token: tokenOf({ ...approval, mac }), untilMs: approval.untilMs };
}

/** The ports of judging. */
export interface JudgingPorts {
  readonly macs: ApprovalCheck;
  readonly identity: Identity;
  readonly clock: Pick<Clock, 'nowMs'>;
}

/** The verdict on a decision that two persons must share. */
type JudgedApproval =
  | { readonly kind: 'holds'; readonly approval: DecisionApproval; readonly approvedBy: string }
  | { readonly kind: 'needs-approver'; readonly decider: string }
  | { readonly kind: 'refused'; readonly why: string };

/** Judges the token that an approver gave to the caller; absent if none was asked yet. */
export async function judgeSharedApproval(
  textOf: DecisionText,
  token: string | undefined,
  { macs, identity, clock }: JudgingPorts,
): Promise<JudgedApproval> {
  const decider = await identity.whoAmI();
  if (token === undefined) return { kind: 'needs-approver', decider };
  const approval = approvalIn(token);
  if (!approval) return refused('it is no approval: paste what the approver was given');
  if (approval.decider !== decider) return refused(`it is for ${approval.decider}, and you are ${decider}`);
  // A digest of the name has the same MAC, and would hide who it is.
  if (!arn.test(approval.approver)) return refused('it names no approver: paste what the approver was given');
  if (maybeOnePerson(decider, approval.approver)) return refused('who decides and who approves may be one person');
  if (clock.nowMs() >= approval.untilMs) return refused('the approval has expired: ask for another');
  if (!(await macs.isMacOf(textOf(approval), approval.mac)))
    return refused('it does not fit the present state: something was learned since, or no approver made it');
  return { kind: 'holds', approval, approvedBy: personOf(approval.approver) ?? approval.approver };
}

const refused = (why: string) => ({ kind: 'refused', why: `--approval: ${why}` }) as const;
