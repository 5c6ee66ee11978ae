// Day totals where a merchant pays many a second: the item is written seldom, and never more than the cap goes through.
import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import { createDynamoDbDayTotals } from '../../lib/aws/dynamodb-day-totals.ts';
import type { DayCap } from '../../lib/payout/operate/control.ts';
import { createManualClock } from '../support/time-and-chance.ts';
import { aDynamoDb } from './dynamodb.ts';

const tableName = `totals-${randomUUID()}`;
const dynamoDb = aDynamoDb(tableName);

const aDay = (limit = 1_000_000n): DayCap => ({
  kind: 'perDay',
  merchant: `acme-${randomUUID()}`,
  currency: 'EUR',
  day: '2026-11-21',
  limit,
});
const clock = createManualClock();
const aProcess = () => createDynamoDbDayTotals({ client: dynamoDb.client, tableName, nowMs: clock.nowMs });

async function totalOf(cap: DayCap): Promise<number> {
  return Number(await aProcess().totalOf(cap));
}

it('never lets more through than the cap, and keeps back a hundredth of it per process at most', async () => {
  // given eight processes that pay as fast as they can, each in amounts of its own
  const day = aDay(400_000n);
  const processes = Array.from({ length: 8 }, aProcess);
  let through = 0n;
  const pays = async (process: (typeof processes)[number], minorUnits: bigint) => {
    for (let refused = 0; refused < 5;) {
      if ((await process.count(day, minorUnits)) === 'counted') through += minorUnits;
      else refused += 1;
    }
  };
  await Promise.all(processes.map((process, at) => pays(process, BigInt(900 + 100 * at))));
  expect(through).toBeLessThanOrEqual(day.limit);
  expect(through).toBeGreaterThanOrEqual((day.limit * 92n) / 100n);
  expect(BigInt(await totalOf(day))).toBeLessThanOrEqual(day.limit);
});

it('what a process that died had leased is lost to the day, not paid twice', async () => {
  const day = aDay(100_000n);
  const dying = aProcess();
  for (let at = 0; at < 11; at += 1) await dying.count(day, 50n);
  const leased = (await totalOf(day)) - 11 * 50;
  expect(leased).toBeGreaterThan(0);
  expect(leased).toBeLessThanOrEqual(1_000);
  const next = aProcess();
  let through = 0n;
  while ((await next.count(day, 50n)) === 'counted') through += 50n;
  expect(through).toBe(100_000n - 11n * 50n - BigInt(leased));
});

it('a lease counts no more once the cap was changed: the new one may be lower', async () => {
  const [day, process] = [aDay(), aProcess()];
  for (let at = 0; at < 12; at += 1) await process.count(day, 100n);
  const total = await totalOf(day);
  expect(await process.count({ ...day, limit: BigInt(total) }, 1n)).toBe('above');
});
