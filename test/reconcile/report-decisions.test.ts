// Which orders in doubt a report of the gateway decides, and which it leaves to a person.
import { describe, expect, it } from 'vitest';
import { type GatewayRecord, judgeOrder, type ResultRecord } from '../../lib/reconcile/reconcile.ts';
import type { LedgerRecord } from '../../lib/reconcile/ledger-record.ts';
import { standings } from '../../lib/payout/order/standing.ts';
import { reportDecisionOf } from '../../lib/reconcile/report-decisions.ts';

const key = 'acme-eu/INV-1';
const atMs = Date.parse('2026-11-21T10:00:00.000Z');
const inDoubt: LedgerRecord = {
  operation: 'payout',
  standing: 'in-doubt',
  final: false,
  revision: 2,
  attempts: 1,
  compared: 'a digest',
  amount: '10.42',
  currency: 'EUR',
  atMs,
};
const told: ResultRecord = { revision: 2, status: 'in-doubt', final: false, amount: '10.42', currency: 'EUR' };
const line = (changes: Partial<GatewayRecord> = {}): GatewayRecord => ({
  meaning: 'paid',
  status: 'approved',
  amount: '10.42',
  currency: 'EUR',
  gatewayOrderId: '9001',
  ...changes,
});
function nameless(it: GatewayRecord): GatewayRecord {
  const { gatewayOrderId: _, ...rest } = it;
  return rest;
}
const unpaid = (id: string) => line({ meaning: 'unpaid', status: 'declined', gatewayOrderId: id });

function decided(gateway: readonly GatewayRecord[], changes: Partial<LedgerRecord> = {}) {
  const ledger = { ...inDoubt, ...changes };
  const order = { ledger, results: [{ ...told, status: standings[ledger.standing].result ?? '' }], gateway };
  return reportDecisionOf(key, order, judgeOrder(order));
}

const words = { key, compared: 'a digest', amount: '10.42', currency: 'EUR' };

describe('an order in doubt', () => {
  it.each(['in-doubt', 'held', 'accepted', 'confirming'] as const)(
    'that is %s is paid where the report lists its payment, by its id',
    (standing) => {
      expect(decided([line()], { standing })).toEqual({ ...words, as: 'paid', gatewayOrderId: '9001' });
    },
  );

  it.each(['in-doubt', 'accepted'] as const)(
    'that is %s is not paid where the report lists it as declined',
    (standing) => {
      expect(decided([unpaid('9001')], { standing })).toEqual({ ...words, as: 'not-paid', gatewayOrderId: '9001' });
    },
  );

  it('that was sent twice is paid by one of its lines, and not paid by as many as it was sent', () => {
    expect(decided([unpaid('9000'), line()], { attempts: 2 })).toEqual({
      ...words,
      as: 'paid',
      gatewayOrderId: '9001',
    });
    expect(decided([unpaid('9000'), unpaid('9001')], { attempts: 2 })).toEqual({ ...words, as: 'not-paid' });
  });

  it.each<[what: string, gateway: readonly GatewayRecord[], changes?: Partial<LedgerRecord>]>([
    ['it is not in the report', []],
    ['it is under way there', [line({ meaning: 'under-way', status: 'processing' })]],
    ['its word proves nothing', [line({ meaning: 'unproven', status: 'error' })]],
    ['it is filtered, and was sent twice', [line({ meaning: 'filtered', status: 'filtered' })], { attempts: 2 }],
    ['one of two attempts is declined', [unpaid('9001')], { attempts: 2 }],
    [
      'one of two is declined, and listed twice without an id',
      [nameless(unpaid('')), nameless(unpaid(''))],
      { attempts: 2 },
    ],
    [
      'one of two is declined, and listed with its id and without',
      [unpaid('9001'), nameless(unpaid(''))],
      { attempts: 2 },
    ],
    ['its attempt is declined, and a restore may have lost another', [unpaid('9001')], { mayHaveMore: true }],
    [
      'its attempt is filtered, and a restore may have lost one before it',
      [line({ meaning: 'filtered', status: 'filtered' })],
      { mayHaveMore: true },
    ],
    ['it is paid twice', [line(), line({ gatewayOrderId: '9002' })]],
    ['it is paid in another amount', [line({ amount: '1.00' })]],
    ['it was paid and taken back', [line(), line({ meaning: 'reversed', status: 'reversed' })]],
    ['one line says paid and another one another amount', [line(), line({ amount: '9.00' })]],
    ['it is being sent', [line()], { standing: 'sending' }],
    ['it was never sent', [line()], { standing: 'held-unpaid' }],
    ['it is paid already', [line()], { standing: 'paid' }],
    ['it is accepted under another id', [line()], { standing: 'accepted', gatewayIds: ['7'] }],
    ['it is declined under another id', [unpaid('9001')], { gatewayIds: ['7'] }],
    ['two others are declined, and its own is missing', [unpaid('9001'), unpaid('9002')], { gatewayIds: ['7'] }],
    ['what is declined has no id, and it bears one', [nameless(unpaid('9001'))], { gatewayIds: ['7'] }],
    ['what is declined is of another type', [{ ...unpaid('9001'), type: 'transfer' }]],
    ['what is paid is of another type', [line({ type: 'transfer' })]],
    ['what is declined has another amount', [{ ...unpaid('9001'), amount: '9.00' }]],
  ])('is left to a person where %s', (_, gateway, changes) => {
    expect(decided(gateway, changes)).toBeUndefined();
  });

  it('is decided without an id where the report has none that could be one', () => {
    for (const gatewayOrderId of ['', '=1+1', '9'.repeat(41)])
      expect(decided([line({ gatewayOrderId })])).toEqual({ ...words, as: 'paid' });
    expect(decided([nameless(line())])).toEqual({ ...words, as: 'paid' });
  });
});
