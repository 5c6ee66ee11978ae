// `payouts reconcile` and `payouts export` as an operator runs them.
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import { beforeAll, describe, expect, it } from 'vitest';
import { type ExportHead, exportedOrder } from '../../lib/reconcile/ledger-export.ts';
import { type OrderView, resultOf } from '../../lib/payout/order/projection.ts';
import { aView } from '../support/orders.ts';
import { startMs } from '../support/time-and-chance.ts';
import { runCli } from './support/cli.ts';
import { aDirectory } from './support/files.ts';
import { aLedgerWithBatch, aRow } from './support/ledger-with-batch.ts';
import { longDescribe, longIt } from '../support/long-proof.ts';

const directory = aDirectory();

function anOrder(orderId: string, state: OrderView['state'], changes: Partial<OrderView> = {}): OrderView {
  if (state === 'submitting') return aView({ orderId, ...changes });
  return aView({ orderId, revision: state === 'approved' ? 3 : 2, ...changes, state, final: true });
}

const lines = (values: readonly unknown[]) => values.map((it) => `${JSON.stringify(it)}\n`).join('');
/** What `payouts export` would write of these. */
const exportOf = (entries: readonly OrderView[], head: Partial<ExportHead> = {}) =>
  lines([
    { version: 1, kind: 'export', madeAt: '2026-11-23T10:00:00.000Z', ...head },
    ...entries.map(exportedOrder),
    { version: 1, kind: 'export-end', orders: entries.length, unreadable: 0 },
  ]);
const header = 'client_orderid;orderid;amount;currency;status;bin\r\n';
const gatewayLine = (orderId: string, changes: { id?: string; amount?: string; status?: string } = {}) =>
  `${orderId};${changes.id ?? '9000'};${changes.amount ?? '10.42'};EUR;${changes.status ?? 'approved'};411111\r\n`;

/** Writes the three files; answers with the options that name them. */
async function books(it: {
  readonly entries: readonly OrderView[];
  readonly results?: readonly unknown[];
  readonly gateway: string;
  readonly head?: Partial<ExportHead>;
}): Promise<string[]> {
  const results = it.results ?? it.entries.map(resultOf).filter(Boolean);
  return [
    '--ledger',
    await directory.file('ledger.jsonl', exportOf(it.entries, it.head)),
    '--results',
    await directory.file('results.jsonl', lines(results)),
    '--gateway',
    await directory.file('gateway.csv', it.gateway),
    '--merchant',
    'acme-eu',
  ];
}

const reconcile = (...args: string[]) => runCli(['reconcile', ...args]);

describe('payouts reconcile', () => {
  it('puts each order into its class, with the money on both sides, and lists those that do not agree', async () => {
    const entries = [
      anOrder('paid', 'approved'),
      anOrder('doubtful', 'in-doubt'),
      anOrder('failed', 'failed'),
      anOrder('untold', 'approved'),
      anOrder('=cheap', 'approved'),
    ];
    const results = entries.flatMap((entry) => (entry.orderId === 'untold' ? [] : [resultOf(entry)]));
    const gateway = [
      header,
      gatewayLine('paid'),
      gatewayLine('doubtful', { id: '9001' }),
      gatewayLine('failed', { id: '9002' }),
      gatewayLine('untold', { id: '9003' }),
      gatewayLine('=cheap', { id: '9004', amount: '1.00' }),
      gatewayLine('foreign', { id: '9005', amount: '7' }),
    ].join('');
    const output = join(directory.path(), 'differences.csv');
    const files = await books({ entries, results, gateway });
    const { code, stdout } = await reconcile(...files, '--output', output);
    expect(code).toBe(1);
    const told = stdout.split('\n').map((line) => line.trim().replaceAll(/ {2,}/g, '  '));
    expect(told).toEqual(
      expect.arrayContaining([
        '✘ paid-unknown-here  1  0.00  7.00  EUR',
        '✘ paid-though-not-sent  1  10.42  10.42  EUR',
        '✘ amount-differs  1  10.42  1.00  EUR',
        '✘ doubt-resolved-paid  1  10.42  10.42  EUR',
        '✘ result-missing  1  10.42  10.42  EUR',
        '✔ agree-paid  1  10.42  10.42  EUR',
        'doubt-resolved-paid: In doubt, and paid at the gateway. Release it as paid.',
        `✘ 5 orders do not agree; listed in ${output}`,
      ]),
    );
    const rows: Record<string, string>[] = parse(await readFile(output), { columns: true });
    expect(rows).toHaveLength(5);
    expect(rows.find((it) => it['order_id'] === 'doubtful')).toEqual({
      class: 'doubt-resolved-paid',
      merchant: 'acme-eu',
      order_id: 'doubtful',
      ledger_standing: 'in-doubt',
      ledger_revision: '2',
      ledger_amount: '10.42',
      ledger_currency: 'EUR',
      ledger_gateway_order_id: '',
      result_status: 'in-doubt',
      result_revision: '2',
      gateway_status: 'approved',
      gateway_amount: '10.42',
      gateway_currency: 'EUR',
      gateway_order_id: '9001',
    });
    expect(rows.map((it) => it['order_id'])).toContain("'=cheap");
    expect((await stat(output)).mode & 0o777).toBe(0o600);
  });

  it('says what it left out, and why', async () => {
    const entries = [anOrder('paid', 'approved')];
    const refused = { version: 1, resultId: 'rejected/m-1', status: 'failed', final: true };
    const gateway = `${header}${gatewayLine('paid')}${gatewayLine('paid', { status: 'reversal' })}`;
    const files = await books({ entries, results: [...entries.map(resultOf), refused], gateway });
    const { code, stdout } = await reconcile(...files, '--status', 'reversal=ignore');
    expect(code).toBe(0);
    expect(stdout).toContain('left out of results: 1 × a word about a message that became no order (line 2)');
    expect(stdout).toContain('left out of gateway: 1 × the status "reversal": no payment (line 3)');
  });

  it('compares no more than the batch that the ledger was exported for, and names what lies outside', async () => {
    // given a batch of one order, and a report of the whole account, another merchant's lines among it
    const entries = [anOrder('A', 'approved', { batchId: 'payday' })];
    const foreign = { version: 1, resultId: 'acme-eu/B/1', revision: 1, status: 'approved', final: true };
    const results = [...entries.map(resultOf), { ...foreign, amount: '7.00', currency: 'EUR' }];
    const head = 'merchant;client_orderid;orderid;amount;currency;status\r\n';
    const gateway = `${head}acme-eu;A;1;10.42;EUR;approved\r\nacme-eu;B;2;7.00;EUR;approved\r\nglobex-us;C;3;5;USD;approved\r\n`;
    const files = await books({ entries, results, gateway, head: { batch: 'payday' } });

    // when they are compared, then the batch agrees, and the rest is counted and named
    const { code, stdout } = await reconcile(...files);
    const told = stdout.split('\n').map((line) => line.trim().replaceAll(/ {2,}/g, '  '));
    expect(told).toEqual(
      expect.arrayContaining([
        expect.stringMatching(/^1 order in three books of acme-eu of batch payday: ledger 1 · results 2 · gateway 3/),
        'of no batch that is compared  1  0.00  7.00  EUR',
        'of another merchant  1  0.00  5.00  USD',
        '✔ agree-paid  1  10.42  10.42  EUR',
        'EUR  ledger  10.42  0.00  10.42  10.42  0.00  0.00  0.00  0.00',
        'gateway  10.42  10.42  0.00  0.00  0.00  0.00',
        '✔ every order is the same in all three',
      ]),
    );
    expect(code).toBe(0);
  });

  longIt.each<[string, Partial<Record<'--ledger' | '--results' | '--gateway', string>>, RegExp]>([
    [
      'is no export',
      { '--ledger': '{"orderId":"A"}\n' },
      /ledger\.jsonl:\n {2}line 1 is not the first line of `node \. export`/,
    ],
    ['was cut off', { '--ledger': exportOf([]).split('\n')[0] ?? '' }, /ledger\.jsonl has no first or no last line/],
    ['holds no results', { '--results': '\n{"a":1}\n' }, /results\.jsonl:\n {2}line 2 is not a result \(resultId\)/],
    [
      'has no header',
      { '--gateway': 'A;9000;10.42;EUR;approved\n' },
      /the header of .*gateway\.csv:\n {2}no column says the orderId; say --map/,
    ],
    [
      'has an amount that is none',
      { '--gateway': `${header}A;1;-3;EUR;approved;\n` },
      /row 2 has an amount .* say --status "<word>=ignore"/,
    ],
  ])('compares nothing when a file %s', async (_, changed, message) => {
    const options = await books({ entries: [anOrder('A', 'approved')], gateway: header + gatewayLine('A') });
    for (const [name, text] of Object.entries(changed)) {
      const place = options.indexOf(name) + 1;
      await directory.file((options[place] ?? '').split('/').at(-1) ?? '', text);
    }
    const { code, stdout, stderr } = await reconcile(...options);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(message);
  });
});

longDescribe('payouts export', () => {
  const world = aLedgerWithBatch();

  beforeAll(async () => {
    await world.upload('b-1', [aRow('A'), aRow('B'), aRow('C')]);
    await world.order('b-1', 'A', { state: 'approved', final: true, gatewayOrderId: '9000' });
    await world.order('b-1', 'B', { state: 'declined', failure: { code: 'GATEWAY_REFUSED', message: 'no' } });
    await world.order('none', 'D', { createdAtMs: startMs + 5_000, state: 'cancelled' });
    await world.standing('E', { merchant: 'acme-us' });
  });

  const keys = (text: string) =>
    text
      .split('\n')
      .filter(Boolean)
      .flatMap((line) => JSON.parse(line).key ?? [])
      .toSorted();

  it('writes every order, and nothing of batches', async () => {
    const { code, stdout, stderr } = await world.payouts('export');
    expect({ code, stderr }).toEqual({ code: 0, stderr: 'payouts: 4 orders\n' });
    expect(keys(stdout)).toEqual(['acme-eu/A', 'acme-eu/B', 'acme-eu/D', 'acme-us/E']);
    const order = stdout.split('\n').find((line) => line.includes('"acme-eu/A"')) ?? '';
    expect(JSON.parse(order)).toEqual({
      version: 1,
      key: 'acme-eu/A',
      operation: 'payout',
      standing: 'paid',
      final: true,
      revision: 1,
      attempts: 1,
      endpointId: '39915',
      amount: '10.42',
      currency: 'EUR',
      gatewayOrderId: '9000',
      batchId: 'b-1',
      createdAt: '2026-11-21T10:00:00.000Z',
      sentAt: '2026-11-21T10:00:00.000Z',
      updatedAt: '2026-11-21T10:00:00.000Z',
    });
    const told = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(told[0]).toEqual({ version: 1, kind: 'export', madeAt: expect.any(String) });
    expect(told.at(-1)).toEqual({ version: 1, kind: 'export-end', orders: 4, unreadable: 0 });
  });

  it('writes those of a batch, of a merchant, or that have moved since', async () => {
    expect(keys((await world.payouts('export', '--batch', 'b-1')).stdout)).toEqual(['acme-eu/A', 'acme-eu/B']);
    expect(keys((await world.payouts('export', '--merchant', 'acme-us')).stdout)).toEqual(['acme-us/E']);
    const since = await world.payouts('export', '--since', '2026-11-21T10:00:05Z');
    expect(keys(since.stdout)).toEqual(['acme-eu/D']);
  });
});
