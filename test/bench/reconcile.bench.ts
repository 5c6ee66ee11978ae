// Three books of a million orders held against each other, as a process: time, rate, and memory at its peak.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { createDynamoDbAllOrders } from '../../lib/aws/dynamodb-all-orders.ts';
import { attributesOf } from '../../lib/aws/order-item.ts';
import { exportedOrder } from '../../lib/reconcile/ledger-export.ts';
import type { Order } from '../../lib/payout/order/order.ts';
import { viewOf } from '../../lib/payout/order/view.ts';
import { resultOf } from '../../lib/payout/message/result.ts';
import { type Benchmark, type Measurement, watchSlowness } from './harness.ts';
import { anOrder as orderOf } from '../support/orders.ts';
import { runTool } from './surroundings/measured-tool.ts';

/** All benchmarks of this file; `--jobs` sets the orders. */
export const reconcileBenchmarks: readonly Benchmark[] = [
  {
    name: 'reconcile',
    description: 'payouts reconcile of a million orders, as a process: peak memory and orders a second',
    run: ({ jobs = 1_000_000 }) => reconcile(jobs),
  },
  {
    name: 'export',
    description: 'all orders out of the table, sixteen segments side by side, as lines: processor time of an order',
    run: ({ jobs = 200_000 }) => exported(jobs),
  },
];

const nowMs = Date.UTC(2026, 10, 21, 10);

/** One order in a thousand is in doubt here and paid there; everything else agrees. */
const isDoubtful = (index: number) => index % 1_000 === 7;

function anOrder(index: number): Order {
  const minorUnits = BigInt((index % 900_000) + 1);
  const taken = { answer: { kind: 'taken', atMs: nowMs }, ids: [String(9_000_000 + index)] } as const;
  return orderOf({
    orderId: `INV-2026-${index}`,
    money: { currency: 'EUR', minorUnits },
    fingerprint: 'k1.AAAAAAAAAAAAAAAAAAAAAA',
    batchId: '2026-11-payroll',
    context: `{"invoice":"${index}"}`,
    attempt: isDoubtful(index)
      ? { lapsed: { code: 'NO_ANSWER', message: 'no answer within 20000 ms' } }
      : { ...taken, reports: ['approved'] },
  });
}

/** Writes the three books, the gateway's from the last order to the first. */
async function writeBooks(folder: string, orders: number): Promise<string[]> {
  const open = (name: string) => createWriteStream(join(folder, name));
  const [ledger, results, gateway] = [open('ledger.jsonl'), open('results.jsonl'), open('gateway.csv')];
  ledger.write(`${JSON.stringify({ version: 1, kind: 'export', madeAt: new Date(nowMs).toISOString() })}\n`);
  gateway.write('Date,client_orderid,orderid,amount,currency,status,bin,last four\n');
  for (let index = 0; index < orders; index += 1) {
    const order = viewOf(anOrder(index));
    const last = orders - 1 - index;
    const { amount = '' } = exportedOrder(viewOf(anOrder(last)));
    const gatewayLine = `2026-11-21,INV-2026-${last},${9_000_000 + last},${amount},EUR,approved,411111,1111\n`;
    const lines = [
      [ledger, `${JSON.stringify(exportedOrder(order))}\n`],
      [results, `${JSON.stringify(resultOf(order))}\n`],
      [gateway, gatewayLine],
    ] as const;
    for (const [file, line] of lines) if (!file.write(line)) await once(file, 'drain');
  }
  ledger.write(`${JSON.stringify({ version: 1, kind: 'export-end', orders, unreadable: 0 })}\n`);
  for (const file of [ledger, results, gateway]) {
    file.end();
    await once(file, 'close');
  }
  return ['--ledger', ledger.path, '--results', results.path, '--gateway', gateway.path].map(String);
}

async function reconcile(orders: number): Promise<Measurement> {
  const folder = await mkdtemp(join(tmpdir(), 'payouts-bench-'));
  try {
    const books = await writeBooks(folder, orders);
    const output = join(folder, 'differences.csv');
    const { code, stdout, ...took } = await runTool(
      'reconcile',
      ...books,
      '--merchant',
      'acme-eu',
      '--output',
      output,
      '--json',
    );
    const doubtful = Math.floor((orders + 992) / 1_000);
    assert.equal(code, 1);
    const found = JSON.parse(stdout);
    assert.equal(found.orders, orders);
    assert.equal(found.addsUp, true);
    const counts = found.classes.map(({ name, orders: count }: { name: string; orders: number }) => [name, count]);
    assert.deepEqual(counts, [
      ['doubt-resolved-paid', doubtful],
      ['agree-paid', orders - doubtful],
    ]);
    const rates = { ordersPerSecond: orders / took.wallSeconds, ordersPerCpuSecond: orders / took.cpuSeconds };
    // A million orders in a minute, whoever else is at work on the machine; and the same memory for any number of them.
    const bounds: Measurement['bounds'] = [
      { kind: 'least', figure: 'ordersPerCpuSecond', least: 1_000_000 / 60 },
      { kind: 'most', figure: 'peakMegabytes', most: 320 },
    ];
    const figures = { ...took, ...rates };
    return { figures, bounds };
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** Items of one page, about a megabyte. */
const pageItems = 2_500;

/** The client that ships, its network left out: each segment is answered with the same page, again and again. */
async function exported(orders: number): Promise<Measurement> {
  const pages = Math.ceil(orders / pageItems / 16);
  const Items = Array.from({ length: pageItems }, (_, index) => itemOf(anOrder(index)));
  const pageOf = (more: boolean) =>
    Buffer.from(JSON.stringify({ Items, ...(more && { LastEvaluatedKey: { pk: { S: 'acme-eu/INV' } } }) }));
  const [another, last] = [pageOf(true), pageOf(false)];
  const asked = new Map<number, number>();
  const client = new DynamoDBClient({
    region: 'eu-central-1',
    credentials: { accessKeyId: 'FAKE-BENCH-KEY-ID', secretAccessKey: 'fake-bench-secret-key' },
    requestHandler: {
      async handle({ body }: { readonly body: Uint8Array }) {
        const segment: number = JSON.parse(Buffer.from(body).toString()).Segment;
        const page = (asked.get(segment) ?? 0) + 1;
        asked.set(segment, page);
        const answer = Readable.from([page < pages ? another : last]);
        const headers = { 'content-type': 'application/x-amz-json-1.0' };
        return { response: { statusCode: 200, headers, body: answer } };
      },
    },
  });
  const slownessMeanwhile = watchSlowness();
  const startedAt = process.cpuUsage();
  let [lines, bytes] = [0, 0];
  for await (const page of createDynamoDbAllOrders({ client, tableName: 'ledger' }).scan({}))
    for (const found of page) {
      assert.equal(found.kind, 'found');
      bytes += JSON.stringify(exportedOrder(viewOf(found.order))).length + 1;
      lines += 1;
    }
  const { user, system } = process.cpuUsage(startedAt);
  const divisor = slownessMeanwhile();
  client.destroy();
  assert.equal(lines, pages * pageItems * 16);
  return {
    figures: { cpuMicrosecondsPerOrder: (user + system) / divisor / lines, bytesPerLine: bytes / lines, orders: lines },
    bounds: [{ kind: 'most', figure: 'cpuMicrosecondsPerOrder', most: 80 }],
  };
}

const itemOf = (order: Order) =>
  Object.fromEntries(Object.entries(attributesOf(order)).filter(([, it]) => it !== undefined));
