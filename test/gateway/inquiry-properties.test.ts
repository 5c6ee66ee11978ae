// Whatever the gateway answers to an inquiry: it is judged, and it never ends an order that it does not name.
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Evidence } from '../../lib/gateway/ports.ts';
import { judgeInquiry } from '../../lib/gateway/inquiry.ts';
import type { OrderView } from '../../lib/payout/order/projection.ts';
import { aView } from '../support/orders.ts';
import { anyText } from '../support/any-text.ts';
import { answer } from './evidence.ts';

const entry = aView({ orderId: 'INV-1', standing: 'confirming', gatewayOrderId: '9000123' });
const unnamed = aView({ orderId: 'INV-1', standing: 'in-doubt' });

describe('whatever the gateway says', () => {
  const word = fc.constantFrom('INV-1', 'INV-2', '9000123', '1', 'approved', 'declined', 'error', '101', '', '10.42');
  const names = [
    'type',
    'status',
    'merchant-order-id',
    'client_orderid',
    'client-order-id',
    'paynet-order-id',
    'amount',
  ];
  const fields = fc.dictionary(fc.constantFrom(...names), fc.oneof(word, fc.string(), fc.integer(), fc.constant(null)));
  const body = fc.oneof(
    anyText(),
    fields.map((it) => JSON.stringify(it)),
    fields.map((it) =>
      Object.entries(it)
        .map(([name, value]) => `${name}=${String(value)}`)
        .join('&'),
    ),
  );
  const evidence: fc.Arbitrary<Evidence> = fc.oneof(
    fc.record({
      kind: fc.constant('answer' as const),
      httpStatus: fc.oneof(fc.constantFrom(200, 400, 401, 500), fc.integer({ min: 100, max: 599 })),
      body,
      framing: fc.constantFrom('delimited' as const, 'until-close' as const),
    }),
    fc.record({ kind: fc.constant('no-answer' as const), reason: fc.string() }),
  );
  const ofJson = (httpStatus: number, body: object) => answer(httpStatus, JSON.stringify(body));
  const anyOrder = fc.constantFrom<OrderView>(entry, unnamed);

  it('is judged without a throw', () => {
    fc.assert(
      fc.property(evidence, anyOrder, (it, order) => {
        expect(judgeInquiry(it, order).kind).toMatch(/^[a-z-]+$/);
      }),
      { numRuns: 2000 },
    );
  });

  it('ends no order that it does not name', () => {
    const ofAnother = fields.map(
      ({ 'merchant-order-id': _1, client_orderid: _2, 'client-order-id': _3, ...rest }) => rest,
    );
    fc.assert(
      fc.property(ofAnother, fc.constantFrom(200, 400), (it, httpStatus) => {
        const strange = { ...it, type: 'status-response', status: 'approved', 'paynet-order-id': '1' };
        expect(judgeInquiry(ofJson(httpStatus, strange), entry).kind).toBe('unclear');
        expect(judgeInquiry(ofJson(httpStatus, strange), unnamed).kind).toBe('unclear');
      }),
    );
    fc.assert(
      fc.property(evidence, (it) => {
        const { kind } = judgeInquiry(it, unnamed);
        if (kind !== 'approved' && kind !== 'declined') return;
        expect(it.kind === 'answer' && it.httpStatus === 200 && it.body).toContain('INV-1');
      }),
      { numRuns: 2000 },
    );
  });
});
