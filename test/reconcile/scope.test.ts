// What is compared: the same merchants, batches and days in all three books.
import { describe, expect, it } from 'vitest';
import type { GatewayRecord, OrderInBooks, ResultRecord } from '../../lib/reconcile/reconcile.ts';
import type { LedgerRecord } from '../../lib/reconcile/ledger-record.ts';
import { outsideOf, type Scope, reportDateMs } from '../../lib/reconcile/scope.ts';

const day = (text: string) => Date.parse(`${text}T00:00:00Z`);
const key = 'acme-eu/INV-1';
const ledger: LedgerRecord = {
  operation: 'payout',
  standing: 'paid',
  final: true,
  revision: 1,
  attempts: 1,
  atMs: Date.parse('2026-11-21T10:00:00.000Z'),
};
const told: ResultRecord = {
  revision: 1,
  status: 'approved',
  final: true,
  batchId: 'november',
  at: '2026-11-21T10:00:00.000Z',
};
const line: GatewayRecord = {
  meaning: 'paid',
  status: 'approved',
  amount: '10.42',
  currency: 'EUR',
  date: '2026-11-21',
};

const outside = (order: Partial<OrderInBooks>, scope: Scope, at = key) =>
  outsideOf(at, { results: [], gateway: [], ...order }, scope);

describe('an order is outside', () => {
  const merchants = new Set(['acme-eu', 'globex-us']);

  it('where it is of another merchant, whichever book has it', () => {
    expect(outside({ gateway: [line] }, { merchants }, 'initech-uk/INV-1')).toBe('merchant');
    for (const order of [{ ledger }, { results: [told] }, { gateway: [line] }])
      for (const at of ['acme-eu/INV-1', 'globex-us/1']) expect(outside(order, { merchants }, at)).toBeUndefined();
  });

  it('where neither the batches in the ledger have it nor a result says that it is theirs', () => {
    const scope: Scope = { batches: new Set(['november']) };
    expect(outside({ gateway: [line] }, scope)).toBe('batch');
    expect(outside({ results: [{ ...told, batchId: 'october' }], gateway: [line] }, scope)).toBe('batch');
    expect(outside({ results: [told] }, scope)).toBeUndefined();
    // A row whose order another batch has asked for before is this batch's too.
    expect(outside({ ledger }, scope)).toBeUndefined();
  });

  it.each<[string, Partial<OrderInBooks>, boolean]>([
    ['sent on these days', { ledger }, true],
    ['sent before them', { ledger: { ...ledger, atMs: day('2026-11-21') - 1 } }, false],
    [
      'sent on them, as the ledger has it, whatever the report\u2019s zone',
      { ledger, gateway: [{ ...line, date: '2026-11-22' }] },
      true,
    ],
    ['that the report alone has, on these days', { gateway: [{ ...line, date: '2026-11-21 23:59:59' }] }, true],
    ['that moved on these days in the report', { gateway: [{ ...line, date: '2026-11-20' }, line] }, true],
    ['that a result alone tells of these days', { results: [told] }, true],
  ])('or not, by its day: %s', (_, order, isInside) => {
    const scope: Scope = { fromMs: day('2026-11-21'), toMs: day('2026-11-22') };
    expect(outside(order, scope)).toBe(isInside ? undefined : 'days');
  });
});

it.each([
  ['2026-11-21', '2026-11-21T00:00:00Z'],
  ['2026-11-21 10:42:07', '2026-11-21T10:42:07Z'],
  ['2026-11-21T10:42:07.5Z', '2026-11-21T10:42:07Z'],
  ['2026-11-21 10:42:07+02:00', '2026-11-21T08:42:07Z'],
  ['21.11.2026', undefined],
  ['2026-13-21', undefined],
  ['2026-02-30', undefined],
  ['', undefined],
])('the date %j is the moment %s', (text, moment) => {
  expect(reportDateMs(text)).toBe(moment && Date.parse(moment));
});
