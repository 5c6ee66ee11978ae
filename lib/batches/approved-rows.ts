// The tree of a file's rows, for its approver and for the sender after that: neither holds more of it than one part.
import type { KeyObject } from 'node:crypto';
import { leafOf, proofsOf, rootOf, rowKeyOf } from './approval-proof.ts';
import { type ApprovalGrant, rowsPerPart } from './batch.ts';
import type { CheckedRow, GoodRow } from '../files/check-rows.ts';
import { goodParts } from './upload-slices.ts';

/** The tree without its leaves: 32 bytes for each five hundred rows. */
interface RowsTree {
  /** Base64url. */
  readonly root: string;
  readonly partRoots: readonly Buffer[];
}

/** The tree of all rows. */
export async function treeOfRows(
  rows: AsyncIterable<readonly CheckedRow[]>,
  { blind }: Pick<ApprovalGrant, 'blind'>,
): Promise<RowsTree> {
  const partRoots: Buffer[] = [];
  const key = rowKeyOf(blind);
  for await (const part of goodParts(rows)) partRoots.push(rootOf(leavesOf(part, partRoots.length, key)));
  return { root: rootOf(partRoots).toString('base64url'), partRoots };
}

/** The proofs of each part in its turn. */
export function proofsUnder({ partRoots }: RowsTree, { blind }: Pick<ApprovalGrant, 'blind'>) {
  const key = rowKeyOf(blind);
  return (n: number, part: readonly GoodRow[]) => proofsOf(n, leavesOf(part, n, key), partRoots);
}

function leavesOf(part: readonly GoodRow[], n: number, key: KeyObject): Buffer[] {
  return part.map(({ job }, at) => leafOf(job, n * rowsPerPart + at, key));
}
