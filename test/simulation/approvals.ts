// Batches that two persons release, each of one row: the second person, whose proofs are real, and the store of the approvals.
import { createHmac } from 'node:crypto';
import { approvalText, leafOf, proofsOf, rootOf, rowKeyOf } from '../../lib/batches/approval-proof.ts';
import type { ApprovalCheck } from '../../lib/batches/approval.ts';
import type { ApprovalGrant, Grants } from '../../lib/batches/batch.ts';
import { someBlind } from '../support/approvals.ts';
import { type JobBody, jobOf } from '../support/jobs.ts';

/** The approvers of a world. */
export interface SimulatedApprovals {
  readonly batches: Grants;
  readonly macs: ApprovalCheck;
  /** The job as the one row of a batch that is approved until `expiresAtMs`. */
  approve(body: JobBody, batchId: string, expiresAtMs: number): JobBody;
}

const macOf = (text: string) => createHmac('sha256', 'the key of approvals').update(text).digest('base64url');

/** Nothing was approved yet. */
export function createSimulatedApprovals(): SimulatedApprovals {
  const grants = new Map<string, ApprovalGrant>();
  return {
    batches: { grantOf: async (batchId) => grants.get(batchId) },
    macs: { isMacOf: async (text, mac) => macOf(text) === mac },
    approve(body, batchId, expiresAtMs) {
      const leaves = [leafOf(jobOf(body), 0, rowKeyOf(someBlind))];
      const partRoots = [rootOf(leaves)];
      const root = rootOf(partRoots).toString('base64url');
      const grant = { registrar: 'ada', approver: 'grace', rows: 1, expiresAtMs, root, blind: someBlind };
      grants.set(batchId, { ...grant, mac: macOf(approvalText(batchId, grant)) });
      return { ...body, batchId, approval: proofsOf(0, leaves, partRoots)[0] ?? '' };
    },
  };
}
