// The notes of jobs in the ledger's table: of rows whose end no order shows, and of each order that is a row of several batches,
// which batches these are. The writer of notes needs to know nothing of batches.
import { type AttributeValue, UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import * as v from 'valibot';
import { type AnnouncingOptions, createDynamoDbAnnouncing } from '../aws/dynamodb-announcing.ts';
import { expiryIn, putIfAbsent, updateIf } from '../aws/dynamodb-table.ts';
import { cutToBytes, outsideTextLimitBytes } from '../gateway/redact.ts';
import { type FailureCode, isFailureCode } from '../payout/message/failures.ts';
import { firstRevision } from '../payout/order/order-changes.ts';
import { mayChangeAnEnd, type NotedRow, type RowNote, type RowNotes } from '../payout/submit/note-row.ts';

const layoutVersion = '1';

/** Neither a batch id nor a digest holds a slash, so a key names one batch, one content and one order. */
export const noteKey = ({ batchId, digest, orderKey }: NotedRow) => `~row/${batchId}/${digest}/${orderKey}`;

/** Notes over the ledger's table; they live for `itemLifeDays`. */
export function createDynamoDbRowNotes(options: AnnouncingOptions): RowNotes {
  const { client, tableName, itemLifeDays, nowMs } = options;
  const changes = createDynamoDbAnnouncing(options);
  return {
    announceOrder: ({ orderKey, batchId }) => changes.announce({ orderKey, revision: firstRevision, batchId }),
    async note(row, note) {
      const { batchId, orderKey } = row;
      // First: once the note is written, every change of the order must find its way to this batch.
      if (note.kind === 'elsewhere') await noteElsewhere(batchId, orderKey, options);
      const key = noteKey(row);
      const expiresAt = expiryIn(itemLifeDays, nowMs());
      const item = { pk: { S: key }, v: { N: layoutVersion }, ...attributesOf(note), expiresAt };
      const isFirst = await putIfAbsent(client, tableName, item);
      if (!isFirst && note.kind === 'elsewhere')
        await updateIf(client, tableName, {
          key,
          condition: 'noteKind = :refused',
          set: attributesOf(note),
          values: { ':refused': { S: 'refused' } },
        });
      // Last: the message stays until this is done, and the sweeper that counts by the announcement finds the note.
      if (mayChangeAnEnd(note, isFirst)) await changes.announce({ orderKey, revision: 0, batchId });
    },
  };
}

type Item = Record<string, AttributeValue>;

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

/** Reads a note; undefined for one that this version cannot read. */
export function noteOf(item: Item): RowNote | undefined {
  const read = v.safeParse(noteSchema, { ...item, kind: item['noteKind']?.S });
  if (!read.success) return undefined;
  const note = read.output;
  return note.kind === 'elsewhere'
    ? { kind: note.kind }
    : { kind: note.kind, failure: { code: note.failureCode.S, message: note.why.S } };
}

/** The batches of which an order is a row, beside the one that it bears. */
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
        ':life': expiryIn(options.itemLifeDays, options.nowMs()),
        ':layout': { N: layoutVersion },
      },
    }),
  );
}
