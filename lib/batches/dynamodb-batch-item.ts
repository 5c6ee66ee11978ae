// Batches as items of the table of batches. Their keys begin with "~", which no merchant's name does; they have no
// attribute `version`, by which orders are recognised.
import * as v from 'valibot';
import {
  type Batch,
  type BatchPart,
  type BatchRow,
  batchStates,
  type Closure,
  abandonedFromMs,
  type Looked,
} from './batch.ts';
import { whereSet } from '../payout/where-set.ts';
import type { FileReading } from '../files/file-reading.ts';
import { type Item, N, S, textAttribute as text, wholeAttribute as whole } from '../aws/dynamodb-table.ts';
import { minorUnitsSchema } from '../payout/order/fact-schemas.ts';
import { packedTally, packedTotals, unpackedTally, unpackedTotals } from './tally.ts';
import { batchLayoutVersion, dueAt, headerKey } from './dynamodb-approvals.ts';

/** A {@link FileReading}, as the header of a batch and a layout in a file write it. */
export const fileReadingSchema = v.strictObject({
  merchant: v.exactOptional(v.string()),
  operation: v.exactOptional(v.string()),
  endpoint: v.exactOptional(v.string()),
  sheet: v.exactOptional(v.string()),
  decimal: v.exactOptional(v.picklist(['dot', 'comma'])),
  columns: v.exactOptional(v.record(v.string(), v.string())),
}) satisfies v.GenericSchema<unknown, FileReading>;

/** A part of a batch; no batch id holds a slash. */
export const partKey = (batchId: string, n: number): string => `~bulk/${batchId}/${n}`;
/** The batch that took a file first. */
export const fileKey = (fileHash: string): string => `~file/${fileHash}`;

/** The item of a header as it is registered. */
export function headerItem(batch: Batch): Item {
  const leftMs = abandonedFromMs(batch);
  return whereSet<Item>({
    pk: S(headerKey(batch.batchId)),
    v: N(batchLayoutVersion),
    batchState: S(batch.state),
    fileHash: S(batch.fileHash),
    contentHash: S(batch.contentHash),
    rowCount: N(batch.rows),
    controlTotals: S(packedTotals(batch.totals)),
    parts: N(batch.parts),
    registeredBy: S(batch.by),
    fileReading: S(JSON.stringify(batch.reading)),
    createdAt: N(batch.createdAtMs),
    merchant: S(batch.merchant),
    heldUntil: N(batch.heldUntilMs),
    ...(leftMs !== undefined && dueAt(leftMs)),
  });
}

/** The item of a part. Its rows are one text, a line each: minor units, currency, digest (`~` and the end that is opened), and the key. */
export function partItem(batchId: string, n: number, rows: readonly BatchRow[]): Item {
  const line = ({ orderKey, money, digest, resends }: BatchRow) =>
    `${money?.minorUnits ?? '-'} ${money?.currency ?? '-'} ${digest}${resends === undefined ? '' : `~${resends}`} ${orderKey}`;
  return {
    pk: S(partKey(batchId, n)),
    v: N(batchLayoutVersion),
    partRows: S(rows.map(line).join('\n')),
  };
}

/** The published state of a batch; the next revision's condition compares this one. */
export function closureAttributes({ revision, atMs, firstAtMs, tally }: Closure): Item {
  return {
    publishedRevision: N(revision),
    publishedAt: N(atMs),
    firstPublishedAt: N(firstAtMs),
    publishedTally: S(packedTally(tally)),
  };
}

const layout = v.pipe(whole, v.maxValue(batchLayoutVersion));

/** Unpacks a text. A text that can't be unpacked makes its item invalid, and throws nothing at those who list items. */
const unpacked = <T>(unpack: (packed: string) => T) =>
  v.pipe(
    text,
    v.rawTransform(({ dataset, addIssue, NEVER }) => {
      try {
        return unpack(dataset.value);
      } catch {
        addIssue();
        return NEVER;
      }
    }),
  );

const approvalSchema = v.object({
  by: v.string(),
  reason: v.exactOptional(v.string()),
  atMs: v.number(),
  expiresAtMs: v.number(),
});

const lookedSchema = v.object({
  digest: v.string(),
  sinceMs: v.number(),
  counted: v.exactOptional(
    v.object({
      rows: v.number(),
      tally: v.string(),
      mayChangeUnheard: v.boolean(),
      startedMs: v.number(),
      revision: v.number(),
    }),
  ),
}) satisfies v.GenericSchema<unknown, Looked>;

const headerSchema = v.object({
  pk: text,
  v: layout,
  batchState: v.pipe(text, v.picklist(batchStates)),
  fileHash: text,
  contentHash: text,
  rowCount: whole,
  controlTotals: unpacked(unpackedTotals),
  parts: whole,
  registeredBy: text,
  fileReading: v.pipe(text, v.parseJson(), fileReadingSchema),
  createdAt: whole,
  merchant: v.exactOptional(text),
  heldUntil: v.exactOptional(whole),
  uploadMovedAt: v.exactOptional(whole),
  uploadedAt: v.exactOptional(whole),
  approval: v.exactOptional(v.pipe(text, v.parseJson(), approvalSchema)),
  onePersonAt: v.exactOptional(whole),
  wokenAt: v.exactOptional(whole),
  looked: v.exactOptional(v.pipe(text, v.parseJson(), lookedSchema)),
  publishedRevision: v.exactOptional(whole),
  publishedAt: v.exactOptional(whole),
  firstPublishedAt: v.exactOptional(whole),
  publishedTally: v.exactOptional(unpacked(unpackedTally)),
  unpublished: v.exactOptional(v.object({ BOOL: v.literal(true) })),
});

/** Reads a header; undefined for one that this version can't read whole: guessing could send unapproved rows. */
export function batchOf(item: Item): Batch | undefined {
  const read = v.safeParse(headerSchema, item);
  if (!read.success) return undefined;
  const header = read.output;
  return {
    batchId: header.pk.slice(headerKey('').length),
    fileHash: header.fileHash,
    contentHash: header.contentHash,
    rows: header.rowCount,
    totals: header.controlTotals,
    parts: header.parts,
    state: header.batchState,
    by: header.registeredBy,
    reading: header.fileReading,
    createdAtMs: header.createdAt,
    merchant: header.merchant,
    heldUntilMs: header.heldUntil,
    uploadMovedAtMs: header.uploadMovedAt,
    uploadedAtMs: header.uploadedAt,
    approval: header.approval,
    onePersonAtMs: header.onePersonAt,
    wokenAtMs: header.wokenAt,
    looked: header.looked,
    ...closureOf(header),
    ...(header.unpublished && { unpublished: true }),
  };
}

function closureOf(header: v.InferOutput<typeof headerSchema>): Pick<Batch, 'closure'> {
  const { publishedRevision: revision, publishedAt: atMs, firstPublishedAt: firstAtMs, publishedTally: tally } = header;
  if (revision === undefined || atMs === undefined || firstAtMs === undefined || tally === undefined) return {};
  return { closure: { revision, atMs, firstAtMs, tally } };
}

const partSchema = v.object({ pk: text, v: layout, partRows: text });

/** The number of a part, by its key. */
export const numberOf = (pk: string) => Number(pk.slice(pk.lastIndexOf('/') + 1));

/** Reads a part; throws on one that this version can't read: no row of it may be left out of a count. */
export function partOf(item: Item): BatchPart {
  const part = v.parse(partSchema, item);
  return { n: numberOf(part.pk), rows: part.partRows.split('\n').map(unpackedRow) };
}

function unpackedRow(line: string): BatchRow {
  const [units = '', currency = '', asked = ''] = line.split(' ', 3);
  const orderKey = line.slice(units.length + currency.length + asked.length + 3);
  const [digest = '', resends] = asked.split('~', 2);
  const money = currency === '-' ? undefined : { currency, minorUnits: v.parse(minorUnitsSchema, units) };
  return { orderKey, digest, resends, money };
}
