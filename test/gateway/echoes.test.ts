// A gateway may echo what it was sent: the very number of the job is known again whatever stands between its digits, in whatever
// writing; and in fields that people fill, the disguises that people use.
import { describe, expect, it } from 'vitest';
import { cardDataInName, holdsCardData, isCardAccount, redact } from '../../lib/gateway/redact.ts';
import { maskedMessage } from '../../lib/batches/masked-rows.ts';

const sent = '4111111111111111';
const odd = '9111222233334444'; // of no network, and with a wrong check digit: known by the job alone

describe.each([sent, odd])('of %s no echo is kept', (number) => {
  const groups = number.match(/.{4}/g) ?? [];
  it.each([
    ['in markup', groups.map((it) => `<b>${it}</b>`).join(' ')],
    ['in table cells', groups.map((it) => `<td class=x>${it}</td>`).join('')],
    ['digit by digit, in words', [...number].join(' then ')],
    ['in JSON', JSON.stringify(Object.fromEntries(groups.map((it, at) => [`p${'abcd'.charAt(at)}`, it])))],
    ['in other digits', [...number].map((it) => String.fromCodePoint(0xff10 + Number(it))).join('')],
    [
      'in other digits and groups',
      groups.map((it) => [...it].map((d) => String.fromCodePoint(0x660 + Number(d))).join('')).join('·'),
    ],
    ['as entities', [...number].map((it) => `&#${it.charCodeAt(0)};`).join('')],
    ['in Base64', Buffer.from(`card ${number}`).toString('base64')],
  ])('%s', (_, echo) => {
    const shown = redact(`no: ${echo}`, [number]).normalize('NFKC');
    for (const group of groups) expect(shown).not.toContain(group);
    expect(shown.replaceAll(/\D/g, '')).not.toContain(number);
    expect(shown).not.toContain(Buffer.from(number).toString('base64').slice(0, 12));
  });
});

it.each([
  ['in groups', 'account DE89-3704 0044 is closed'],
  ['in small letters', 'account de8937040044 is closed'],
  ['three characters between the groups', 'счёт DE89 · 3704💶💶💶0044 закрыт'],
])('of an account number no echo is kept: %s', (_, echo) => {
  expect(redact(echo, ['DE89370400.44'])).toMatch(/^(?:account|счёт) \[redacted\] (?:is closed|закрыт)$/);
});

it.each([
  ['markup between the groups', '<i>4111</i><i>1111</i><i>1111</i><i>1111</i>'],
  ['parts of a JSON text', '{"a":"4111","b":"1111","c":"1111","d":"1111"}'],
  ['UTF-16 in Base64', Buffer.from(`card ${sent}`, 'utf16le').toString('base64')],
  ['a code digit by digit', 'CVV: 7 3 7'],
  ['a code by dashes', 'cvc2=7-3-7-1'],
])('%s is card data', (_, text) => {
  expect(holdsCardData(text)).toBe(true);
});

it.each([
  ['CVV: 7 3 7 5 5 5', false],
  ['<b>10</b> of <b>2026</b>', false],
  ['{"a":"4111","b":"1111"}', false],
])('%s is card data: %s', (text, is) => {
  expect(holdsCardData(text)).toBe(is);
});

it.each([
  ['4111 1111 1111 1111 12/30', true],
  ['4111111111111111 12/2030 737', true],
  ['378282246310005 01/29', true],
  ['41111111111111111230', false], // twenty digits in a row are an account
  ['DE89370400440532013000', false],
  ['4111111111111112 12/30', false],
])('the account %j is a card: %s', (account, is) => {
  expect(isCardAccount(account)).toBe(is);
});

it.each([
  [sent, { begin: 0, end: 16 }],
  [`PO-${sent}`, { begin: 3, end: 19 }],
  ['4111-1111-1111-1111', { begin: 0, end: 19 }],
  ['x 3782 822463 10005', { begin: 2, end: 19 }],
  ['４１１１１１１１１１１１１１１１', { begin: 0, end: 16 }],
  ['ord-448436-5608076', undefined],
  ['ord-416130-0000001', undefined],
  ['4111-11111111-1111', undefined],
  ['4111111111119', undefined], // Visa's old thirteen digits
  ['4111111111111112', undefined],
])('in the name %j card data stands at %j', (name, span) => {
  expect(cardDataInName(name)).toEqual(span);
});

it('a card number that somebody wrote in the place of a name is masked in the file of rejects', () => {
  const text = JSON.stringify(maskedMessage({ [sent]: 1, params: { [`x ${sent}`]: { [sent]: 'a' } } }));
  expect(text).not.toContain(sent);
});
