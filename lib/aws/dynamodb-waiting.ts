// Waiting rows in DynamoDB: one item a row under its order's key and place, and the index of lines, which is not sparse: every row
// is in it. A put, a move and a removal are each one write under condition. The sealed job is stored as bytes: the row of a job under
// a kilobyte must cost one unit.
import {
  type AttributeValue,
  DeleteItemCommand,
  GetItemCommand,
  PutItemCommand,
  QueryCommand,
  ScanCommand,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';
import { wholeIndex } from '../payout/inquire/due-work.ts';
import { laneOfName, nameOfLane } from '../payout/lanes/lane.ts';
import {
  lineCountedTo,
  placesOfOrder,
  type LineShard,
  type RowHead,
  type RowPlace,
  shardsOf,
  type WaitingRow,
  type WaitingRows,
} from '../payout/waiting/waiting-row.ts';
import { isWritten, manyItems, type ManyItemsSource, pagesOf } from './dynamodb-table.ts';

type Item = Record<string, AttributeValue>;

const indexName = 'line';
const roundsAtMost = 6;
/** A reader that wants few need not pay for a whole page, which holds several thousand. */
const scannedAtOnce = 2_000;
/** 16 digits of a moment in ms sort as it does. */
const momentDigits = 16;

const keyOf = ({ key, slot }: RowPlace) => `${key}#${slot}`;
const placeOf = (pk: string): RowPlace => ({ key: pk.slice(0, -2), slot: Number(pk.slice(-1)) });
/** Neither a merchant's name nor an endpoint's holds this sign. */
const lineOf = ({ lane, class: of, shard }: LineShard) => `${nameOfLane(lane)}|${of}|${shard}`;
const goOf = (goAtMs: number, place: RowPlace) => `${String(goAtMs).padStart(momentDigits, '0')}/${keyOf(place)}`;

/** Waiting rows over one table. Long: its calls, one after the other. */
export function createDynamoDbWaiting(table: ManyItemsSource): WaitingRows {
  const { client, tableName: TableName } = table;

  async function query(shard: LineShard, after: string, Limit: number) {
    const { Items = [] } = await client.send(
      new QueryCommand({
        TableName,
        IndexName: indexName,
        KeyConditionExpression: 'li = :line AND #go > :after',
        ExpressionAttributeNames: { '#go': 'go' },
        ExpressionAttributeValues: { ':line': { S: lineOf(shard) }, ':after': { S: after } },
        Limit,
      }),
    );
    return Items.map(headOf);
  }

  /** One shard after the other, so that no more is read than is counted. */
  async function countAll(shards: readonly LineShard[]): Promise<number> {
    let rows = 0;
    for (const shard of shards) rows += rows < lineCountedTo ? await count(shard, lineCountedTo - rows) : 0;
    return rows;
  }

  async function count(shard: LineShard, atMost: number): Promise<number> {
    let rows = 0;
    const pages = pagesOf((from) =>
      client.send(
        new QueryCommand({
          TableName,
          IndexName: indexName,
          KeyConditionExpression: 'li = :line',
          ExpressionAttributeValues: { ':line': { S: lineOf(shard) } },
          Select: 'COUNT',
          Limit: Math.max(atMost - rows, 1),
          ...from,
        }),
      ),
    );
    for await (const { Count = 0 } of pages) {
      rows += Count;
      if (rows >= atMost) break;
    }
    return rows;
  }

  /** Puts where there is no item, or the same message. */
  function putAt(row: WaitingRow): Promise<boolean> {
    return isWritten(() =>
      client.send(
        new PutItemCommand({
          TableName,
          Item: itemOf(row),
          ConditionExpression: 'attribute_not_exists(pk) OR dg = :digest',
          ExpressionAttributeValues: { ':digest': bytes(row.digest) },
        }),
      ),
    );
  }

  async function ofOrder(key: string): Promise<readonly WaitingRow[]> {
    const keys = Array.from({ length: placesOfOrder }, (_, slot) => keyOf({ key, slot }));
    const found = await manyItems(keys, table, { consistent: true });
    return [...found.values()].map(rowOf).toSorted((a, b) => a.slot - b.slot);
  }

  return {
    ofOrder,
    async put(row) {
      // Most orders have one message: its first place is tried without a read.
      const wanted = preferredSlot(row.digest);
      if (await putAt({ ...row, slot: wanted })) return 'put';
      for (let round = 0; round < roundsAtMost; round += 1) {
        const kept = await ofOrder(row.key);
        const same = kept.find(({ digest }) => digest === row.digest);
        const taken = new Set(kept.map(({ slot }) => slot));
        const free = Array.from({ length: placesOfOrder }, (_, slot) => slot).find((slot) => !taken.has(slot));
        const slot = same?.slot ?? free;
        if (slot === undefined) return 'full';
        if (await putAt({ ...row, slot })) return 'put';
      }
      throw new Error('others were faster at every place of the order, again and again');
    },
    async read(place) {
      const { Item: item } = await client.send(
        new GetItemCommand({ TableName, Key: { pk: { S: keyOf(place) } }, ConsistentRead: true }),
      );
      return item && rowOf(item);
    },
    heads: (shard, after, atMost) => query(shard, after ? goOf(after.goAtMs, after) : '0', atMost),
    async length(lane, of) {
      const shards = shardsOf(lane, of);
      const [rows, firsts] = await Promise.all([
        countAll(shards),
        Promise.all(shards.map((shard) => query(shard, '0', 1))),
      ]);
      const heads = firsts.flat();
      if (heads.length === 0) return { rows };
      const oldestSinceMs = Math.min(...heads.map(({ sinceMs }) => sinceMs));
      return { rows, oldestSinceMs, firstGoAtMs: Math.min(...heads.map(({ goAtMs }) => goAtMs)) };
    },
    move: (row, { goAtMs, because }) =>
      isWritten(() =>
        client.send(
          new UpdateItemCommand({
            TableName,
            Key: { pk: { S: keyOf(row) } },
            ConditionExpression: 'nonce = :nonce',
            UpdateExpression: 'SET #go = :go, be = :because, wa = :waits',
            ExpressionAttributeNames: { '#go': 'go' },
            ExpressionAttributeValues: {
              ':nonce': { S: row.nonce },
              ':go': { S: goOf(goAtMs, row) },
              ':because': { S: because },
              ':waits': { N: String(row.waits + 1) },
            },
          }),
        ),
      ),
    remove: (row) =>
      isWritten(() =>
        client.send(
          new DeleteItemCommand({
            TableName,
            Key: { pk: { S: keyOf(row) } },
            ConditionExpression: 'nonce = :nonce',
            ExpressionAttributeValues: { ':nonce': { S: row.nonce } },
          }),
        ),
      ),
    async *all({ part, of } = wholeIndex) {
      const segment = of > 1 && { Segment: part, TotalSegments: of };
      const pages = pagesOf((from) =>
        client.send(new ScanCommand({ TableName, IndexName: indexName, Limit: scannedAtOnce, ...segment, ...from })),
      );
      for await (const { Items = [] } of pages) yield* Items.map(headOf);
    },
  };
}

/** The place by the digest, so that a repeated message finds itself at once. */
const preferredSlot = (digest: string): number => digest.charCodeAt(0) % placesOfOrder;

/** The bytes of a base64url text. */
const bytes = (text: string) => ({ B: Buffer.from(text, 'base64url') });

function itemOf(row: WaitingRow): Item {
  const { expiresAtMs, batchId, money, redrives, groupId, sealed } = row;
  return {
    pk: { S: keyOf(row) },
    li: { S: lineOf(row) },
    go: { S: goOf(row.goAtMs, row) },
    si: { N: String(row.sinceMs) },
    ...(expiresAtMs !== undefined && { ex: { N: String(expiresAtMs) } }),
    ...(batchId !== undefined && { ba: { S: batchId } }),
    ...(money && { cu: { S: money.currency }, mi: { N: String(money.minorUnits) } }),
    nonce: { S: row.nonce },
    dg: bytes(row.digest),
    id: { S: row.messageId },
    wa: { N: String(row.waits) },
    be: { S: row.because },
    ...(redrives !== undefined && { rd: { N: String(redrives) } }),
    ...(groupId !== undefined && { gr: { S: groupId } }),
    wk: bytes(sealed.wrappedKey),
    iv: bytes(sealed.iv),
    tx: bytes(sealed.text),
  };
}

function headOf({ pk, li, go, si, ex, ba, cu, mi, be }: Item): RowHead {
  const [name = '', of, shard] = (li?.S ?? '').split('|');
  return {
    ...placeOf(pk?.S ?? ''),
    lane: laneOfName(name),
    class: of === 'urgent' ? 'urgent' : 'row',
    shard: Number(shard),
    goAtMs: Number((go?.S ?? '').slice(0, momentDigits)),
    sinceMs: Number(si?.N),
    because: be?.S ?? '',
    ...(ex?.N !== undefined && { expiresAtMs: Number(ex.N) }),
    ...(ba?.S !== undefined && { batchId: ba.S }),
    ...(cu?.S !== undefined &&
      /^\d+$/.test(mi?.N ?? '') && { money: { currency: cu.S, minorUnits: BigInt(mi?.N ?? 0) } }),
  };
}

function rowOf(item: Item): WaitingRow {
  const text = (name: string) => item[name]?.S ?? '';
  const packed = (name: string) => Buffer.from(item[name]?.B ?? []).toString('base64url');
  const { rd, gr } = item;
  return {
    ...headOf(item),
    nonce: text('nonce'),
    digest: packed('dg'),
    messageId: text('id'),
    waits: Number(item['wa']?.N),
    ...(rd?.N !== undefined && { redrives: Number(rd.N) }),
    ...(gr?.S !== undefined && { groupId: gr.S }),
    sealed: { wrappedKey: packed('wk'), iv: packed('iv'), text: packed('tx') },
  };
}
