// `payouts reconcile` and `payouts export` as an operator runs them.
import { mkdtemp, readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { exportedOrder } from '../../lib/reconcile/ledger-export.ts';
import { type LedgerEntry, moved } from '../../lib/payout/ledger.ts';
import { resultOf } from '../../lib/payout/result.ts';
import { anEntry } from '../support/ledger-entries.ts';
import { startMs } from '../support/time-and-chance.ts';
import { runCli } from './support/cli.ts';
import { aDirectory } from './support/files.ts';
import { aRow, type LedgerWithBatch, startLedgerWithBatch } from './support/ledger-with-batch.ts';
import { longDescribe, longIt } from '../support/long-proof.ts';

const directory = aDirectory();

function anOrder(orderId: string, state: LedgerEntry['state'], changes: Partial<LedgerEntry> = {}): LedgerEntry {
  const entry = anEntry({ orderId, ...changes });
  if (state === 'submitting') return entry;
  const claimed = moved(entry, {
    state: state === 'approved' ? 'accepted' : state,
    final: true,
    reason: 'x',
    nowMs: startMs,
  });
  return state === 'approved' ? moved(claimed, { state, final: true, reason: 'x', nowMs: startMs }) : claimed;
}

const lines = (values: readonly unknown[]) => values.map((it) => `${JSON.stringify(it)}\n`).join('');
const header = 'client_orderid;orderid;amount;currency;status;bin\r\n';
const gatewayLine = (orderId: string, changes: { id?: string; amount?: string; status?: string } = {}) =>
  `${orderId};${changes.id ?? '9000'};${changes.amount ?? '10.42'};EUR;${changes.status ?? 'approved'};411111\r\n`;

/** Writes the three files; answers with the options that name them. */
async function books(it: {
  readonly entries: readonly LedgerEntry[];
  readonly results?: readonly unknown[];
  readonly gateway: string;
}): Promise<string[]> {
  const results = it.results ?? it.entries.map(resultOf).filter(Boolean);
  return [
    '--ledger',
    await directory.file('ledger.jsonl', lines(it.entries.map(exportedOrder))),
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
  longIt('finds every order the same in all three, whatever the file of the gateway looks like', async () => {
    const entries = [
      anOrder('A', 'approved'),
      anOrder('B;"1"', 'accepted'),
      anOrder('C', 'declined'),
      anOrder('D', 'failed'),
    ];
    const gateway = `\uFEFF${header}${gatewayLine('A')}${gatewayLine('"B;""1"""', { status: 'processing' })}${gatewayLine('C', { status: 'declined' })}`;
    const { code, stdout } = await reconcile(...(await books({ entries, gateway })));
    expect(stdout).toContain('4 orders in three books: ledger 4 · results 4 · gateway 3');
    expect(stdout).toContain('✔ every order is the same in all three');
    expect(code).toBe(0);
  });

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
        'doubt-resolved-paid: Nobody here knew; the gateway paid it. Release it as paid.',
        `✘ 5 orders do not agree; listed in ${output}`,
      ]),
    );
    const rows: Record<string, string>[] = parse(await readFile(output), { columns: true });
    expect(rows).toHaveLength(5);
    expect(rows.find((it) => it['order_id'] === 'doubtful')).toEqual({
      class: 'doubt-resolved-paid',
      merchant: 'acme-eu',
      order_id: 'doubtful',
      ledger_state: 'in-doubt',
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

  longIt('says the same to programs', async () => {
    const entries = [anOrder('paid', 'approved'), anOrder('twice', 'approved')];
    const gateway = `${header}${gatewayLine('paid')}${gatewayLine('twice', { id: '1' })}${gatewayLine('twice', { id: '2' })}`;
    const refused = { version: 1, resultId: 'rejected/m-1', status: 'failed', final: true };
    const batch = { version: 1, kind: 'batch-result', resultId: '~batch/b/1', status: 'closed', final: true };
    const results = [...entries.map(resultOf), refused, batch];
    const { code, stdout, stderr } = await reconcile(...(await books({ entries, results, gateway })), '--json');
    expect({ code, stderr }).toEqual({ code: 1, stderr: '' });
    expect(JSON.parse(stdout)).toEqual({
      agree: false,
      orders: 2,
      disagreeing: 1,
      classes: [
        {
          name: 'paid-more-than-once',
          agrees: false,
          orders: 1,
          money: [{ currency: 'EUR', ledger: '10.42', gateway: '20.84' }],
        },
        {
          name: 'agree-paid',
          agrees: true,
          orders: 1,
          money: [{ currency: 'EUR', ledger: '10.42', gateway: '10.42' }],
        },
      ],
      read: {
        ledger: { lines: 2, leftOut: 0, leftOutFor: {} },
        results: { lines: 2, leftOut: 2, leftOutFor: expect.any(Object) },
        gateway: { lines: 3, leftOut: 0, leftOutFor: {} },
      },
    });
  });

  longIt('goes by what it is told of columns, statuses and merchants', async () => {
    const entries = [anOrder('A', 'approved'), { ...anOrder('A', 'approved', { merchant: 'acme-us' }) }];
    const gateway =
      'Shop,Bestellung,amount,currency,status\nacme-eu,A,10.42,eur,bezahlt\nacme-us,A,10.42,EUR,bezahlt\nacme-eu,A,-10.42,EUR,Storno\n';
    const files = (await books({ entries, gateway })).slice(0, -2);
    const said = [
      '--map',
      'Bestellung=orderId',
      '--map',
      'Shop=merchant',
      '--status',
      'bezahlt=paid',
      '--status',
      'storno=ignore',
    ];
    expect(await reconcile(...files, ...said)).toMatchObject({ code: 0 });
  });

  longIt.each<[string, Partial<Record<'--ledger' | '--results' | '--gateway', string>>, RegExp]>([
    [
      'is no export',
      { '--ledger': '{"orderId":"A"}\n' },
      /ledger\.jsonl:\n {2}line 1 is not a line of `payouts export` \(version\)/,
    ],
    ['is no JSON', { '--ledger': 'client_orderid;amount\n' }, /line 1 is not JSON/],
    ['holds no results', { '--results': '\n{"a":1}\n' }, /results\.jsonl:\n {2}line 2 is not a result \(resultId\)/],
    [
      'has no header',
      { '--gateway': 'A;9000;10.42;EUR;approved\n' },
      /the header of .*gateway\.csv:\n {2}no column says the orderId; say --map/,
    ],
    ['is empty', { '--gateway': '' }, /gateway\.csv is empty/],
    [
      'has an amount that is none',
      { '--gateway': `${header}A;1;-3;EUR;approved;\n` },
      /row 2 has an amount .* say --status "<word>=ignore"/,
    ],
    ['has a quote that is never closed', { '--gateway': `${header}A;1;"3;EUR;approved;\n` }, /gateway\.csv is not CSV/],
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

  longIt('tells ten faults of a file at once, without what stands there', async () => {
    const gateway = header + Array.from({ length: 30 }, () => 'A;1;4111111111111111x;EUR;approved;\n').join('');
    const { code, stderr } = await reconcile(...(await books({ entries: [], gateway })));
    expect(code).toBe(2);
    expect(stderr.match(/row \d+ has an amount/g)).toHaveLength(10);
    expect(stderr).not.toContain('4111');
  });

  longIt.each([
    [['--gateway', '/nowhere.csv'], /\/nowhere\.csv is no file that can be read/],
    [['--status', 'x=maybe'], /--status "x=maybe": write one of paid, unpaid, under-way, ignore/],
    [['--map', 'x'], /write it as "name=meaning"/],
    [['--output', '/nowhere/at/all.csv'], /can't write/],
    [['--merchant', 'no/merchant'], /no job could bear the merchant/],
  ])('refuses %j', async (wrong, message) => {
    const options = await books({ entries: [anOrder('A', 'approved')], gateway: header + gatewayLine('A') });
    const { code, stderr } = await reconcile(...options, ...wrong);
    expect(code).toBe(2);
    expect(stderr).toMatch(message);
  });

  longIt('leaves nothing in the temporary folder', async () => {
    const folder = await mkdtemp(join(directory.path(), 'temporary-'));
    const files = await books({ entries: [anOrder('A', 'approved')], gateway: header + gatewayLine('A') });
    for (const wrong of [[], ['--status', 'x=maybe']])
      await runCli(['reconcile', ...files, ...wrong], { env: { TMPDIR: folder } });
    await directory.file('gateway.csv', 'nothing\n');
    expect(await runCli(['reconcile', ...files], { env: { TMPDIR: folder } })).toMatchObject({ code: 2 });
    expect(await readdir(folder)).toEqual([]);
  });
});

longDescribe('payouts export', () => {
  let world: LedgerWithBatch;

  beforeAll(async () => {
    world = await startLedgerWithBatch();
    await world.upload('b-1', [aRow('A'), aRow('B'), aRow('C')]);
    await world.order('b-1', 'A', { state: 'approved', final: true, gatewayOrderId: '9000' });
    await world.order('b-1', 'B', { state: 'declined', failure: { code: 'GATEWAY_REFUSED', message: 'no' } });
    await world.order('none', 'D', { updatedAtMs: startMs + 5_000, state: 'cancelled' });
    await world.ledger.claim(anEntry({ merchant: 'acme-us', orderId: 'E' }));
  });

  afterAll(() => world.close());

  const keys = (text: string) =>
    text
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line).key)
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
      state: 'approved',
      final: true,
      revision: 1,
      attempts: 1,
      endpointId: '39915',
      amount: '10.42',
      currency: 'EUR',
      gatewayOrderId: '9000',
      batchId: 'b-1',
      createdAt: '2026-11-21T10:00:00.000Z',
      updatedAt: '2026-11-21T10:00:00.000Z',
    });
  });

  it('writes those of a batch, of a merchant, or that have moved since', async () => {
    expect(keys((await world.payouts('export', '--batch', 'b-1')).stdout)).toEqual(['acme-eu/A', 'acme-eu/B']);
    expect(keys((await world.payouts('export', '--merchant', 'acme-us')).stdout)).toEqual(['acme-us/E']);
    const since = await world.payouts('export', '--since', '2026-11-21T10:00:05Z');
    expect(keys(since.stdout)).toEqual(['acme-eu/D']);
  });

  it('refuses what can’t be meant', async () => {
    expect(await world.payouts('export', '--batch', 'b-2')).toMatchObject({ code: 1 });
    expect(await world.payouts('export', '--batch', 'b-1', '--merchant', 'acme-eu')).toMatchObject({ code: 2 });
    expect(await world.payouts('export', '--since', 'yesterday')).toMatchObject({ code: 2 });
  });
});
