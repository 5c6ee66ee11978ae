// One order in three books: how each book is read, and the money on either side.
import { describe, expect, it } from 'vitest';
import { type GatewayRecord, judgeOrder, type OrderInBooks, type ResultRecord } from '../../lib/reconcile/reconcile.ts';
import type { LedgerRecord } from '../../lib/reconcile/ledger-record.ts';
import { standings } from '../../lib/payout/order/standing.ts';
const ledger: LedgerRecord = {
  operation: 'payout',
  standing: 'paid',
  final: true,
  revision: 3,
  attempts: 1,
  atMs: Date.parse('2026-11-21T10:00:00.000Z'),
  amount: '10.42',
  currency: 'EUR',
};
const result: ResultRecord = { revision: 3, status: 'approved', final: true, amount: '10.42', currency: 'EUR' };
const paid: GatewayRecord = {
  meaning: 'paid',
  status: 'approved',
  amount: '10.42',
  currency: 'EUR',
  gatewayOrderId: '9',
};

const { gatewayOrderId: _id, ...nameless } = paid;

const judge = (it: Partial<OrderInBooks>) => judgeOrder({ ledger, results: [result], gateway: [paid], ...it }).name;

describe('an order', () => {
  it('that is the same everywhere agrees', () => {
    expect(judgeOrder({ ledger, results: [result], gateway: [paid] })).toEqual({
      name: 'agree-paid',
      result: 'same',
      newest: result,
      money: [{ currency: 'EUR', ledger: 1042n, gateway: 1042n }],
    });
  });

  it('that was declined, and cancelled before it was sent again under a new id, agrees', () => {
    const cancelled = { ...ledger, standing: 'cancelled' } as const;
    const results = [{ ...result, status: 'cancelled' }];
    const declined = { ...paid, meaning: 'unpaid', status: 'declined' } as const;
    expect(judge({ ledger: cancelled, results, gateway: [declined] })).toBe('agree-declined');
    expect(judge({ ledger: { ...cancelled, attempts: 0 }, results, gateway: [declined] })).toBe(
      'unpaid-though-not-sent',
    );
    expect(judge({ ledger: cancelled, results })).toBe('paid-though-declined');
  });

  it('that was declined, and is sent again by name, has the result of its last revision', () => {
    const again = { ...ledger, standing: 'waiting', final: false, attempts: 2, withoutResult: true } as const;
    const results = [{ ...result, status: 'declined' }];
    expect(judge({ ledger: again, results, gateway: [] })).toBe('agree-not-sent');
    expect(judge({ ledger: again, gateway: [] })).toBe('result-contradicts-ledger');
    expect(judge({ ledger: again, results: [{ ...result, revision: 4 }], gateway: [] })).toBe('result-ahead');
  });

  it('that the report has under another gateway id does not agree: that is another payment (R2)', () => {
    const known = { ...ledger, gatewayIds: ['7'] };
    expect(judge({ ledger: known })).toBe('paid-under-another-id');
    expect(judge({ ledger: known, gateway: [{ ...paid, gatewayOrderId: '7' }] })).toBe('agree-paid');
    expect(judge({ ledger: known, gateway: [{ ...paid, gatewayOrderId: '7' }, paid] })).toBe('paid-more-than-once');
    expect(judge({ ledger: known, gateway: [nameless] })).toBe('agree-paid');
    // An attempt that was declined bore an id that no answer named.
    const refused = { ...paid, meaning: 'unpaid', status: 'declined' } as const;
    expect(judge({ ledger: known, gateway: [{ ...paid, gatewayOrderId: '7' }, refused] })).toBe('agree-paid');
    // Nor does that refusal say that the known payment was refused: the report does not have it.
    expect(judge({ ledger: known, gateway: [refused] })).toBe('approved-missing-at-gateway');
    const accepted = { ledger: { ...known, standing: 'accepted' }, gateway: [refused] } as const;
    expect(judge(accepted)).toBe('accepted-missing-at-gateway');
  });

  it('that the report has as a transaction of another type does not agree: that is another payment', () => {
    expect(judge({ gateway: [{ ...paid, type: 'payout' }] })).toBe('agree-paid');
    expect(judge({ gateway: [{ ...paid, type: 'transfer' }] })).toBe('paid-under-another-id');
    // A restored order is known by name alone: it may be of any operation.
    const { amount: _a, currency: _c, ...byName } = ledger;
    const restored = { ...byName, standing: 'held', mayHaveMore: true } as const;
    const told = [{ ...result, status: 'held' }];
    expect(judge({ ledger: restored, results: told, gateway: [{ ...paid, type: 'transfer' }] })).toBe(
      'doubt-resolved-paid',
    );
    const declined = { ...paid, type: 'transfer', meaning: 'unpaid', status: 'declined' } as const;
    expect(judge({ gateway: [declined] })).toBe('approved-missing-at-gateway');
  });

  it.each<[LedgerRecord['standing'], string, string, string]>([
    ['held', 'doubt-resolved-paid', 'doubt-missing-at-gateway', 'unproven-at-gateway'],
    ['failed', 'paid-though-not-sent', 'agree-not-sent', 'unproven-at-gateway'],
    ['declined', 'paid-though-declined', 'agree-refused', 'agree-declined'],
    ['accepted', 'accepted-and-paid', 'accepted-missing-at-gateway', 'unproven-at-gateway'],
    ['paid', 'agree-paid', 'approved-missing-at-gateway', 'unproven-at-gateway'],
  ])(
    'that is %s is %s when the gateway paid it, %s when it has it not, and %s when that proves nothing',
    (standing, when, otherwise, unproven) => {
      const entry = { ...ledger, standing };
      const results = [{ ...result, status: standings[standing].result ?? '' }];
      expect(judge({ ledger: entry, results })).toBe(when);
      expect(judge({ ledger: entry, results, gateway: [] })).toBe(otherwise);
      expect(judge({ ledger: entry, results, gateway: [{ ...paid, meaning: 'unproven', status: 'error' }] })).toBe(
        unproven,
      );
    },
  );

  it('that only the gateway or only a result knows is named', () => {
    expect(judgeOrder({ results: [], gateway: [paid] })).toMatchObject({
      name: 'paid-unknown-here',
      money: [{ currency: 'EUR', ledger: 0n, gateway: 1042n }],
    });
    expect(judgeOrder({ results: [result], gateway: [] }).name).toBe('result-unknown-here');
  });
});

describe('its results', () => {
  it.each<[string, readonly ResultRecord[], string]>([
    ['none', [], 'result-missing'],
    ['an earlier one alone', [{ ...result, revision: 2, status: 'accepted' }], 'result-behind'],
    [
      'the newest, among earlier ones and copies',
      [{ ...result, revision: 2, status: 'accepted' }, result, result],
      'agree-paid',
    ],
    ['a later one than the export', [result, { ...result, revision: 4, status: 'declined' }], 'result-ahead'],
    ['another status', [{ ...result, status: 'declined' }], 'result-contradicts-ledger'],
    ['not final', [{ ...result, final: false }], 'result-contradicts-ledger'],
    ['another amount', [{ ...result, amount: '10.43' }], 'result-contradicts-ledger'],
    ['another currency', [{ ...result, currency: 'USD' }], 'result-contradicts-ledger'],
    ['twice, and not the same', [result, { ...result, status: 'declined' }], 'result-contradicts-ledger'],
  ])('%s', (_, results, name) => {
    expect(judge({ results })).toBe(name);
  });

  it('are none while there is nothing to tell', () => {
    const none = { results: [], gateway: [] };
    const waiting = { ...ledger, standing: 'waiting', withoutResult: true } as const;
    expect(judge({ ledger: waiting, ...none })).toBe('agree-not-sent');
    const earlier = [{ ...result, revision: 1, status: 'failed' }];
    expect(judge({ ledger: waiting, results: earlier, gateway: [] })).toBe('agree-not-sent');
    const { amount: _a, currency: _c, ...beforehand } = ledger;
    const cancelled = {
      ...beforehand,
      ...({ standing: 'cancelled', revision: 1, attempts: 0, withoutResult: true } as const),
    };
    expect(judge({ ledger: cancelled, ...none })).toBe('agree-not-sent');
    const told = [{ ...result, revision: 1, status: 'cancelled' }];
    expect(judge({ ledger: cancelled, results: told, gateway: [] })).toBe('agree-not-sent');
  });
});

describe('the gateway’s lines about it', () => {
  const declined: GatewayRecord = { ...paid, meaning: 'unpaid', status: 'declined', gatewayOrderId: '8' };
  const processing: GatewayRecord = { ...paid, meaning: 'under-way', status: 'processing' };
  const reversal: GatewayRecord = { ...paid, meaning: 'reversed', status: 'reversal approved' };

  it.each<[string, readonly GatewayRecord[], string]>([
    ['two payments are one too many', [paid, { ...paid, gatewayOrderId: '10' }], 'paid-more-than-once'],
    ['two payments without ids are as well', [nameless, nameless], 'paid-more-than-once'],
    ['one payment that is listed twice is one', [paid, paid], 'agree-paid'],
    ['a payment after a refusal is one', [declined, paid], 'agree-paid'],
    ['the end of an order goes over its beginning, first or last', [paid, processing], 'agree-paid'],
    [
      'one that is under way and one refused',
      [declined, { ...processing, gatewayOrderId: '7' }],
      'unfinished-though-approved',
    ],
    ['a refusal alone', [declined], 'unpaid-though-approved'],
    [
      'two that are under way are one too many',
      [processing, { ...processing, gatewayOrderId: '7' }],
      'paid-more-than-once',
    ],
    ['another amount', [{ ...paid, amount: '10.43' }], 'amount-differs'],
    ['another currency', [{ ...paid, currency: 'USD' }], 'amount-differs'],
    ['the amount of a refusal counts for no side', [{ ...declined, amount: '1' }, paid], 'agree-paid'],
  ])('%s', (_, gateway, name) => {
    expect(judge({ gateway })).toBe(name);
    expect(judge({ gateway: gateway.toReversed() })).toBe(name);
  });

  it.each<[string, readonly GatewayRecord[]]>([
    ['with another amount', [paid, { ...paid, amount: '99.00' }]],
    ['with another currency', [paid, { ...paid, currency: 'USD' }]],
    ['under way with another amount', [paid, { ...processing, amount: '10.43' }]],
    ['and more taken back than was paid', [paid, { ...reversal, amount: '10.43' }]],
    ['and taken back twice', [paid, reversal, reversal]],
  ])('that list one payment %s contradict each other', (_, gateway) => {
    expect(judge({ gateway })).toBe('report-contradicts-itself');
    expect(judge({ gateway: gateway.toReversed() })).toBe('report-contradicts-itself');
  });

  it.each<[string, string | undefined, readonly GatewayRecord[], string]>([
    ['that the ledger does not know', undefined, [paid, reversal], 'reversed-unknown-here'],
    [
      'in part, that the ledger does not know',
      undefined,
      [paid, { ...reversal, amount: '4' }],
      'reversed-unknown-here',
    ],
    ['whose payment is before the report', undefined, [reversal], 'reversed-unknown-here'],
    ['that both know', '10.42', [paid, reversal], 'agree-reversed'],
    ['that the ledger alone knows', '4.00', [paid], 'agree-reversed'],
    ['of a payment that the report does not have', '10.42', [], 'approved-missing-at-gateway'],
  ])('and a payment taken back %s', (_, reversed, gateway, name) => {
    expect(judge({ ledger: { ...ledger, ...(reversed !== undefined && { reversed }) }, gateway })).toBe(name);
  });

  it('in which a filter refused it prove something of an order that was sent once alone', () => {
    const doubt: LedgerRecord = { ...ledger, standing: 'in-doubt' };
    const results = [{ ...result, status: 'in-doubt' }];
    const gateway: readonly GatewayRecord[] = [{ ...paid, meaning: 'filtered', status: 'filtered' }];
    expect(judge({ ledger: doubt, results, gateway })).toBe('doubt-resolved-unpaid');
    expect(judge({ ledger: { ...doubt, attempts: 2 }, results, gateway })).toBe('unproven-at-gateway');
  });

  it('count what was paid; else what is under way; else what was refused', () => {
    const money = (...gateway: GatewayRecord[]) => judgeOrder({ ledger, results: [result], gateway }).money;
    const both = { currency: 'EUR', ledger: 1042n };
    expect(money(paid, { ...paid, gatewayOrderId: '10' }, declined)).toEqual([{ ...both, gateway: 2084n }]);
    expect(money({ ...processing, amount: '3' }, declined)).toEqual([{ ...both, gateway: 300n }]);
    expect(money(declined)).toEqual([{ ...both, gateway: 1042n }]);
    expect(money()).toEqual([{ ...both, gateway: 0n }]);
    expect(money({ ...paid, currency: 'USD' })).toEqual([
      { ...both, gateway: 0n },
      { currency: 'USD', ledger: 0n, gateway: 1042n },
    ]);
  });
});
