// Day totals under caps, in the table of controls: one item per merchant, currency and day, for a thousand writes a second. A total
// never falls. The SDK repeats a call without an answer, so a sum may count twice, but never not at all.
import { ConditionalCheckFailedException, UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import { dayCapKinds } from '../gateway/profile-limits.ts';
import { type CapDay, dayTotal, type DayTotal, type DayTotals, type Spending } from '../payout/operate/caps.ts';
import { expiryIn, itemAt, S, type TimedTable } from './dynamodb-table.ts';
import { createTtlCache } from '../payout/ttl-cache.ts';

/** How long a total that was read is used for plans. */
const servesMs = 3_000;
const keptAtMost = 1_000;
/** Days for which totals are kept. */
const keptDays = 40;

const dayKey = ({ merchant, currency, day }: CapDay) => `~day/${merchant}/${currency}/${day}`;

/** Totals over the table of controls. */
export function createDynamoDbDayTotals({ client, tableName: TableName, nowMs }: TimedTable): Spending & DayTotals {
  const { of } = createTtlCache({ read, servesMs, keptAtMost, nowMs });

  async function read(key: string): Promise<DayTotal> {
    const item = await itemAt({ client, tableName: TableName }, key);
    return dayTotal((kind) => BigInt(item?.[kind]?.N ?? 0));
  }

  return {
    totalOf: (day) => of(dayKey(day)),
    async count(day, sum, limits) {
      const limited = dayCapKinds.flatMap((kind) => {
        const limit = limits[kind];
        return limit === undefined ? [] : [{ kind, room: limit - sum[kind] }];
      });
      const isRoom = limited.map(({ kind }) => `(attribute_not_exists(${kind}) OR ${kind} <= :${kind}Room)`);
      // The condition also holds for an absent item: a sum above the limit is refused here.
      if (limited.some(({ room }) => room < 0n)) return read(dayKey(day));
      try {
        await client.send(
          new UpdateItemCommand({
            TableName,
            Key: { pk: S(dayKey(day)) },
            ConditionExpression: isRoom.join(' AND ') || undefined,
            UpdateExpression: `ADD ${dayCapKinds.map((kind) => `${kind} :${kind}`).join(', ')} SET expiresAt = :expires`,
            ExpressionAttributeValues: {
              ':expires': expiryIn(keptDays, nowMs()),
              ...Object.fromEntries(dayCapKinds.map((kind) => [`:${kind}`, { N: String(sum[kind]) }])),
              ...Object.fromEntries(limited.map(({ kind, room }) => [`:${kind}Room`, { N: String(room) }])),
            },
          }),
        );
        return 'counted';
      } catch (error) {
        if (!(error instanceof ConditionalCheckFailedException)) throw error;
        return read(dayKey(day));
      }
    },
  };
}
