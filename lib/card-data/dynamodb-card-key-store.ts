// The table of card keys: a key is kept under its order's name, and the claim that takes it deletes it. The table holds nothing else, and
// no backup is made of it: a key that came back would open the CVV of an order that was sent.
import {
  type AttributeValue,
  ConditionalCheckFailedException,
  DeleteItemCommand,
  GetItemCommand,
  PutItemCommand,
} from '@aws-sdk/client-dynamodb';
import type { TimedTable } from '../aws/dynamodb-table.ts';
import { orderKey } from '../payout/order/order.ts';
import { cardKeyLifeDays } from '../payout/limits.ts';
import type { CardKey, CardKeyStore, ClaimedCardKeys } from './sealed-params.ts';

/** A key that goes again and again between a write and a read is no accident. */
const roundsAtMost = 5;

/** The keys of one table, for senders and for the worker. */
export function createDynamoDbCardKeyStore(options: TimedTable): CardKeyStore & ClaimedCardKeys {
  const { client, tableName: TableName, nowMs } = options;
  const at = (pk: string) => ({ TableName, Key: { pk: { S: pk } } });

  /** The item that is there instead of this one; AWS returns it with the failed condition, emulators may not. */
  async function instead(error: unknown, pk: string) {
    if (!(error instanceof ConditionalCheckFailedException)) throw error;
    return error.Item ?? (await client.send(new GetItemCommand({ ...at(pk), ConsistentRead: true }))).Item;
  }

  return {
    async deposit(order, key) {
      const pk = orderKey(order);
      for (let round = 0; round < roundsAtMost; round += 1) {
        const nowSeconds = Math.ceil(nowMs() / 1000);
        const expiresAt = { N: String(nowSeconds + cardKeyLifeDays * 86_400) };
        try {
          await client.send(
            new PutItemCommand({
              TableName,
              Item: { pk: { S: pk }, ji: { S: key.id }, jk: { S: key.secret }, expiresAt },
              // An expired key may stay there for days yet, and would go before it is used.
              ConditionExpression: 'attribute_not_exists(pk) OR expiresAt < :now',
              ExpressionAttributeValues: { ':now': { N: String(nowSeconds) } },
              ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
            }),
          );
          return key;
        } catch (error) {
          const stored = cardKeyOf(await instead(error, pk));
          if (stored) return stored;
        }
      }
      throw new Error("the order's card key comes and goes; deposit it later");
    },
    async take(pk, id) {
      try {
        const { Attributes } = await client.send(
          new DeleteItemCommand({
            ...at(pk),
            // Another key belongs to newer card data, and to another message.
            ConditionExpression: 'ji = :id',
            ExpressionAttributeValues: { ':id': { S: id } },
            ReturnValues: 'ALL_OLD',
          }),
        );
        return cardKeyOf(Attributes);
      } catch (error) {
        if (!(error instanceof ConditionalCheckFailedException)) throw error;
        return undefined;
      }
    },
  };
}

/** The key in an item, if there is one. */
function cardKeyOf(item: Readonly<Record<string, AttributeValue>> | undefined): CardKey | undefined {
  const [id, secret] = [item?.['ji']?.S, item?.['jk']?.S];
  return id === undefined || secret === undefined ? undefined : { id, secret };
}
