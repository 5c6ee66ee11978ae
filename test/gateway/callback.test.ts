// The gateway's callback: what is read of it, whose it is, and what it may say if the gateway cannot be asked.
import { createHash, createSecretKey } from 'node:crypto';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Callback } from '../../lib/gateway/ports.ts';
import { payneteasyCallbacks } from '../../lib/gateway/payneteasy-callbacks.ts';
import { anyText } from '../support/any-text.ts';

const { isAuthentic, read: readCallback } = payneteasyCallbacks;
const keyOf = (text: string) => createSecretKey(text, 'utf8');
const vendorKey = keyOf('test-merchant-control');

/** The vendor's own vector. */
const vendors: Callback = {
  status: 'approved',
  gatewayOrderId: '1234567',
  orderId: 'hf-abc',
  proof: '652ace404c4dfe8bba069ecee594ec23a89340e1',
};

describe('the control of a callback', () => {
  it('matches the published vector', () => {
    expect(isAuthentic(vendors, vendorKey)).toBe(true);
    expect(isAuthentic({ ...vendors, proof: vendors.proof.toUpperCase() }, vendorKey)).toBe(true);
  });

  it('matches the published vector of all fields empty', () => {
    const control = '1a66987ac24e927ff2979f83a41cb818936a9e62';
    expect(isAuthentic({ status: '', gatewayOrderId: '', orderId: '', proof: control }, vendorKey)).toBe(true);
  });

  it.each<[string, Partial<Callback>]>([
    ['another status', { status: 'declined' }],
    ['the status in another case', { status: 'Approved' }],
    ["another of the gateway's orders", { gatewayOrderId: '1234568' }],
    ['another order', { orderId: 'hf-abd' }],
    ['another digit', { proof: '652ace404c4dfe8bba069ecee594ec23a89340e2' }],
    ['nothing', { proof: '' }],
    ['a digit too few', { proof: '652ace404c4dfe8bba069ecee594ec23a89340e' }],
    ['a digit too many', { proof: '652ace404c4dfe8bba069ecee594ec23a89340e10' }],
    ['half of it', { proof: '652ace404c4dfe8bba06' }],
    ['twice of it', { proof: '652ace404c4dfe8bba069ecee594ec23a89340e1'.repeat(2) }],
    ['a space before it', { proof: ' 652ace404c4dfe8bba069ecee594ec23a89340e1' }],
    ['what is no hexadecimal', { proof: 'z'.repeat(40) }],
    ['forty bytes of something else', { proof: 'é'.repeat(40) }],
  ])('does not match with %s', (_, changes) => {
    expect(isAuthentic({ ...vendors, ...changes }, vendorKey)).toBe(false);
  });

  it("does not match under another merchant's key", () => {
    expect(isAuthentic(vendors, keyOf('test-merchant-contro1'))).toBe(false);
  });

  it('matches what the gateway makes of any fields and key, in UTF-8', () => {
    const text = fc.string({ unit: 'grapheme', maxLength: 60 });
    fc.assert(
      fc.property(text, text, text, text, (status, gatewayOrderId, orderId, key) => {
        const control = createHash('sha1').update(`${status}${gatewayOrderId}${orderId}${key}k`).digest('hex');
        expect(isAuthentic({ status, gatewayOrderId, orderId, proof: control }, keyOf(`${key}k`))).toBe(true);
      }),
    );
  });
});

describe('a callback is read', () => {
  const parameters = {
    status: 'approved',
    orderid: '1234567',
    client_orderid: 'hf-abc',
    control: vendors.proof,
  };
  const read = (it: Readonly<Record<string, string>>) => readCallback(new Map(Object.entries(it)));

  it('from its four fields, with type, amount and currency where they are there', () => {
    expect(read(parameters)).toEqual(vendors);
    expect(read({ ...parameters, amount: '10.42', currency: 'EUR', type: 'payout', 'card-type': 'VISA' })).toEqual({
      ...vendors,
      type: 'payout',
      amount: '10.42',
      currency: 'EUR',
    });
  });

  it('with merchant_order for the order id, where client_orderid is not there', () => {
    const { client_orderid: _, ...rest } = parameters;
    expect(read({ ...rest, merchant_order: 'hf-abc' })).toEqual(vendors);
    expect(read({ ...parameters, merchant_order: 'other' })).toEqual(vendors);
  });

  it.each(['status', 'orderid', 'client_orderid', 'control'])('only if it has its %s', (name) => {
    const rest = Object.fromEntries(Object.entries(parameters).filter(([it]) => it !== name));
    expect(read(rest)).toBeUndefined();
  });

  it.each(['status', 'orderid', 'client_orderid', 'control'])('only if its %s has 128 characters at most', (name) => {
    expect(read({ ...parameters, [name]: 'x'.repeat(128) })).toBeDefined();
    expect(read({ ...parameters, [name]: 'x'.repeat(129) })).toBeUndefined();
  });

  it('whatever it is, without a throw', () => {
    const name = fc.oneof(fc.constantFrom(...Object.keys(parameters), 'amount', 'currency'), fc.string());
    const anything = fc.dictionary(name, anyText());
    fc.assert(
      fc.property(anything, (it) => {
        const callback = read(it);
        if (!callback) return;
        expect(isAuthentic(callback, vendorKey)).toBe(false);
        expect(['approved', 'declined', 'filtered', 'seen']).toContain(payneteasyCallbacks.saysOf(callback.status));
      }),
    );
  });
});
