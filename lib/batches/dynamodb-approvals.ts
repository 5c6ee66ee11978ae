// Reads the approval of a batch from its header. The worker needs no more of batches, so its bundle stays small.
import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { type DynamoDbTable, type Item, itemAt, N, S } from '../aws/dynamodb-table.ts';
import type { ApprovalGrant, ApprovalProof, Grants } from './batch.ts';

/** The version of the layout of batches; an item of a higher one was written by newer code and is left alone. */
export const batchLayoutVersion = 1;

/** The header of a batch; `~batch/…` holds the operators' controls of it. */
export const headerKey = (batchId: string): string => `~bulk/${batchId}`;

/** The partition of the open-work index that holds batches; no kind of an order's open work has this letter. */
export const openBatchesPartition = 'b0';

/** The index keys of a batch: when the sweeper looks at it. */
export const dueAt = (atMs: number): Item => ({ openWork: S(openBatchesPartition), openWorkAt: N(atMs) });

/** Grants over the table of batches. Reads see every earlier write. */
export const createDynamoDbApprovals = (table: DynamoDbTable): Grants => ({
  async grantOf(batchId) {
    const header = await itemAt(table, headerKey(batchId));
    return isUnderstood(header?.['v']) ? grantIn(header) : undefined;
  },
});

/** The attributes that an approval adds to a header, beside the visible ones; these names belong to approvers alone. */
export function grantAttributes(
  { root, blind, mac }: ApprovalProof,
  { by, expiresAtMs }: { readonly by: string; readonly expiresAtMs: number },
): Item {
  return {
    approvalBy: S(by),
    approvalEnds: N(expiresAtMs),
    approvalRoot: S(root),
    approvalBlind: S(blind),
    approvalMac: S(mac),
  };
}

/** The approval in a header; undefined while the batch is not approved. */
function grantIn(item: Item | undefined): ApprovalGrant | undefined {
  const textAt = (name: string) => item?.[name]?.S;
  const [registrar, approver, root] = [textAt('registeredBy'), textAt('approvalBy'), textAt('approvalRoot')];
  const [blind, mac, rows, ends] = [
    textAt('approvalBlind'),
    textAt('approvalMac'),
    item?.['rowCount']?.N,
    item?.['approvalEnds']?.N,
  ];
  if (registrar === undefined || approver === undefined || root === undefined || blind === undefined) return undefined;
  if (mac === undefined || rows === undefined || ends === undefined) return undefined;
  return { registrar, approver, rows: Number(rows), expiresAtMs: Number(ends), root, blind, mac };
}

function isUnderstood(layout: AttributeValue | undefined): boolean {
  return layout?.N !== undefined && Number(layout.N) <= batchLayoutVersion;
}
