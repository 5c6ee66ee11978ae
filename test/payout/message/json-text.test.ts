import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { memberText, withMember } from '../../../lib/payout/message/json-text.ts';

describe('the text of a member', () => {
  it.each<[why: string, json: string, text: string | undefined]>([
    ['is alone', '{"context":{"a":1}}', '{"a":1}'],
    ['is first', '{"context":{"a":1},"b":2}', '{"a":1}'],
    ['is last, blanks around it', ' {\n "b" : 2 ,\t"context" \r\n: {"a" :\n 1}\n } ', '{"a" :\n 1}'],
    [
      'keeps every digit',
      '{"context":{"id":9007199254740993,"r":1.0,"e":1e400}}',
      '{"id":9007199254740993,"r":1.0,"e":1e400}',
    ],
    [
      'keeps the order of names',
      '{"context":{"10":1,"2":2,"__proto__":{"x":1}}}',
      '{"10":1,"2":2,"__proto__":{"x":1}}',
    ],
    ['keeps escapes', '{"context":{"a":"\\u00e4\\/\\"}"}}', '{"a":"\\u00e4\\/\\"}"}'],
    ['ends behind nested brackets', '{"context":{"a":[{"b":[1,{"c":2}]}]},"z":[]}', '{"a":[{"b":[1,{"c":2}]}]}'],
    ['is not found in a string', '{"a":"\\"context\\":{\\"x\\":1}","b":1}', undefined],
    ['is not found in a nested object', '{"a":{"context":{"x":1}},"b":[{"context":1}]}', undefined],
    ['is not the value of another name', '{"a":"context","b":{"x":1}}', undefined],
    ['is known by its name, however written', '{"conte\\u0078t":{"a":1}}', '{"a":1}'],
    ['is the last one of its name', '{"context":{"a":1},"b":2,"context":{"a":2}}', '{"a":2}'],
    ['the last one counts, an empty one too', '{"context":{"a":1},"context":{}}', '{}'],
    ['a backslash before the quote that ends a string', '{"a":"x\\\\","context":{"b":"\\\\"}}', '{"b":"\\\\"}'],
    ['any other kind of value', '{"context":null}', 'null'],
    ['a string', '{"context":"{\\"a\\":1}"}', '"{\\"a\\":1}"'],
    ['nothing at all', '{}', undefined],
  ])('%s', (_why, json, text) => {
    expect(() => JSON.parse(json)).not.toThrow();
    expect(memberText(json, 'context')).toBe(text);
  });

  it('is what JSON.parse finds there, whatever is around it', () => {
    const blank = fc.stringMatching(/^[ \t\n\r]{0,3}$/);
    const value = fc.jsonValue().map((it) => JSON.stringify(it));
    const member = fc.tuple(fc.oneof(fc.constant('context'), fc.string()), blank, blank, value, blank);
    fc.assert(
      fc.property(fc.array(member), (members) => {
        const json = `{${members.map(([name, a, b, text, c]) => `${a}${JSON.stringify(name)}${a}:${b}${text}${c}`).join(',')}}`;
        const last = members.findLast(([name]) => name === 'context');
        expect(memberText(json, 'context')).toBe(last?.[3]);
      }),
    );
  });
});

it('a member is set behind the others as it is', () => {
  expect(withMember('{"a":1}', 'context', '{"b": 1.0}')).toBe('{"a":1,"context":{"b": 1.0}}');
  expect(withMember('{}', 'context', '{}')).toBe('{"context":{}}');
  expect(withMember(' { }\n', 'b', '2')).toBe('{"b":2}');
  expect(withMember('{"a":1}\r\n ', 'b', '2')).toBe('{"a":1,"b":2}');
});
