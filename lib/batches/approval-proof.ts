// The proof that a row was approved: a MAC over the root of a hash tree of all rows, which only the approver can have made, and for each
// row the way up to that root. To change a row, move it to another place or batch, or put other rows under an old root, an attacker must
// find a second preimage of SHA-256. Pure.
import { createHmac, createSecretKey, hash, type KeyObject } from 'node:crypto';
import { operations } from '../gateway/operations.ts';
import type { Job } from '../payout/message/job.ts';
import { type ApprovalGrant, partsFor, rowsPerPart } from './batch.ts';

// The tree is that of RFC 6962 section 2.1: the hashed text begins with 0 for a leaf and with 1 for a node; an odd entry goes up as it is.
// It is used twice: the rows of a part are under the part's root, and the parts' roots are under the root of the batch. So the sender of a
// million rows holds one part of them, and 32 bytes for each other part.

/**
 * The leaf of a row: its place in the batch and all that it asks for (the end that it opens too), and nothing that is added on its way
 * (seal, batch id, proof). The key of the hash is this batch's: a proof shows the neighbours of a row, and a plain hash of a card number is
 * found by trying them all. Fields of one attempt alone (the CVV) are left out, because the gate that checks the proof never sees them.
 */
export function leafOf(job: Job, position: number, key: KeyObject): Buffer {
  const { operation, merchant, endpointId, orderId, params, notBeforeMs, expiresAtMs, context, resends } = job;
  const { fields } = operations[operation];
  const pairs = Object.entries(params)
    .filter(([name]) => !fields[name]?.singleUse)
    .toSorted(([a], [b]) => (a < b ? -1 : 1));
  const row = [
    position,
    operation,
    merchant,
    endpointId,
    orderId,
    pairs,
    notBeforeMs ?? null,
    expiresAtMs ?? null,
    context ?? null,
    resends ?? null,
  ];
  const text = `\u0000${JSON.stringify(row)}`;
  return createHmac('sha256', key).update(text).digest();
}

/** The key of the rows, from an approval's `blind`. */
export const rowKeyOf = (blind: string): KeyObject => createSecretKey(blind, 'base64url');

/** The root of a part's leaves, or of all parts' roots. */
export function rootOf(hashes: readonly Buffer[]): Buffer {
  const [root] = levelsOf(hashes).at(-1) ?? [];
  if (!root) throw new RangeError('a tree of nothing has no root');
  return root;
}

/** The proofs of a part's rows, in their order: `<position in the batch>.<the way up, base64url>`. */
export function proofsOf(n: number, leaves: readonly Buffer[], partRoots: readonly Buffer[]): string[] {
  const levels = levelsOf(leaves);
  const above = wayUp(levelsOf(partRoots), n);
  return leaves.map((_, at) => {
    const way = Buffer.concat([...wayUp(levels, at), ...above]);
    return `${n * rowsPerPart + at}.${way.toString('base64url')}`;
  });
}

/** True if the job is the approved row at the place that its proof names. */
export function isRowOf(job: Job, { rows, root, blind }: Pick<ApprovalGrant, 'rows' | 'root' | 'blind'>): boolean {
  const [, digits = '', text = ''] = /^(0|[1-9]\d{0,8})\.([A-Za-z0-9_-]*)$/.exec(job.approval ?? '') ?? [];
  const position = Number(digits);
  if (digits === '' || position >= rows) return false;
  const way = Buffer.from(text, 'base64url');
  const [n, at] = [Math.floor(position / rowsPerPart), position % rowsPerPart];
  const inPart = Math.min(rowsPerPart, rows - n * rowsPerPart);
  const part = climbed(leafOf(job, position, rowKeyOf(blind)), { at, of: inPart, way, from: 0 });
  const top = climbed(part.hash, { at: n, of: partsFor(rows), way, from: part.to });
  return top.to === way.length && top.hash.toString('base64url') === root;
}

const hashBytes = 32;

const ofNode = Buffer.of(1);

const node = (left: Buffer, right: Buffer) => hash('sha256', Buffer.concat([ofNode, left, right]), 'buffer');

/** The levels of the tree from the entries up to the root. */
function levelsOf(entries: readonly Buffer[]): (readonly Buffer[])[] {
  const levels = [entries];
  for (let level = entries; level.length > 1; levels.push(level)) {
    const below = level;
    level = Array.from({ length: Math.ceil(below.length / 2) }, (_, at) => {
      const [left = Buffer.of(), right] = [below[2 * at], below[2 * at + 1]];
      return right ? node(left, right) : left;
    });
  }
  return levels;
}

/** The neighbour of the entry and of each node above it. */
function wayUp(levels: readonly (readonly Buffer[])[], at: number): Buffer[] {
  return levels.flatMap((level, height) => level[(at >> height) ^ 1] ?? []);
}

/** The root that the way leads to from an entry, and how much of the way that took; a way too short leads nowhere. */
function climbed(
  entry: Buffer,
  { at, of, way, from }: { readonly at: number; readonly of: number; readonly way: Buffer; readonly from: number },
): { readonly hash: Buffer; readonly to: number } {
  let [reached, to] = [entry, from];
  for (let [place, size] = [at, of]; size > 1; [place, size] = [place >> 1, Math.ceil(size / 2)]) {
    if ((place ^ 1) >= size) continue;
    const beside = way.subarray(to, (to += hashBytes));
    reached = place % 2 === 0 ? node(reached, beside) : node(beside, reached);
  }
  return { hash: reached, to };
}

/** The text under the approver's MAC: the batch, its number of rows, the expiry, the two persons, and the root of the rows. */
export function approvalText(batchId: string, grant: Omit<ApprovalGrant, 'mac'>): string {
  const { rows, expiresAtMs, registrar, approver, root, blind } = grant;
  return JSON.stringify(['approval of a batch', 1, batchId, rows, expiresAtMs, registrar, approver, root, blind]);
}

// Two persons must be two people. They are compared by the name of their session or user, not by their role.

/**
 * The name of the caller with this ARN: of a user, or of a session, which with IAM Identity Center is the person's.
 * Undefined for an ARN that names no person: the root of an account, and names that tools invent for sessions.
 */
export function personOf(arn: string): string | undefined {
  const [, resource] = /^arn:[^:]*:(?:iam|sts)::\d*:(.+)$/s.exec(arn) ?? [];
  const name = (resource ?? arn).split('/').at(-1)?.normalize('NFKC').trim().toLowerCase() ?? '';
  return name === '' || resource === 'root' || inventedName.test(name) ? undefined : name;
}

/** Sessions without a name of their own, as the CLI, the SDKs and Terraform call them. */
const inventedName = /^(?:botocore-session.*|awscli?-.*|aws-(?:cli|sdk|go-sdk).*|(?:default-?)?session\d*|\d+)$/;

/**
 * True unless these are surely two people. A name that its holder may choose proves little, so the usual names of a second account count as
 * the same person: "jane", "Jane@corp.example", "jane+1", "jane-admin", "adm.jane2". A person who is refused wrongly needs an identity of
 * their own. Only IAM knows whether one person has two identities that share nothing (infra/docs/bulk-files.md).
 */
export function maybeOnePerson(one: string, other: string): boolean {
  const [a, b] = [personOf(one), personOf(other)];
  if (a === undefined || b === undefined || a === b) return true;
  const [[nameOfA = '', domainOfA], [nameOfB = '', domainOfB]] = [a.split('@'), b.split('@')];
  if (domainOfA !== undefined && domainOfB !== undefined && domainOfA !== domainOfB) return false;
  return ownPart(nameOfA) === ownPart(nameOfB);
}

/** The additions to the name of a further account of the same person. */
const notOwn =
  /^(?:adm|admin|administrator|approver|breakglass|dev|ext|extern|external|operator|ops|prod|registrar|root|sa|sso|su|test|user|x|\d*)$/;

/** The parts of a name that are the person's, in any order; the whole name if nothing would be left. */
function ownPart(name: string): string {
  const parts = name.replace(/\+.*$/, '').split(/[^\p{L}\p{N}]+/u);
  const own = parts.map((it) => it.replace(/\d+$/, '')).filter((it) => !notOwn.test(it));
  return own.length === 0 ? name : own.toSorted().join(' ');
}
