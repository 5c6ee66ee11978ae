// One write under condition: that the condition failed is an answer, not an error.
import {
  type AttributeValue,
  ConditionalCheckFailedException,
  type DynamoDBClient,
  PutItemCommand,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';

type Item = Record<string, AttributeValue>;

/** Puts the item if nothing stands under its key; false when something does. */
export async function putIfAbsent(client: DynamoDBClient, tableName: string, item: Item): Promise<boolean> {
  const ConditionExpression = 'attribute_not_exists(pk)';
  return written(() => client.send(new PutItemCommand({ TableName: tableName, Item: item, ConditionExpression })));
}

/** What an update names: the item, what must hold of it, what becomes of it. */
export interface ConditionalUpdate {
  readonly key: string;
  readonly condition: string;
  readonly set?: Item;
  readonly remove?: readonly string[];
  /** Values that the condition names. */
  readonly values: Item;
}

/** Updates the item if the condition holds; false when it does not. */
export async function updateIf(client: DynamoDBClient, tableName: string, it: ConditionalUpdate): Promise<boolean> {
  const { key, condition, set = {}, remove = [], values } = it;
  const names = Object.keys(set);
  const actions = [
    ...(names.length > 0 ? [`SET ${names.map((name) => `#${name} = :${name}`).join(', ')}`] : []),
    ...(remove.length > 0 ? [`REMOVE ${remove.map((name) => `#${name}`).join(', ')}`] : []),
  ];
  const command = new UpdateItemCommand({
    TableName: tableName,
    Key: { pk: { S: key } },
    ConditionExpression: condition,
    UpdateExpression: actions.join(' '),
    ExpressionAttributeNames: Object.fromEntries([...names, ...remove].map((name) => [`#${name}`, name])),
    ExpressionAttributeValues: {
      ...Object.fromEntries(Object.entries(set).map(([name, value]) => [`:${name}`, value])),
      ...values,
    },
  });
  return written(() => client.send(command));
}

async function written(write: () => Promise<unknown>): Promise<boolean> {
  try {
    await write();
    return true;
  } catch (error) {
    if (error instanceof ConditionalCheckFailedException) return false;
    throw error;
  }
}
