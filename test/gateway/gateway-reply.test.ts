import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeReply } from '../../lib/gateway/reply.ts';
import { anyText } from '../support/any-text.ts';

function read(body: string, framing: 'delimited' | 'until-close' = 'delimited') {
  const reply = decodeReply(body, framing);
  return reply.kind === 'fields' ? Object.fromEntries(reply.fields) : reply.reason;
}

describe('form text', () => {
  it('is pairs joined by &, each value followed by a line feed', () => {
    const wire =
      'type=async-response\n&serial-number=00000000-0000-0000-0000-0000005b2a8a\n&merchant-order-id=INV-1\n&paynet-order-id=9000123\n';
    const fields = {
      type: 'async-response',
      'serial-number': '00000000-0000-0000-0000-0000005b2a8a',
      'merchant-order-id': 'INV-1',
      'paynet-order-id': '9000123',
    };
    expect(read(wire)).toEqual(fields);
    expect(read(wire, 'until-close')).toEqual(fields);
    expect(read(wire.replaceAll('\n', ''))).toEqual(fields);
    expect(read(wire.replaceAll('\n', '\r\n'))).toEqual(fields);
  });

  it.each([
    [
      'cut off, with nothing but the close to mark the end',
      'type=async-response\n&paynet-order-id=90001',
      'until-close',
      'the form text may have been cut off',
    ],
    [
      'with two values of one name',
      'payout-id=1\n&payout-id=2\n',
      'delimited',
      'the form text has two values of payout-id',
    ],
    ['cut off within a name', 'type=error\n&paynet-or', 'delimited', 'the body is not whole form text'],
    ['cut off before its first =, perhaps', 'type', 'until-close', 'the body may have been cut off'],
    ['cut off before its first byte, perhaps', '', 'until-close', 'the body may have been cut off'],
    ['with a broken escape', 'a=%E0%A4%A\n', 'delimited', 'the form text has a broken escape'],
    ['with a lone %', 'a=100%\n', 'delimited', 'the form text has a broken escape'],
    ['that is no text', 'x\u0000y', 'delimited', 'the body is no text'],
    ['with a name that is none', 'a b=1\n', 'delimited', 'the body is neither JSON nor form text'],
    ['without a name', '=1\n', 'delimited', 'the body is neither JSON nor form text'],
    ['without a value', 'approved', 'delimited', 'the body is neither JSON nor form text'],
    ['HTML', '<html><body class="a">It works!</body></html>', 'delimited', 'the body is neither JSON nor form text'],
    ['plain words', 'Bad Gateway', 'delimited', 'the body is neither JSON nor form text'],
    ['empty', '', 'delimited', 'the body is empty'],
    ['blank', ' \n\n ', 'delimited', 'the body is empty'],
  ] as const)('%s is unreadable', (_, body, framing, reason) => {
    expect(read(body, framing)).toBe(reason);
  });
});

describe('JSON', () => {
  it('is told by its first character, not by its declared type', () => {
    expect(read(' \n{"type":"async-response","payout-id":"9000123"}')).toEqual({
      type: 'async-response',
      'payout-id': '9000123',
    });
  });

  it('keeps the digits of ids that a number would round', () => {
    expect(read('{"payout-id":12345678901234567890,"error-code":8}')).toEqual({
      'payout-id': '12345678901234567890',
      'error-code': '8',
    });
  });

  it('keeps what is nested with the names that lead to it', () => {
    const reply = decodeReply('{"error":{"code":8,"texts":["no"]}}', 'delimited');
    expect(reply.kind === 'fields' && reply.leaves).toEqual([
      { path: ['error', 'code'], value: '8' },
      { path: ['error', 'texts', '[]'], value: 'no' },
    ]);
  });

  it('has no field by inheritance', () => {
    const reply = decodeReply('{"a":"1"}', 'delimited');
    expect(reply.kind === 'fields' && reply.fields.get('constructor')).toBeUndefined();
  });

  it.each([
    ['an array', '[{"payout-id":"1"}]', 'the body is an array, not an object'],
    ['no fields', '{}', 'the JSON object has no fields'],
    ['two values of one name', '{"payout-id":"1","payout-id":"2"}', 'the JSON has two values of one name'],
    ['two values of one nested name', '{"a":{"b":1,"b":2}}', 'the JSON has two values of one name'],
    ['followed by something', '{"a":"1"} 2', 'the body is not whole JSON'],
    ['cut off', '{"type":"async-response","payout-id":"90', 'the body is not whole JSON'],
    ['two objects', '{"a":"1"}{"b":"2"}', 'the body is not whole JSON'],
    ['deeper than anyone writes', '{"a":'.repeat(300) + '1' + '}'.repeat(300), 'the JSON is nested too deeply'],
    ['deeper than can be read', '{"a":'.repeat(9_000), 'the body is not whole JSON'],
  ])('%s is unreadable', (_, body, reason) => {
    expect(read(body)).toBe(reason);
  });
});

it('whatever the bytes, nothing is thrown', () => {
  const anyBody = fc.oneof(
    anyText(),
    fc.uint8Array().map((bytes) => Buffer.from(bytes).toString('latin1')),
    fc.json(),
    fc.dictionary(anyText(), anyText()).map((fields) => new URLSearchParams(fields).toString()),
  );
  const anyFraming = fc.constantFrom('delimited' as const, 'until-close' as const);
  fc.assert(
    fc.property(anyBody, anyFraming, (body, framing) => {
      expect(['fields', 'page', 'unreadable']).toContain(decodeReply(body, framing).kind);
    }),
  );
});
