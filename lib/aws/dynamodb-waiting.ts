// Parked jobs in DynamoDB: an item each under order key and digest. The index `line` has every job, the sparse index `expiry` those that
// may expire in line. Each change of a job is one write. The sealed body is stored as bytes, so that a usual item stays under a
// kilobyte and costs one unit.
import {
  BatchGetItemCommand,
  DeleteItemCommand,
  QueryCommand,
  type QueryCommandInput,
  ScanCommand,
  UpdateItemCommand,
  ConditionalCheckFailedException,
} from '@aws-sdk/client-dynamodb';
import { type LaneName, laneOfName, nameOfLane } from '../payout/pace/lane-state.ts';
import {
  isUnproven,
  type JobPlace,
  type Line,
  lineCountedTo,
  parkedLine,
  lineShards,
  type ParkedHead,
  type ParkedJob,
  type ParkedJobs,
  parkedOfOrder,
  shownOfOrder,
  lineShardOf,
  waitsSinceMs,
} from '../payout/wait/parked-job.ts';
import { type DynamoDbTable, isWritten, type Item, N, pagesOf, putIfAbsent, S } from './dynamodb-table.ts';
import { whereSet } from '../payout/where-set.ts';

const [lineIndex, expiryIndex] = ['line', 'expiry'];
/** Items of one page of a scan: a reader of few jobs need not pay for a full page of several thousand. */
const scannedAtOnce = 2_000;
const readAtOnce = 100;
/** Heads of a shard that are read to measure a line; more may wait. */
const lookedAtMost = 20_000;

const keyOf = ({ key, digest }: JobPlace): Item => ({ pk: S(key), sk: S(digest) });
const nameOf = (lane: LaneName | undefined) => (lane ? nameOfLane(lane) : '');
/** No name of a merchant or endpoint holds `|`. */
const shardName = (lane: LaneName | undefined, line: Line, shard: number) => `${nameOf(lane)}|${line}|${shard}`;
const lineName = (head: Pick<ParkedHead, 'lane' | 'class' | 'because' | 'key'>) =>
  shardName(head.lane, parkedLine(head), lineShardOf(head.key));
/** True for a job that waits for its turn: only those are in the index `expiry`. Others check their expiry at their moment. */
const isInLine = (head: Pick<ParkedHead, 'lane' | 'class' | 'because'>) => parkedLine(head) !== 'moments';
const expiryName = (lane: LaneName | undefined, shard: number) => `${nameOf(lane)}|${shard}`;
/** Everything but the body, which the leader has no right to read. */
const headAlone = {
  ProjectionExpression:
    'pk, sk, line, goAt, jobClass, reason, since, firstSent, notBefore, expiry, batchId, currency, minorUnits',
};
const shards = Array.from({ length: lineShards }, (_, shard) => shard);

/** Parked jobs over one table. Long: each method is one call. */
export function createDynamoDbWaiting({ client, tableName: TableName }: DynamoDbTable): ParkedJobs {
  const ask = (input: Omit<QueryCommandInput, 'TableName'>) => client.send(new QueryCommand({ TableName, ...input }));
  const inLine = (name: string, values: Item = {}) => ({
    IndexName: lineIndex,
    KeyConditionExpression: 'line = :line',
    ExpressionAttributeValues: { ':line': S(name), ...values },
  });

  /** The first heads of a shard, due by `untilMs`. */
  async function query(name: string, Limit: number, untilMs: number) {
    const until = {
      ...inLine(name, { ':until': N(untilMs) }),
      KeyConditionExpression: 'line = :line AND goAt <= :until',
    };
    const { Items = [] } = await ask({ ...(Number.isFinite(untilMs) ? until : inLine(name)), Limit });
    return Items.map(headOf);
  }

  async function count(name: string, atMost: number): Promise<number> {
    let jobs = 0;
    const pages = pagesOf((from) =>
      ask({ ...inLine(name), Select: 'COUNT', Limit: Math.max(atMost - jobs, 1), ...from }),
    );
    for await (const { Count = 0 } of pages) {
      jobs += Count;
      if (jobs >= atMost) break;
    }
    return jobs;
  }

  /** For emulators that do not return the item with a failed condition. */
  async function read({ key, digest }: JobPlace): Promise<Item | undefined> {
    const { Items } = await ask({
      KeyConditionExpression: 'pk = :key AND sk = :digest',
      ExpressionAttributeValues: { ':key': S(key), ':digest': S(digest) },
      ConsistentRead: true,
    });
    return Items?.[0];
  }

  /** The first heads of an order, proven jobs first: digests of unproven jobs begin with `~` and sort last. */
  async function ofOrder(key: string): Promise<readonly ParkedHead[]> {
    const { Items = [] } = await ask({
      KeyConditionExpression: 'pk = :key',
      ExpressionAttributeValues: { ':key': S(key) },
      ConsistentRead: true,
      Limit: shownOfOrder,
      ...headAlone,
    });
    return Items.map(headOf);
  }

  /** Heads of a class that wait for something other than their turn, without those whose order is `undecided`. */
  async function* waitingAtMoments(name: string, of: ParkedHead['class']): AsyncIterable<ParkedHead> {
    const momentsOfClass = {
      ...inLine(name, { ':class': S(of), ':undecided': S('undecided') }),
      FilterExpression: 'jobClass = :class AND reason <> :undecided',
      ProjectionExpression: 'since, notBefore',
    };
    let looked = 0;
    for await (const { Items = [], ScannedCount = 0 } of pagesOf((from) => ask({ ...momentsOfClass, ...from }))) {
      yield* Items.map(headOf);
      looked += ScannedCount;
      if (looked >= lookedAtMost) return;
    }
  }

  return {
    ofOrder,
    async put(job) {
      if (!isUnproven(job)) {
        const parked = await ofOrder(job.key);
        if (parked.some(({ digest }) => digest === job.digest)) return 'parked';
        if (parked.filter((it) => !isUnproven(it)).length >= parkedOfOrder) return 'full';
      }
      // The same message twice is one job.
      await putIfAbsent(client, TableName, itemOf(job));
      return 'parked';
    },
    async begin(place, leaseMs) {
      try {
        const { Attributes } = await client.send(
          new UpdateItemCommand({
            TableName,
            Key: keyOf(place),
            // The SDK may repeat this call, and SQS a reference: one lease counts one beginning.
            ConditionExpression: 'goAt = :lease AND (attribute_not_exists(lease) OR lease <> :lease)',
            UpdateExpression: 'SET lease = :lease ADD begun :one',
            ExpressionAttributeValues: { ':lease': N(leaseMs), ':one': N(1) },
            ReturnValues: 'ALL_NEW',
            ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
          }),
        );
        return Attributes && jobOf(Attributes);
      } catch (error) {
        if (!(error instanceof ConditionalCheckFailedException)) throw error;
        const item = error.Item ?? (await read(place));
        const job = item && jobOf(item);
        return job?.goAtMs === leaseMs ? job : undefined;
      }
    },
    move(job, leaseMs, { because, goAtMs, begun }) {
      const expires = isInLine({ ...job, because });
      const sets = `SET goAt = :go, reason = :reason, line = :line${begun === undefined ? '' : ', begun = :begun'}`;
      const command = new UpdateItemCommand({
        TableName,
        Key: keyOf(job),
        ConditionExpression: 'goAt = :lease',
        UpdateExpression: sets + (expires ? ', expiryLine = :expiryLine REMOVE lease' : ' REMOVE expiryLine, lease'),
        ExpressionAttributeValues: whereSet<Item>({
          ':lease': N(leaseMs),
          ':go': N(goAtMs),
          ':reason': S(because),
          ':line': S(lineName({ ...job, because })),
          ':begun': N(begun),
          ':expiryLine': expires ? S(expiryName(job.lane, lineShardOf(job.key))) : undefined,
        }),
      });
      return isWritten(() => client.send(command));
    },
    async remove(place) {
      await client.send(new DeleteItemCommand({ TableName, Key: keyOf(place) }));
    },
    async first(lane, line, atMost, untilMs = Infinity) {
      const found = await Promise.all(shards.map((shard) => query(shardName(lane, line, shard), atMost, untilMs)));
      return found
        .flat()
        .toSorted((a, b) => a.goAtMs - b.goAtMs)
        .slice(0, atMost);
    },
    async expired(lane, nowMs, atMost) {
      const found = await Promise.all(
        shards.map((shard) =>
          ask({
            IndexName: expiryIndex,
            KeyConditionExpression: 'expiryLine = :lane AND expiry <= :now',
            ExpressionAttributeValues: { ':lane': S(expiryName(lane, shard)), ':now': N(nowMs) },
            Limit: atMost,
          }),
        ),
      );
      const Keys = found
        .flatMap(({ Items = [] }) => Items)
        .slice(0, Math.min(atMost, readAtOnce))
        .map(({ pk, sk }) => ({ pk, sk }) as Item);
      if (Keys.length === 0) return [];
      // The index has no moment: each lease would cost it a write. Keys left unread come in the next round.
      const RequestItems = { [TableName]: { Keys, ConsistentRead: true, ...headAlone } };
      const { Responses } = await client.send(new BatchGetItemCommand({ RequestItems }));
      return (Responses?.[TableName] ?? []).map(headOf);
    },
    async length(lane, of) {
      let [rows, oldestSinceMs] = [0, Infinity];
      for (const shard of shards) {
        if (rows < lineCountedTo) rows += await count(shardName(lane, of, shard), lineCountedTo - rows);
        for (const head of await query(shardName(lane, of, shard), 1, Infinity))
          oldestSinceMs = Math.min(oldestSinceMs, waitsSinceMs(head));
        // The line of moments is not sorted by age: each head is read.
        for await (const head of waitingAtMoments(shardName(lane, 'moments', shard), of)) {
          rows += 1;
          oldestSinceMs = Math.min(oldestSinceMs, waitsSinceMs(head));
        }
      }
      return { rows: Math.min(rows, lineCountedTo), oldestSinceMs: rows > 0 ? oldestSinceMs : undefined };
    },
    async *all({ part, of } = { part: 0, of: 1 }) {
      const segment = of > 1 && { Segment: part, TotalSegments: of };
      const pages = pagesOf((from) =>
        client.send(new ScanCommand({ TableName, IndexName: lineIndex, Limit: scannedAtOnce, ...segment, ...from })),
      );
      for await (const { Items = [] } of pages) yield* Items.map(headOf);
    },
  };
}

const ifThere = <T, Read>(value: T | undefined, read: (value: T) => Read): Read | undefined =>
  value === undefined ? undefined : read(value);

/** The bytes of a base64url text. */
const bytes = (text: string) => ({ B: Buffer.from(text, 'base64url') });

function itemOf(job: ParkedJob): Item {
  const { lane, expiresAtMs, batchId, money, sealed } = job;
  return whereSet<Item>({
    ...keyOf(job),
    line: S(lineName(job)),
    goAt: N(job.goAtMs),
    jobClass: S(job.class),
    reason: S(job.because),
    since: N(job.sinceMs),
    notBefore: N(job.notBeforeMs),
    expiryLine: isInLine(job) && expiresAtMs !== undefined ? S(expiryName(lane, lineShardOf(job.key))) : undefined,
    expiry: N(expiresAtMs),
    batchId: S(batchId),
    currency: S(money?.currency),
    minorUnits: N(money?.minorUnits),
    begun: N(job.begun),
    messageId: S(job.messageId),
    firstSent: N(job.firstSentAtMs),
    redrives: N(job.redrives),
    groupId: S(job.groupId),
    wrappedKey: bytes(sealed.wrappedKey),
    iv: bytes(sealed.iv),
    sealed: bytes(sealed.text),
  });
}

function headOf(item: Item): ParkedHead {
  const { line, goAt, jobClass, reason, since, firstSent, notBefore, expiry, batchId, currency, minorUnits } = item;
  const [name = ''] = (line?.S ?? '').split('|');
  return {
    key: item['pk']?.S ?? '',
    digest: item['sk']?.S ?? '',
    lane: name === '' ? undefined : laneOfName(name),
    class: jobClass?.S === 'urgent' ? 'urgent' : 'row',
    goAtMs: Number(goAt?.N),
    because: reason?.S ?? '',
    sinceMs: Number(since?.N),
    firstSentAtMs: ifThere(firstSent?.N, Number),
    notBeforeMs: ifThere(notBefore?.N, Number),
    expiresAtMs: ifThere(expiry?.N, Number),
    batchId: batchId?.S,
    money:
      currency?.S !== undefined && /^\d+$/.test(minorUnits?.N ?? '')
        ? { currency: currency.S, minorUnits: BigInt(minorUnits?.N ?? 0) }
        : undefined,
  };
}

function jobOf(item: Item): ParkedJob {
  const packed = (name: string) => Buffer.from(item[name]?.B ?? []).toString('base64url');
  const { messageId, begun, redrives, groupId } = item;
  return {
    ...headOf(item),
    messageId: messageId?.S ?? '',
    begun: Number(begun?.N ?? 0),
    redrives: ifThere(redrives?.N, Number),
    groupId: groupId?.S,
    sealed: { wrappedKey: packed('wrappedKey'), iv: packed('iv'), text: packed('sealed') },
  };
}
