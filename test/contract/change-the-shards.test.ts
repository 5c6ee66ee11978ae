// The procedure that changes the partitions of the open-work index, deployment by deployment as its page names them: while one
// goes on, functions of the setting before it and of its own work side by side, and who sweeps may still be of the one before.
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { createDynamoDbDueWork } from '../../lib/aws/dynamodb-due-work.ts';
import { createDynamoDbOrders } from '../../lib/aws/dynamodb-orders.ts';
import { checkedLimits, defaultLimits } from '../../lib/payout/limits.ts';
import type { Order } from '../../lib/payout/order/order.ts';
import { anOrder, begun } from '../support/orders.ts';
import { startMs } from '../support/time-and-chance.ts';
import { aDynamoDb } from './dynamodb.ts';

const infra = (path: string) => readFileSync(new URL(`../../infra/${path}`, import.meta.url), 'utf8');

/** The values of the page, step by step. Refused if fewer are read than written. */
const settings = [...infra('docs/deploying.md').matchAll(/\{ written: (\d+), read: (\d+) \}/g)].map(
  ([, written, read]) =>
    checkedLimits({ ...defaultLimits, openWorkShards: Number(written), openWorkShardsRead: Number(read) }),
);

const tableName = 'ledger';
const dynamoDb = aDynamoDb(tableName);

type Setting = (typeof settings)[number];

async function sweptBy({ openWorkShardsRead }: Setting): Promise<string[]> {
  const keys: string[] = [];
  const dueWork = createDynamoDbDueWork({ client: dynamoDb.client, tableName, openWorkShardsRead });
  for await (const { key } of dueWork.dueWork('submitting', Number.MAX_SAFE_INTEGER)) keys.push(key);
  return keys.toSorted();
}

const ordersOf = ({ openWorkShards }: Setting) =>
  createDynamoDbOrders({ client: dynamoDb.client, tableName, openWorkShards });

it('names five deployments: more, more than are read in two, and fewer in two', () => {
  const said = settings.map(({ openWorkShards, openWorkShardsRead }) => [openWorkShards, openWorkShardsRead]);
  expect(said).toEqual([
    [12, 16],
    [4, 32],
    [24, 32],
    [4, 32],
    [4, 16],
  ]);
});

it('loses no order to sight at any of them', async () => {
  const open: Order[] = [];
  let before = checkedLimits({ ...defaultLimits, openWorkShards: 4, openWorkShardsRead: 16 });
  for (const setting of settings) {
    // when orders come by functions of both settings, and by whichever it was the older ones have their next write
    for (const of of [before, setting]) {
      const some = Array.from({ length: 10 }, () => anOrder());
      await Promise.all(some.map((order) => begun(ordersOf(of), order)));
      open.push(...some);
    }
    const all = open.map(({ key }) => key).toSorted();
    // then sweepers of either setting see all of them
    expect([await sweptBy(before), await sweptBy(setting)]).toEqual([all, all]);
    // and a day later each has been written by the new one
    const moves = open.map((order) => ({ ...order, version: order.version + 1, dueAtMs: startMs + order.version }));
    const writes = await Promise.all(open.map((order, at) => ordersOf(setting).write(order, moves[at] ?? order)));
    expect(new Set(writes.map(({ kind }) => kind))).toEqual(new Set(['written']));
    open.splice(0, open.length, ...moves);
    expect(await sweptBy(setting)).toEqual(all);
    before = setting;
  }
});
