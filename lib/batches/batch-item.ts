// Batches as items of the ledger's table. Their keys begin with "~", which no merchant's name does; they have no
// attribute `st`, by which items of orders are told from all others.
import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import * as v from 'valibot';
import {
  type Approval,
  type Batch,
  type BatchPart,
  type BatchRow,
  batchStates,
  type Closure,
  packedTotals,
  rowEnds,
  type Tally,
  type Totals,
} from './batch.ts';
import { batchLayoutVersion, headerKey } from './dynamodb-approvals.ts';

/** An item as the SDK takes and gives it. */
export type BatchItem = Record<string, AttributeValue>;

/** A part of a batch; no batch id holds a slash. */
export const partKey = (batchId: string, n: number): string => `~bulk/${batchId}/${n}`;
/** Which batch took a file first. */
export const fileKey = (fileHash: string): string => `~file/${fileHash}`;

/** The partition of the open-work index that holds batches; no kind of an order's open work has this letter. */
export const openBatchesPartition = 'b0';

/** The item of a header as it is registered. */
export function headerItem(batch: Batch): BatchItem {
  return {
    pk: { S: headerKey(batch.batchId) },
    v: { N: String(batchLayoutVersion) },
    batchState: { S: batch.state },
    fileHash: { S: batch.fileHash },
    contentHash: { S: batch.contentHash },
    rowCount: { N: String(batch.rows) },
    controlTotals: { S: packedTotals(batch.totals) },
    parts: { N: String(batch.parts) },
    registeredBy: { S: batch.by },
    createdAt: { N: String(batch.createdAtMs) },
    ...(batch.merchant !== undefined && { merchant: { S: batch.merchant } }),
    ...(batch.heldUntilMs !== undefined && { heldUntil: { N: String(batch.heldUntilMs) } }),
  };
}

/** The item of a part. Its rows are one text, a line each: minor units, currency, and the key, which may hold spaces. */
export function partItem(batchId: string, n: number, rows: readonly BatchRow[]): BatchItem {
  const line = ({ orderKey, money }: BatchRow) => `${money?.minorUnits ?? '-'} ${money?.currency ?? '-'} ${orderKey}`;
  return {
    pk: { S: partKey(batchId, n) },
    v: { N: String(batchLayoutVersion) },
    partRows: { S: rows.map(line).join('\n') },
  };
}

/** A line each: end, currency, count, minor units, how many are not final, and how many are elsewhere. */
export function packedTally(tally: Tally): string {
  return tally
    .map((it) => `${it.end} ${it.currency ?? '-'} ${it.count} ${it.minorUnits} ${it.notFinal} ${it.elsewhere}`)
    .join('\n');
}

/** When it closed, and the tally. */
export const packedClosure = ({ atMs, tally }: Closure): string => `${atMs}\n${packedTally(tally)}`;

/** By whom, from when until when, and why. */
export const packedApproval = (it: Approval): string => JSON.stringify(it);

const text = v.pipe(
  v.object({ S: v.string() }),
  v.transform(({ S }) => S),
);
const whole = v.pipe(
  v.object({ N: v.pipe(v.string(), v.regex(/^\d+$/)) }),
  v.transform(({ N }) => Number(N)),
);
const layout = v.pipe(whole, v.maxValue(batchLayoutVersion));
const digits = v.pipe(v.string(), v.regex(/^\d+$/));
const count = v.pipe(digits, v.transform(Number));
const minorUnits = v.pipe(
  digits,
  v.transform((it) => BigInt(it)),
);

const approvalSchema = v.object({
  by: v.string(),
  reason: v.exactOptional(v.string()),
  atMs: v.number(),
  expiresAtMs: v.number(),
});

const headerSchema = v.object({
  pk: text,
  v: layout,
  batchState: v.pipe(text, v.picklist(batchStates)),
  fileHash: text,
  contentHash: text,
  rowCount: whole,
  controlTotals: text,
  parts: whole,
  registeredBy: text,
  createdAt: whole,
  merchant: v.exactOptional(text),
  heldUntil: v.exactOptional(whole),
  uploadedAt: v.exactOptional(whole),
  approval: v.exactOptional(v.pipe(text, v.parseJson(), approvalSchema)),
  closure: v.exactOptional(text),
  unpublished: v.exactOptional(v.object({ BOOL: v.literal(true) })),
});

/** Reads a header; undefined for one that this version can't read whole: guessing could send what nobody approved. */
export function batchOf(item: BatchItem): Batch | undefined {
  const read = v.safeParse(headerSchema, item);
  if (!read.success) return undefined;
  const it = read.output;
  return {
    batchId: it.pk.slice(headerKey('').length),
    fileHash: it.fileHash,
    contentHash: it.contentHash,
    rows: it.rowCount,
    totals: unpackedTotals(it.controlTotals),
    parts: it.parts,
    state: it.batchState,
    by: it.registeredBy,
    createdAtMs: it.createdAt,
    ...(it.merchant !== undefined && { merchant: it.merchant }),
    ...(it.heldUntil !== undefined && { heldUntilMs: it.heldUntil }),
    ...(it.uploadedAt !== undefined && { uploadedAtMs: it.uploadedAt }),
    ...(it.approval && { approval: it.approval }),
    ...(it.closure !== undefined && { closure: unpackedClosure(it.closure) }),
    ...(it.unpublished && { unpublished: true }),
  };
}

const partSchema = v.object({ pk: text, v: layout, partRows: text, tally: v.exactOptional(text) });

/** Reads a part; throws on one that this version can't read: no row of it may be left out of a count. */
export function partOf(item: BatchItem): BatchPart {
  const it = v.parse(partSchema, item);
  return {
    n: Number(it.pk.slice(it.pk.lastIndexOf('/') + 1)),
    rows: it.partRows.split('\n').map(unpackedRow),
    ...(it.tally !== undefined && { tally: unpackedTally(it.tally) }),
  };
}

function unpackedRow(line: string): BatchRow {
  const [units = '', currency = ''] = line.split(' ', 2);
  const orderKey = line.slice(units.length + currency.length + 2);
  return currency === '-' ? { orderKey } : { orderKey, money: { currency, minorUnits: v.parse(minorUnits, units) } };
}

const tallyLine = v.tuple([v.picklist(rowEnds), v.string(), count, minorUnits, count, count]);

function unpackedTally(packed: string): Tally {
  if (packed === '') return [];
  return packed.split('\n').map((line) => {
    const [end, currency, rows, units, notFinal, elsewhere] = v.parse(tallyLine, line.split(' '));
    return { end, ...(currency !== '-' && { currency }), count: rows, minorUnits: units, notFinal, elsewhere };
  });
}

function unpackedClosure(packed: string): Closure {
  const [atMs = '', ...lines] = packed.split('\n');
  return { atMs: v.parse(count, atMs), tally: unpackedTally(lines.join('\n')) };
}

function unpackedTotals(packed: string): Totals {
  const currencies = packed === '' ? [] : packed.split(',').map((it) => it.split(' '));
  return Object.fromEntries(
    currencies.map(([currency = '', rows, units]) => [
      currency,
      { count: v.parse(count, rows), minorUnits: v.parse(minorUnits, units) },
    ]),
  );
}
