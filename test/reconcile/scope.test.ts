// What is compared: the same merchants, batches and days in all three books, by what the ledger was exported for.
import { describe, expect, it } from 'vitest';
import type { ExportHead } from '../../lib/reconcile/ledger-export.ts';
import type { GatewayRecord, LedgerRecord, OrderInBooks, ResultRecord } from '../../lib/reconcile/reconcile.ts';
import { type AskedScope, outsideOf, type Scope, scopeOf, reportDateMs } from '../../lib/reconcile/scope.ts';

const day = (text: string) => Date.parse(`${text}T00:00:00Z`);
const head: ExportHead = { version: 1, kind: 'export', madeAt: '2026-11-23T10:00:00.000Z' };
const key = 'acme-eu/INV-1';
const ledger: LedgerRecord = {
  operation: 'payout',
  standing: 'paid',
  final: true,
  revision: 1,
  attempts: 1,
  batchId: 'november',
  at: '2026-11-21T10:00:00.000Z',
};
const told: ResultRecord = { revision: 1, status: 'approved', final: true, batchId: 'november', at: ledger.at };
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

  it('where the ledger was exported for a batch and does not have it, unless a result says that it is the batch\u2019s', () => {
    const scope: Scope = { batches: new Set(['november']), isOfBatches: true };
    expect(outside({ gateway: [line] }, scope)).toBe('batch');
    expect(outside({ results: [{ ...told, batchId: 'october' }], gateway: [line] }, scope)).toBe('batch');
    expect(outside({ results: [told] }, scope)).toBeUndefined();
    // A row whose order another batch has asked for before is this batch's too.
    expect(outside({ ledger: { ...ledger, batchId: 'october' } }, scope)).toBeUndefined();
  });

  it('where a whole export has it under another batch, or under none', () => {
    const scope: Scope = { batches: new Set(['november']) };
    const { batchId: _, ...withoutBatch } = ledger;
    expect(outside({ ledger }, scope)).toBeUndefined();
    expect(outside({ ledger: { ...ledger, batchId: 'october' } }, scope)).toBe('batch');
    expect(outside({ ledger: withoutBatch }, scope)).toBe('batch');
  });

  it.each<[string, Partial<OrderInBooks>, boolean]>([
    ['sent on these days', { ledger }, true],
    ['sent before them', { ledger: { ...ledger, at: '2026-11-20T23:59:59.999Z' } }, false],
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

describe('the scope', () => {
  const asked: AskedScope = { merchants: new Set(['acme-eu']), fromMs: day('2026-11-20') };

  it('is what the ledger was exported for', () => {
    expect(scopeOf({}, [{ ...head, merchant: 'acme-eu', since: '2026-11-20T00:00:00.000Z' }])).toEqual({
      merchants: new Set(['acme-eu']),
      fromMs: day('2026-11-20'),
    });
    expect(
      scopeOf({}, [
        { ...head, batch: 'a' },
        { ...head, batch: 'b' },
      ]),
    ).toEqual({
      batches: new Set(['a', 'b']),
      isOfBatches: true,
    });
  });

  it('is narrowed by what was asked for, and never begins before the export', () => {
    const since = { ...head, since: '2026-11-21T00:00:00.000Z' };
    expect(scopeOf({ ...asked, toMs: day('2026-11-23') }, [since])).toEqual({
      merchants: new Set(['acme-eu']),
      fromMs: day('2026-11-21'),
      toMs: day('2026-11-23'),
    });
    expect(scopeOf(asked, [{ ...head, since: '2026-11-01T00:00:00.000Z' }])).toEqual(asked);
  });

  it('can\u2019t be of a batch for one export alone, nor of a batch that was not exported', () => {
    expect(scopeOf({}, [head, { ...head, batch: 'november' }])).toHaveProperty('fault');
    expect(scopeOf({ batches: new Set(['october']) }, [{ ...head, batch: 'november' }])).toHaveProperty('fault');
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
