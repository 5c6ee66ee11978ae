// Two-person release: each job of an approved batch has the way up to the root that a second person has put a MAC under. A changed job, or
// one that was moved to another batch, leads to another root. A person who registers, sends or writes to the table can make no MAC.
import { type Gate, notApproved, type Verdict } from '../payout/gates.ts';
import type { Job } from '../payout/message/job.ts';
import { keepNewest } from '../payout/ttl-cache.ts';
import { approvalText, isRowOf, maybeOnePerson } from './approval-proof.ts';
import type { ApprovalGrant, Grants } from './batch.ts';
import type { Credentials } from '../gateway/ports.ts';

/** Why nothing of a batch may be sent. */
type NoApproval = 'none' | 'forged' | 'one person';

/** The worker's port to approvals. */
export interface Approvals {
  /** True if two persons must release this job. False while its merchant's secret can't be read: the check before sending asks again. */
  needed(job: Pick<Job, 'merchant'>): Promise<boolean>;
  /** An approval whose MAC is right, or why there is none; rejects if that can't be read now. */
  of(batchId: string): Promise<ApprovalGrant | NoApproval>;
}

// The gate of approvals, for merchants whose payments two persons release: does this job have the proof of one? An unapproved job must not
// even take its order id, or it could keep the approved job from being sent.

/**
 * Judges the job as the gate of card data has opened it: the approval covers the card, not its seal. The expiry of the
 * approval is passed on: the gate of expiry judges it, and the send once more.
 */
export function approvalGate(approvals: Approvals): Gate {
  return gate(approvals, isRowOf);
}

/** The same without opened seals: only the worker can tell whether a sealed row is an approved one. */
export function closedApprovalGate(approvals: Approvals): Gate {
  return gate(approvals, (job, grant) => job.sealedParams !== undefined || isRowOf(job, grant));
}

function gate(approvals: Approvals, isRow: typeof isRowOf): Gate {
  return async ({ received, job }) => {
    if (!(await approvals.needed(received))) return { kind: 'go' };
    const { approval, batchId } = received;
    if (approval === undefined || batchId === undefined) return refused('this job has no approval');
    const found = await approvals.of(batchId).catch(() => 'no answer' as const);
    if (found === 'no answer') return { kind: 'wait', because: 'approval-unknown' };
    if (typeof found === 'string') return refused(wordsOf[found]);
    if (!isRow(job, found)) return refused('it is not what was approved for its batch');
    return { kind: 'go', job: { ...job, approvedUntilMs: found.expiresAtMs } };
  };
}

const wordsOf: Readonly<Record<NoApproval, string>> = {
  none: 'its batch is not approved',
  forged: 'the approval of its batch was not made by an approver',
  'one person': 'its batch was registered and approved by one person',
};

function refused(why: string): Verdict {
  return { kind: 'refuse', failure: notApproved(why) };
}

/** KMS takes no longer text under one MAC (API reference, GenerateMac: `Message`). */
export const macTextBytesAtMost = 4096;

/** The approver's key in KMS. */
export interface ApprovalMaker {
  /** The MAC of the text, base64url. Rejects for a caller who may not approve. */
  macOf(text: string): Promise<string>;
}

/** Checks that an approver has made a MAC. */
export interface ApprovalCheck {
  /** False: the MAC is not the text's. Rejects if that can't be checked now. */
  isMacOf(text: string, mac: string): Promise<boolean>;
}

/** The ports of approvals: the batches, the merchants' credentials, and the check of MACs. */
interface ApprovalSources {
  readonly credentials: Credentials;
  readonly batches: Grants;
  readonly macs: ApprovalCheck;
}

/** Approvals and checked MACs that a process keeps. */
const keptAtMost = 500;

/**
 * Approvals, read and checked once per batch: they never change. A missing approval is asked for each time. A wrong MAC is remembered, or
 * each job of a forged batch would cost a call of KMS.
 */
export function createApprovals({ credentials, batches, macs }: ApprovalSources): Approvals {
  const kept = new Map<string, ApprovalGrant>();
  const judged = new Map<string, boolean>();
  const underWay = new Map<string, Promise<ApprovalGrant | NoApproval>>();

  async function isRight(batchId: string, { mac, ...grant }: ApprovalGrant): Promise<boolean> {
    const text = approvalText(batchId, grant);
    const name = `${mac} ${text}`;
    return judged.get(name) ?? keepNewest(judged, name, await macs.isMacOf(text, mac), keptAtMost);
  }

  async function read(batchId: string): Promise<ApprovalGrant | NoApproval> {
    const grant = await batches.grantOf(batchId);
    if (!grant) return 'none';
    if (maybeOnePerson(grant.registrar, grant.approver)) return 'one person';
    return (await isRight(batchId, grant)) ? keepNewest(kept, batchId, grant, keptAtMost) : 'forged';
  }

  return {
    async needed(job) {
      const answer = await credentials.of(job.merchant);
      return answer.kind === 'credentials' && answer.credentials.profile.twoPersonRelease;
    },
    async of(batchId) {
      const known = kept.get(batchId);
      if (known) return known;
      const reading = underWay.get(batchId) ?? read(batchId).finally(() => underWay.delete(batchId));
      underWay.set(batchId, reading);
      return reading;
    },
  };
}
