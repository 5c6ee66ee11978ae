// How long orders take at their endpoints, in the table of controls: one item per merchant and endpoint, its key one that no
// order can have, a number for each bucket of age. Writers add to it and never wait for each other; what is read is a
// minute old. Only a hint: whatever fails here, orders are asked about in the plain rhythm.
import { GetItemCommand, UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import {
  endBuckets,
  type EndsSeen,
  endsSeen,
  type EndTimes,
  endsToLearnFrom,
  halved,
  halvedFrom,
} from '../payout/accepted-rhythm.ts';
import type { LedgerTable } from './dynamodb-table.ts';
import type { Item } from './ledger-item.ts';
import { createTtlCache } from './ttl-cache.ts';

const servesMs = 60_000;
const keptAtMost = 1_000;
/** One process writes so often at most of an endpoint that is known: a flood of ends must not make its item hot. */
const writtenEveryMs = 1_000;
const lifeSeconds = 90 * 86_400;

/** Over the table of controls. */
export function createDynamoDbEndTimes({
  client,
  tableName: TableName,
  nowMs,
}: Pick<LedgerTable, 'client' | 'tableName' | 'nowMs'>): EndTimes {
  const keyOf = (merchant: string, endpointId: string) => `~learnt/${merchant}/${endpointId}`;
  const { of: read, forget } = createTtlCache({ read: seenAt, servesMs, keptAtMost, nowMs });
  const writtenAtMs = new Map<string, number>();

  async function seenAt(key: string): Promise<EndsSeen | undefined> {
    const { Item } = await client.send(new GetItemCommand({ TableName, Key: { pk: { S: key } } }));
    return Item && seenOf(Item);
  }

  async function add(key: string, bucket: number, calledBack: boolean): Promise<void> {
    const { Attributes = {} } = await client.send(
      new UpdateItemCommand({
        TableName,
        Key: { pk: { S: key } },
        ConditionExpression: 'attribute_not_exists(st)',
        UpdateExpression: `ADD #bucket :one, calledBack :told SET expiresAt = :expires`,
        ExpressionAttributeNames: { '#bucket': `b${bucket}` },
        ExpressionAttributeValues: {
          ':one': { N: '1' },
          ':told': { N: calledBack ? '1' : '0' },
          ':expires': { N: String(Math.ceil(nowMs() / 1000) + lifeSeconds) },
        },
        ReturnValues: 'ALL_NEW',
      }),
    );
    const ends = seenOf(Attributes);
    const total = endsSeen(ends);
    // Who learns wants to know at once.
    if (total <= endsToLearnFrom) forget(key);
    if (total >= halvedFrom) await halve(key, ends, bucket);
  }

  /** Only over what was read: of several that want to halve it, one does. */
  async function halve(key: string, ends: EndsSeen, bucket: number): Promise<void> {
    const { counts, calledBack } = halved(ends);
    const buckets = counts.map((count, at) => [`b${at}`, count] as const);
    const values = [...buckets, ['calledBack', calledBack] as const];
    await client.send(
      new UpdateItemCommand({
        TableName,
        Key: { pk: { S: key } },
        ConditionExpression: `b${bucket} = :was`,
        UpdateExpression: `SET ${values.map(([name]) => `${name} = :${name}`).join(', ')}`,
        ExpressionAttributeValues: {
          ':was': { N: String(ends.counts[bucket]) },
          ...Object.fromEntries(values.map(([name, count]) => [`:${name}`, { N: String(count) }])),
        },
      }),
    );
  }

  return {
    of: (merchant, endpointId) => read(keyOf(merchant, endpointId)).catch(() => undefined),
    async saw(merchant, endpointId, { bucket, calledBack }) {
      const key = keyOf(merchant, endpointId);
      const known = await read(key).catch(() => undefined);
      const isKnown = known !== undefined && endsSeen(known) >= endsToLearnFrom;
      if (isKnown && nowMs() < (writtenAtMs.get(key) ?? 0) + writtenEveryMs) return;
      writtenAtMs.set(key, nowMs());
      // An end that could not be counted is only one that taught nothing.
      await add(key, bucket, calledBack).catch(() => {});
    },
  };
}

function seenOf(item: Item): EndsSeen {
  const counts = Array.from({ length: endBuckets }, (_, at) => Number(item[`b${at}`]?.N ?? 0));
  return { counts, calledBack: Number(item['calledBack']?.N ?? 0) };
}
