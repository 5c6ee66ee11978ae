// `payouts reconcile` as an operator runs it, over a ledger with orders.
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import { describe, expect, it } from 'vitest';
import { resultOf, viewOf } from '../../lib/payout/order/projection.ts';
import { longIt } from '../support/long-proof.ts';
import type { Standing } from '../support/order-that-stands.ts';
import { aDirectory } from './support/files.ts';
import { aLedgerWithBatch, aRow } from './support/ledger-with-batch.ts';

const world = aLedgerWithBatch();
const directory = aDirectory();

const lines = (values: readonly unknown[]) => values.map((it) => `${JSON.stringify(it)}\n`).join('');
const header = 'client_orderid;orderid;amount;currency;status;bin\r\n';
const gatewayLine = (orderId: string, changes: { id?: string; amount?: string; status?: string } = {}) =>
  `${orderId};${changes.id ?? '9000'};${changes.amount ?? '10.42'};EUR;${changes.status ?? 'approved'};411111\r\n`;

/** Orders of a merchant of their own, as results tell of them. */
async function ordersOf(merchant: string, states: Readonly<Record<string, Standing['standing']>>) {
  const orders = Object.entries(states).map(async ([orderId, standing = 'sending']) =>
    resultOf(viewOf(await world.standing(orderId, { merchant, standing }))),
  );
  return Promise.all(orders);
}

/** Writes the files; answers with the options that name them. */
async function books(results: readonly unknown[], gateway: string): Promise<string[]> {
  const [resultFile, gatewayFile] = [
    await directory.file('results.jsonl', lines(results)),
    await directory.file('gateway.csv', gateway),
  ];
  return ['--results', resultFile, '--gateway', gatewayFile];
}

const reconcile = (...args: string[]) => world.run(['reconcile', ...args]);

describe('payouts reconcile', () => {
  it('puts each order into its class, with the money on both sides, and lists those that do not agree', async () => {
    const told = await ordersOf('classes-eu', {
      paid: 'paid',
      doubtful: 'in-doubt',
      failed: 'failed',
      untold: 'paid',
      '=cheap': 'paid',
    });
    const results = told.filter((it) => it?.orderId !== 'untold');
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
    const { code, stdout } = await reconcile('classes-eu', ...(await books(results, gateway)), '--output', output);
    expect(code).toBe(1);
    const shown = stdout.split('\n').map((line) => line.trim().replaceAll(/ {2,}/g, '  '));
    expect(shown).toEqual(
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
      merchant: 'classes-eu',
      order_id: 'doubtful',
      ledger_standing: 'in-doubt',
      ledger_revision: '1',
      ledger_amount: '10.42',
      ledger_currency: 'EUR',
      ledger_gateway_order_id: '',
      result_status: 'in-doubt',
      result_revision: '1',
      gateway_status: 'approved',
      gateway_amount: '10.42',
      gateway_currency: 'EUR',
      gateway_order_id: '9001',
    });
    expect(rows.map((it) => it['order_id'])).toContain("'=cheap");
    expect((await stat(output)).mode & 0o777).toBe(0o600);
  });

  it('says what it left out, and why', async () => {
    const results = await ordersOf('left-eu', { paid: 'paid' });
    const refused = { version: 1, resultId: 'rejected/m-1', status: 'failed', final: true };
    const gateway = `${header}${gatewayLine('paid')}${gatewayLine('paid', { status: 'reversal' })}`;
    const files = await books([...results, refused], gateway);
    const { code, stdout } = await reconcile('left-eu', ...files, '--status', 'reversal=ignore');
    expect(code).toBe(0);
    expect(stdout).toContain('left out of results: 1 × a word about a message that became no order (line 2)');
    expect(stdout).toContain('left out of gateway: 1 × the status "reversal": no payment (line 3)');
  });

  it('compares no more than the batch that was asked for, and names what is outside', async () => {
    // given a batch of one order, and a report of the whole account, another merchant's lines among it
    await world.upload('payday', [aRow('A')]);
    const order = await world.order('payday', 'A', { standing: 'paid', gatewayOrderId: '1' });
    const foreign = { version: 1, resultId: 'acme-eu/B/1', revision: 1, status: 'approved', final: true };
    const results = [resultOf(viewOf(order)), { ...foreign, amount: '7.00', currency: 'EUR' }];
    const head = 'merchant;client_orderid;orderid;amount;currency;status\r\n';
    const gateway = `${head}acme-eu;A;1;10.42;EUR;approved\r\nacme-eu;B;2;7.00;EUR;approved\r\nglobex-us;C;3;5;USD;approved\r\n`;

    // when they are compared, then the batch agrees, and the rest is counted and named
    const { code, stdout } = await reconcile('acme-eu', '--batch', 'payday', ...(await books(results, gateway)));
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

  longIt.each<[string, Partial<Record<'--results' | '--gateway', string>>, RegExp]>([
    ['holds no results', { '--results': '\n{"a":1}\n' }, /results\.jsonl:\n {2}line 2 is not a result \(resultId\)/],
    [
      'has no header',
      { '--gateway': 'A;9000;10.42;EUR;approved\n' },
      /the header of .*gateway\.csv:\n {2}no column holds the orderId; add --map/,
    ],
    [
      'has an amount that is none',
      { '--gateway': `${header}A;1;-3;EUR;approved;\n` },
      /row 2 has an amount .* add --status "<word>=ignore"/,
    ],
  ])('compares nothing when a file %s', async (_, changed, message) => {
    const options = await books([], header + gatewayLine('A'));
    for (const [name, text] of Object.entries(changed)) {
      const place = options.indexOf(name) + 1;
      await directory.file((options[place] ?? '').split('/').at(-1) ?? '', text);
    }
    const { code, stdout, stderr } = await reconcile('acme-eu', ...options);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(message);
  });
});
