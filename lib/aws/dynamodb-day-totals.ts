// Day totals under caps, in the table of controls: one item per merchant, cap, currency and day, that takes a thousand writes a
// second. Where a process counts often, it leases room for some orders at once and counts them in memory: leased room
// is in the total already, so never more than the cap goes through, whichever process dies. Room that a process leased and did not use is
// lost to that day: at most a hundredth of the cap, and twenty orders, per process.
import {
  type AttributeValue,
  ConditionalCheckFailedException,
  GetItemCommand,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';
import type { DayCap, DayTotals, Spending } from '../payout/operate/control.ts';
import { expiryIn, type TimedTable } from './dynamodb-table.ts';
import { createTtlCache } from './ttl-cache.ts';

/** A total that was read serves planning for so long. */
const servesMs = 3_000;
/** Days for which totals are kept. */
const keptDays = 40;
/** A process leases from so many counts in a second on. */
const oftenPerSecond = 10;
/** Orders of the present size that a lease is for. */
const ordersPerLease = 20n;
/** The largest part of a cap in one lease. */
const leasesPerCap = 100n;

/** The key of a day's item, which no order can have. */
const dayKey = ({ kind, merchant, currency, day }: DayCap) => `~day/${merchant}/${kind}/${currency}/${day}`;

/** The lease of this process for a day, and how often it counts. */
interface Lease {
  readonly limit: bigint;
  left: bigint;
  underWay?: Promise<void>;
  secondMs: number;
  counts: number;
}

/** Totals over the table of controls. */
export function createDynamoDbDayTotals(options: TimedTable): Spending & DayTotals {
  const { client, tableName: TableName, nowMs } = options;
  const leases = new Map<string, Lease>();
  const { of: read } = createTtlCache({ read: totalAt, servesMs, keptAtMost: leasesKept, nowMs });

  async function totalAt(key: string): Promise<bigint> {
    const { Item } = await client.send(new GetItemCommand({ TableName, Key: { pk: { S: key } } }));
    return BigInt(Item?.['total']?.N ?? 0);
  }

  function addition(cap: DayCap, amount: bigint, condition: string, values: Item = {}): UpdateItemCommand {
    return new UpdateItemCommand({
      TableName,
      Key: { pk: { S: dayKey(cap) } },
      ConditionExpression: `attribute_not_exists(ve) AND (${condition})`,
      UpdateExpression: 'ADD #total :amount SET expiresAt = :expires',
      // The name is a reserved word of DynamoDB's.
      ExpressionAttributeNames: { '#total': 'total' },
      ExpressionAttributeValues: {
        ':amount': { N: amount.toString() },
        ':expires': expiryIn(keptDays, nowMs()),
        ...values,
      },
    });
  }

  /** Adds to the shared total where it stays within the cap. */
  async function take(cap: DayCap, amount: bigint): Promise<'counted' | 'above'> {
    try {
      const room = { ':room': { N: (cap.limit - amount).toString() } };
      await client.send(addition(cap, amount, 'attribute_not_exists(#total) OR #total <= :room', room));
      return 'counted';
    } catch (error) {
      if (error instanceof ConditionalCheckFailedException) return 'above';
      throw error;
    }
  }

  async function renewed(lease: Lease, cap: DayCap, slice: bigint): Promise<void> {
    if ((await take(cap, slice)) === 'counted') lease.left += slice;
  }

  return {
    totalOf: (cap) => read(dayKey(cap)),
    async count(cap, amount) {
      if (amount > cap.limit) return 'above';
      const lease = leaseOf(leases, cap, nowMs());
      const slice = smaller(amount * ordersPerLease, cap.limit / leasesPerCap);
      if (lease.counts > oftenPerSecond && lease.left < amount && slice >= 2n * amount) {
        // One lease at a time, however many jobs wait for it.
        lease.underWay ??= renewed(lease, cap, slice).finally(() => delete lease.underWay);
        await lease.underWay;
      }
      if (lease.left < amount) return take(cap, amount);
      lease.left -= amount;
      return 'counted';
    },
    async giveBack(cap, amount) {
      await client.send(sentOnce(addition(cap, -amount, '#total >= :given', { ':given': { N: String(amount) } })));
    },
  };
}

/** The lease of this process for the day. A lease under another limit is dropped: the new one may be lower. */
function leaseOf(leases: Map<string, Lease>, cap: DayCap, nowMs: number): Lease {
  const key = dayKey(cap);
  const before = leases.get(key);
  const isSame = before?.limit === cap.limit;
  const lease = before && isSame ? before : { limit: cap.limit, left: 0n, secondMs: nowMs, counts: 0 };
  if (nowMs >= lease.secondMs + 1_000) Object.assign(lease, { secondMs: nowMs, counts: 0 });
  lease.counts += 1;
  leases.delete(key);
  leases.set(key, lease);
  // Yesterday's are of no use to anybody.
  const [oldest] = leases.keys();
  if (leases.size > leasesKept && oldest !== undefined) leases.delete(oldest);
  return lease;
}

/** Merchants, currencies and days that one process remembers. */
const leasesKept = 1_000;
const smaller = (a: bigint, b: bigint) => (a < b ? a : b);

type Item = Record<string, AttributeValue>;

/** The SDK repeats a call that got no answer. An amount given back twice would let more through than the cap. */
function sentOnce(command: UpdateItemCommand): UpdateItemCommand {
  let sent = false;
  command.middlewareStack.add(
    (next) => async (args) => {
      if (sent) throw new Error('it may be written already, and is not written twice');
      sent = true;
      return next(args);
    },
    { step: 'finalizeRequest', priority: 'low' },
  );
  return command;
}
