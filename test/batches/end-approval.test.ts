// A restore's gap is ended by two persons: the approver's word is good for this restore of this table and this person, and for no
// other act; so is that of an order that is not paid.
import { expect, it } from 'vitest';
import {
  approveSharedDecision,
  judgeSharedApproval,
  type DecisionText,
  endText,
} from '../../lib/batches/shared-decision.ts';
import { decisionText } from '../../lib/batches/decision-approval.ts';
import { anApprovalKey } from '../support/approvals.ts';
import { createManualClock } from '../support/time-and-chance.ts';

const [jane, grace, alan] = ['jane', 'grace', 'alan'].map(
  (it) => `arn:aws:sts::111122223333:assumed-role/Any/${it}`,
) as [string, string, string];
const macs = anApprovalKey();
const clock = createManualClock();
const as = (who: string) => ({ whoAmI: async () => who });
const thisEnd = endText('payouts-prod-ledger-2', 1_000);
const seen = { saw: { a1: '' }, sawUnattributed: '' };
const notPaid: DecisionText = (approval) => decisionText('acme-eu/INV-1', seen, approval);

async function approvedBy(approver: string, text: DecisionText): Promise<string> {
  const word = await approveSharedDecision(text, jane, { maker: macs, identity: as(approver), clock });
  if (word.kind !== 'approved') throw new Error(word.kind);
  return word.token;
}

it('an approved end holds for whom it was approved, and is needed', async () => {
  const judging = { macs, identity: as(jane), clock };
  expect(await judgeSharedApproval(thisEnd, undefined, judging)).toEqual({ kind: 'needs-approver', decider: jane });
  expect(await judgeSharedApproval(thisEnd, await approvedBy(grace, thisEnd), judging)).toMatchObject({
    kind: 'holds',
    approvedBy: 'grace',
  });
});

it.each<[what: string, given: DecisionText, judged: DecisionText, who?: string]>([
  ['of another restore of the table', endText('payouts-prod-ledger-2', 999), thisEnd],
  ['of another table', endText('payouts-prod-ledger-3', 1_000), thisEnd],
  ['for somebody else', thisEnd, thisEnd, alan],
  ['that an order is not paid', notPaid, thisEnd],
  ['of an end, for an order that is not paid', thisEnd, notPaid],
  ['of another order', notPaid, (approval) => decisionText('acme-eu/INV-2', seen, approval)],
  [
    'of what was seen before',
    notPaid,
    (approval) => decisionText('acme-eu/INV-1', { ...seen, saw: { a1: 'id 9' } }, approval),
  ],
  [
    'of an order with one attempt less',
    notPaid,
    (approval) => decisionText('acme-eu/INV-1', { ...seen, saw: { a1: '', a2: '' } }, approval),
  ],
])('an approval %s is none', async (_, given, judged, who = jane) => {
  const token = await approvedBy(grace, given);
  expect(await judgeSharedApproval(judged, token, { macs, identity: as(who), clock })).toMatchObject({
    kind: 'refused',
  });
});

it('nor is one by the same person in another role, or a day later', async () => {
  const other = jane.replace('/Any/', '/Approver/');
  expect(await approveSharedDecision(thisEnd, jane, { maker: macs, identity: as(other), clock })).toEqual({
    kind: 'one-person',
    approver: other,
  });
  const token = await approvedBy(grace, thisEnd);
  const later = { nowMs: () => clock.nowMs() + 24 * 3_600_000 };
  expect(await judgeSharedApproval(thisEnd, token, { macs, identity: as(jane), clock: later })).toMatchObject({
    kind: 'refused',
  });
});
