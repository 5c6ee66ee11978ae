// Many items in one call. DynamoDB may leave some of them unread, and says which; emulators never do.
import { BatchGetItemCommand, type BatchGetItemCommandOutput, type DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { expect, it } from 'vitest';
import { manyItems } from '../../lib/aws/dynamodb-table.ts';

/** A table that holds every key and reads so many of them a call; what it was asked for, call by call. */
function aTableThatReads(atOnce: number) {
  const asked: string[][] = [];
  const slept: number[] = [];
  const send = async (command: BatchGetItemCommand): Promise<Partial<BatchGetItemCommandOutput>> => {
    const keys = command.input.RequestItems?.['orders']?.Keys ?? [];
    asked.push(keys.map((it) => it['pk']?.S ?? ''));
    const [read, left] = [keys.slice(0, atOnce), keys.slice(atOnce)];
    return { Responses: { orders: read }, ...(left.length > 0 && { UnprocessedKeys: { orders: { Keys: left } } }) };
  };
  const client = { send } as unknown as DynamoDBClient;
  const sleep = async (ms: number) => void slept.push(ms);
  return { asked, slept, source: { client, tableName: 'orders', sleep } };
}

it('what it leaves unread is asked for again, after a while', async () => {
  const { asked, slept, source } = aTableThatReads(2);
  const found = await manyItems(['a', 'b', 'c', 'd', 'e'], source);
  expect([...found.keys()]).toEqual(['a', 'b', 'c', 'd', 'e']);
  expect(asked).toEqual([['a', 'b', 'c', 'd', 'e'], ['c', 'd', 'e'], ['e']]);
  expect(slept).toEqual([100, 200]);
});

it('more than one call may name are read in several', async () => {
  const { asked, source } = aTableThatReads(100);
  const keys = Array.from({ length: 101 }, (_, at) => `k${at}`);
  expect((await manyItems(keys, source)).size).toBe(101);
  expect(asked.map((of) => of.length)).toEqual([100, 1]);
});

it('what it leaves unread again and again is no item that is not there', async () => {
  const { source } = aTableThatReads(0);
  await expect(manyItems(['a'], source)).rejects.toThrow('left items unread');
});
