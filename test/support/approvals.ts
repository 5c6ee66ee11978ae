// A second person in a story: the key of approvals in memory, and a batch that is registered and approved with these jobs.
import { createHmac } from 'node:crypto';
import type { ApprovalCheck, ApprovalMaker } from '../../lib/batches/approval.ts';
import { approvalText, leafOf, proofsOf, rootOf, rowKeyOf } from '../../lib/batches/approval-proof.ts';
import { type ApprovalGrant, type Batch, newBatch } from '../../lib/batches/batch.ts';
import type { Batches } from '../../lib/batches/batch-ports.ts';
import { type JobBody, jobOf } from './jobs.ts';
import { startMs } from './time-and-chance.ts';

/** A key of approvals; each has its own bits. `calls` counts the calls that KMS would charge. */
export function anApprovalKey(bits = 'the key of approvals'): ApprovalMaker & ApprovalCheck & { calls: number } {
  const mac = (text: string) => createHmac('sha256', bits).update(text).digest('base64url');
  const key = {
    calls: 0,
    async macOf(text: string) {
      key.calls += 1;
      return mac(text);
    },
    async isMacOf(text: string, its: string) {
      key.calls += 1;
      return mac(text) === its;
    },
  };
  return key;
}

const hour = 3_600_000;
/** The blind of the batches below. */
export const someBlind = Buffer.alloc(32, 7).toString('base64url');

/** The values that a story may choose. */
export interface ApprovalChoices {
  /** Default `nov`. */
  readonly batchId?: string;
  /** Default one hour after the start. */
  readonly expiresAtMs?: number;
  readonly registrar?: string;
  readonly approver?: string;
}

/** The approval of these jobs, in this order, and each with its proof; at most one part of a batch. */
export async function approvalOf(
  bodies: readonly JobBody[],
  maker: ApprovalMaker,
  { batchId = 'nov', expiresAtMs = startMs + hour, registrar = 'ada', approver = 'grace' }: ApprovalChoices = {},
): Promise<{ readonly grant: ApprovalGrant; readonly bodies: JobBody[] }> {
  const leaves = bodies.map((body, at) => leafOf(jobOf(body), at, rowKeyOf(someBlind)));
  const partRoots = [rootOf(leaves)];
  const root = rootOf(partRoots).toString('base64url');
  const its = { registrar, approver, rows: bodies.length, expiresAtMs, root, blind: someBlind };
  const proofs = proofsOf(0, leaves, partRoots);
  return {
    grant: { ...its, mac: await maker.macOf(approvalText(batchId, its)) },
    bodies: bodies.map((body, at) => ({ ...body, batchId, approval: proofs[at] ?? '' })),
  };
}

/** Registers the batch of these jobs as one person and approves it as another; answers with the jobs as they are sent. */
export async function approved(
  batches: Batches,
  maker: ApprovalMaker,
  bodies: readonly JobBody[],
  choices: ApprovalChoices = {},
): Promise<JobBody[]> {
  const { grant, bodies: proven } = await approvalOf(bodies, maker, choices);
  const { registrar: by, approver, expiresAtMs, rows, root, blind, mac } = grant;
  const content = { batchId: choices.batchId ?? 'nov', fileHash: 'ab', contentHash: 'cd', rows, totals: {} };
  const batch: Batch = newBatch({ ...content, by, nowMs: startMs, heldUntilMs: expiresAtMs });
  await batches.register(batch);
  const step = await batches.approve(batch, { by: approver, atMs: startMs, expiresAtMs }, { root, blind, mac });
  if (step.kind !== 'moved') throw new Error(`the story's batch was not approved: ${step.kind}`);
  return proven;
}
