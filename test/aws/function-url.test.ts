// A request to the door's function URL, and what is read of it: GET with a query, POST with a form, however it was encoded.
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { doorMessageOf, type FunctionUrlEvent, incomingCallback } from '../../lib/aws/lambda-handler.ts';
import { anyText } from '../support/any-text.ts';

const request = (changes: Partial<FunctionUrlEvent> = {}): FunctionUrlEvent => ({
  rawPath: '/acme-eu',
  rawQueryString: '',
  isBase64Encoded: false,
  ...changes,
});
const read = (changes: Partial<FunctionUrlEvent>) => {
  const message = doorMessageOf(request(changes));
  return message && incomingCallback(message);
};
const parametersOf = (changes: Partial<FunctionUrlEvent>) => Object.fromEntries(read(changes)?.parameters ?? []);

describe('the merchant', () => {
  it.each([
    ['/acme-eu', 'acme-eu'],
    ['/callbacks/acme-eu', 'acme-eu'],
    ['/acme-eu/', 'acme-eu'],
    ['/callbacks/acme-eu/', 'acme-eu'],
    ['/acme-eu//', ''],
    ['/', ''],
    ['', ''],
  ])('of %j is %j', (rawPath, merchant) => {
    expect(read({ rawPath })?.merchant).toBe(merchant);
  });
});

describe('the parameters', () => {
  it('of a GET are its query', () => {
    expect(parametersOf({ rawQueryString: 'status=approved&orderid=1&client_orderid=INV-1&control=ab' })).toEqual({
      status: 'approved',
      orderid: '1',
      client_orderid: 'INV-1',
      control: 'ab',
    });
  });

  it('of a POST are its form, over those of its query', () => {
    const body = 'status=declined&orderid=1';
    expect(parametersOf({ rawQueryString: 'status=approved&x=1', body })).toEqual({
      status: 'declined',
      orderid: '1',
      x: '1',
    });
    const isBase64Encoded = true;
    expect(parametersOf({ body: Buffer.from(body).toString('base64'), isBase64Encoded })).toEqual({
      status: 'declined',
      orderid: '1',
    });
  });

  it('are those of 8192 characters at most, path, query and form together; a longer request is not handed on', () => {
    const long = 'x'.repeat(8_192 - '/acme-eu'.length - 'a='.length);
    expect(parametersOf({ rawQueryString: `a=${long}` })).toEqual({ a: long });
    expect(read({ rawQueryString: `a=${long}x` })).toBeUndefined();
    expect(read({ rawQueryString: `a=${long}`, body: 'b' })).toBeUndefined();
  });

  it('are whatever the gateway wrote, for any order id that a job may have', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[\u0020-\u007e]{1,128}$/), (orderId) => {
        const query = new URLSearchParams({ client_orderid: orderId }).toString();
        expect(parametersOf({ rawQueryString: query })).toEqual({ client_orderid: orderId });
        const percent = `client_orderid=${encodeURIComponent(orderId)}`;
        expect(parametersOf({ rawQueryString: percent })).toEqual({ client_orderid: orderId });
      }),
    );
  });

  it('never throw', () => {
    const text = anyText();
    fc.assert(
      fc.property(text, text, text, fc.boolean(), (rawPath, rawQueryString, body, isBase64Encoded) => {
        expect(read({ rawPath, rawQueryString, body, isBase64Encoded })?.parameters).toBeInstanceOf(Map);
      }),
    );
  });
});
