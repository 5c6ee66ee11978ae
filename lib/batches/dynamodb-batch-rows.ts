// What the ledger's table holds of the rows of a batch: their orders, and the notes of jobs that ended without one.
import { type FailureCode, isFailureCode } from '../payout/failures.ts';
import { type AttributeValue, UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import * as v from 'valibot';
import { type BatchRows, mayChangeAnEnd, type RowRecord } from './batch-row.ts';
import { type AnnouncingOptions, createDynamoDbAnnouncing, expiryOf } from '../aws/dynamodb-announcing.ts';
import type { RowNote } from '../payout/order-changes.ts';
import { cutToBytes, outsideTextLimitBytes } from '../gateway/redact.ts';
import { isKeyed, manyItems, type ManyItemsSource, putIfAbsent, updateIf } from '../aws/dynamodb-table.ts';
import { entryOf } from '../aws/ledger-item.ts';

/** Where the rows are and how long their notes live. */
export interface DynamoDbRowsOptions extends ManyItemsSource {
  readonly itemLifeDays: number;
  readonly nowMs: () => number;
}

/** DynamoDB reads a hundred items a call; each row may have an order and a note. */
const rowsPerCall = 50;
const layoutVersion = '1';

/** No batch id holds a slash, so a key names one batch and one order. */
const noteKey = (batchId: string, orderKey: string) => `~row/${batchId}/${orderKey}`;

/** Rows over the ledger's table. */
export function createDynamoDbBatchRows(options: DynamoDbRowsOptions): BatchRows {
  const { client, tableName, itemLifeDays, nowMs } = options;
  const changes = createDynamoDbAnnouncing(options);
  return {
    async note(batchId, orderKey, note) {
      // First: once the note stands, every change of the order must find its way to this batch.
      if (note.kind === 'elsewhere') await noteElsewhere(batchId, orderKey, options);
      const key = noteKey(batchId, orderKey);
      const expiresAt = { N: String(Math.ceil(nowMs() / 1000) + itemLifeDays * 86_400) };
      const item = { pk: { S: key }, v: { N: layoutVersion }, ...attributesOf(note), expiresAt };
      const isFirst = await putIfAbsent(client, tableName, item);
      if (!isFirst && note.kind === 'elsewhere')
        await updateIf(client, tableName, {
          key,
          condition: 'noteKind = :refused',
          set: attributesOf(note),
          values: { ':refused': { S: 'refused' } },
        });
      // Last: the message stays until this is done, and whoever counts by the announcement finds the note.
      if (mayChangeAnEnd(note, isFirst)) await changes.announce({ orderKey, revision: 0, batchId });
    },
    async read(batchId, rows, how) {
      const records = new Map<string, RowRecord>();
      for (let from = 0; from < rows.length; from += rowsPerCall) {
        const keys = rows.slice(from, from + rowsPerCall).map(({ orderKey }) => orderKey);
        const items = await manyItems([...keys, ...keys.map((key) => noteKey(batchId, key))], options, how);
        for (const key of keys) {
          const [item, note] = [items.get(key), items.get(noteKey(batchId, key))];
          const order = item && !isKeyed(item) ? item : undefined;
          if (order || note) records.set(key, { ...(order && orderOf(order)), ...(note && { note: noteOf(note) }) });
        }
      }
      return records;
    },
  };
}

type Item = Record<string, AttributeValue>;

function orderOf(item: Item): RowRecord {
  const found = entryOf(item);
  return found.kind === 'found' ? { entry: found.entry } : { unreadable: true };
}

function attributesOf(note: RowNote): Item {
  if (note.kind === 'elsewhere') return { noteKind: { S: note.kind } };
  const { code, message } = note.failure;
  const why = cutToBytes(message, outsideTextLimitBytes);
  return { noteKind: { S: note.kind }, failureCode: { S: code }, why: { S: why } };
}

const text = v.object({ S: v.string() });
const noteSchema = v.variant('kind', [
  v.object({ kind: v.literal('elsewhere') }),
  v.object({
    kind: v.literal('refused'),
    failureCode: v.object({ S: v.custom<FailureCode>((code) => typeof code === 'string' && isFailureCode(code)) }),
    why: text,
  }),
]);

function noteOf(item: Item): RowNote {
  const note = v.parse(noteSchema, { ...item, kind: item['noteKind']?.S });
  return note.kind === 'elsewhere'
    ? { kind: note.kind }
    : { kind: note.kind, failure: { code: note.failureCode.S, message: note.why.S } };
}

/** Which batches an order is a row of, beside the one that it bears. */
export const elsewhereKey = (orderKey: string) => `~also/${orderKey}`;

/** Notes that a row of this batch is the order too, though the order does not bear the batch. */
async function noteElsewhere(batchId: string, orderKey: string, options: AnnouncingOptions): Promise<void> {
  await options.client.send(
    new UpdateItemCommand({
      TableName: options.tableName,
      Key: { pk: { S: elsewhereKey(orderKey) } },
      UpdateExpression: 'ADD batches :batch SET expiresAt = :life, v = :layout',
      ExpressionAttributeValues: {
        ':batch': { SS: [batchId] },
        ':life': expiryOf(options),
        ':layout': { N: layoutVersion },
      },
    }),
  );
}
