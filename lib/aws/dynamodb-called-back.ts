// The number of orders of a merchant that callbacks have begun and that wait for a person: one item a merchant beside its orders. It is
// counted up before such an order begins, where there was none a moment before, and down once a person has decided, or where the order
// did not begin. A process that dies between the two leaves a place taken, and a lost answer counts one too many or too few: each such
// accident moves the bound of a thousand by one, no money goes by it, and an administrator sets the number right (runbook,
// check-dead-letters).
import { type DynamoDBClient, UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import { isWritten } from './dynamodb-table.ts';

/** The places of one table. */
export interface CalledBackPlaces {
  /** False where as many orders wait as may. */
  take(merchant: string): Promise<boolean>;
  /** Returns a place, by best effort. */
  giveBack(merchant: string): Promise<void>;
}

/** The places over the table of orders; their keys begin with "~", which no merchant's name does. */
export function createCalledBackPlaces(
  { client, TableName }: { readonly client: DynamoDBClient; readonly TableName: string },
  atMost: number,
): CalledBackPlaces {
  const counted = (merchant: string, by: 1 | -1, condition: string, bound: number) =>
    isWritten(() =>
      client.send(
        new UpdateItemCommand({
          TableName,
          Key: { pk: { S: `~called-back/${merchant}` } },
          UpdateExpression: 'ADD im :by',
          ConditionExpression: condition,
          ExpressionAttributeValues: { ':by': { N: String(by) }, ':bound': { N: String(bound) } },
        }),
      ),
    );
  return {
    take: (merchant) => counted(merchant, 1, 'attribute_not_exists(im) OR im < :bound', atMost),
    async giveBack(merchant) {
      await counted(merchant, -1, 'im > :bound', 0).catch(() => false);
    },
  };
}
