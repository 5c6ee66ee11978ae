// Words of the gateway that fitted nowhere, kept in the item of their order: a set of eight, and a count of the others. Each
// is a write of its own that touches nothing else, so that no move of the order can wipe one out.
import { ConditionalCheckFailedException, type DynamoDBClient, UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import { surprisesKept } from '../payout/limits.ts';
import type { Ledger } from '../payout/ports.ts';

/** Keeps a word, or counts it where eight are kept already. */
export async function recordSurprise(
  { client, tableName: TableName }: { readonly client: DynamoDBClient; readonly tableName: string },
  key: string,
  word: string,
): ReturnType<Ledger['recordSurprise']> {
  const Key = { pk: { S: key } };
  const kept = await unlessCondition(async () => {
    const { Attributes } = await client.send(
      new UpdateItemCommand({
        TableName,
        Key,
        UpdateExpression: 'ADD su :words',
        ConditionExpression:
          'attribute_exists(pk) AND (attribute_not_exists(su) OR contains(su, :word) OR size(su) < :kept)',
        ExpressionAttributeValues: {
          ':words': { SS: [word] },
          ':word': { S: word },
          ':kept': { N: String(surprisesKept) },
        },
        // Of an attribute that a write leaves as it was, emulators differ in whether it counts as updated.
        ReturnValues: 'ALL_OLD',
      }),
    );
    return Attributes?.['su']?.SS?.includes(word) ? ('known' as const) : ('recorded' as const);
  });
  if (kept) return kept;
  const counted = await unlessCondition(async () => {
    await client.send(
      new UpdateItemCommand({
        TableName,
        Key,
        UpdateExpression: 'ADD sm :one',
        ConditionExpression: 'attribute_exists(su)',
        ExpressionAttributeValues: { ':one': { N: '1' } },
      }),
    );
    return 'counted' as const;
  });
  return counted ?? 'none';
}

async function unlessCondition<T>(write: () => Promise<T>): Promise<T | undefined> {
  try {
    return await write();
  } catch (error) {
    if (error instanceof ConditionalCheckFailedException) return undefined;
    throw error;
  }
}
