// A gateway may echo what it was sent: the very number of the job is known again whatever is between its digits, in whatever
// writing; and in fields that people fill, the disguises that people use.
import { describe, expect, it } from 'vitest';
import { cardDataInName, holdsCardData, isCardAccount, redact } from '../../lib/gateway/redact.ts';
import { maskedCells, maskedMessage } from '../../lib/files/masked-rows.ts';
import { judge } from '../../lib/gateway/outcome.ts';
import { defaultProfile } from '../../lib/gateway/profile.ts';
import { disguises, echoes, gluedForms, shownOf } from '../support/disguised-cards.ts';
import { aTransferJob, jobOf } from '../support/jobs.ts';
import { createSeededRandom } from '../support/time-and-chance.ts';
import { answer } from './evidence.ts';

const sent = '4111111111111111';
const odd = '9111222233334444'; // of no network, and with a wrong check digit: known by the job alone

it('knows a number to the base of 36 that has 0x within', () => {
  expect(redact('no: 1q0xxgwuad8', ['6299376187293692'])).toBe('[redacted]');
});

it('keeps an encoded text that does not spell the number', () => {
  const text = `ref ${Buffer.from('order of 2026').toString('base64')}`;
  expect(redact(text, [odd])).toBe(text);
});

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
    ['in Base64, with a year', Buffer.from(`card ${number} of 2026`).toString('base64')],
  ])('%s', (_, echo) => {
    const shown = redact(`no: ${echo}`, [number]).normalize('NFKC');
    for (const group of groups) expect(shown).not.toContain(group);
    expect(shown.replaceAll(/\D/g, '')).not.toContain(number);
    expect(shown).not.toContain(echo.slice(-12));
  });
});

describe.each(['4929031588410276', odd, '6759649826438453025'])('an answer to the order of card %s', (number) => {
  const { chance } = createSeededRandom(5);
  const order = jobOf(aTransferJob({ params: { 'destination-card-no': number } }));
  const outcomeOf = (fields: object) => judge(answer(200, JSON.stringify(fields)), order, defaultProfile);
  const piecesOf = Object.entries({ ...disguises, ...gluedForms })
    .filter(([name]) => name !== 'with an exponent')
    .map(([name, spell]) => [name, [spell(number, chance)]] as const);
  const spelled = [...piecesOf, ...Object.entries(echoes).map(([name, spell]) => [name, spell(number)] as const)];

  /** How many of the pieces are still in the outcome, each as often as it was said. */
  function told(outcome: object, pieces: readonly string[]): number {
    let text = JSON.stringify(outcome);
    const left = pieces.filter((piece) => {
      const before = text;
      text = text.replace(JSON.stringify(piece).slice(1, -1), '');
      return text !== before;
    });
    return left.length;
  }

  it.each(spelled)('tells less of it than may be shown, where its text spells it %s', (_, pieces) => {
    const whole = { type: 'error', 'error-code': '8', 'error-message': `no: ${pieces.join(', ')}` };
    const spread = { type: 'error', 'error-code': pieces.at(-1), 'error-message': pieces.slice(0, -1).join(', ') };
    for (const fields of [whole, ...(pieces.length > 1 ? [spread] : [])])
      expect(told(outcomeOf(fields), pieces) / pieces.length).toBeLessThan(0.6);
  });

  it('takes no id that spells it', () => {
    const [first, last] = [number.slice(0, 8), number.slice(8)];
    const backwards = [...number].toReversed().join('');
    for (const id of [number, `PN-${backwards}`, `${first}-x-${last}`, BigInt(number).toString(16)])
      expect(outcomeOf({ type: 'async-response', 'paynet-order-id': id })).not.toHaveProperty('gatewayOrderId');
    const halves = { type: 'async-response', 'paynet-order-id': first, 'transaction-id': last };
    expect(JSON.stringify(outcomeOf(halves))).not.toMatch(new RegExp(`${first}.*${last}`));
    const codes = { 'paynet-order-id': first, 'error-code': last, type: 'error' };
    expect(JSON.stringify(outcomeOf(codes))).not.toMatch(new RegExp(`${first}.*${last}|${last}.*${first}`));
  });

  it('keeps the words and ids of others, and the digits that may be shown', () => {
    const [first, last] = shownOf(number);
    const message = `card ${first}xxxxxx${last} is blocked at 20:15, see 20261129`;
    expect(outcomeOf({ type: 'error', 'error-code': '8', 'error-message': message })).toMatchObject({
      kind: 'declined',
      failure: { message, gatewayCode: '8' },
    });
    expect(outcomeOf({ type: 'async-response', 'paynet-order-id': '88120045127718820041' })).toMatchObject({
      kind: 'accepted',
      gatewayOrderId: '88120045127718820041',
    });
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
  ...['C.V.V. 2', 'C V C', 'c-v-n', 'C.S.C.', 'C A V 2'].map((name) => [name, `${name}: 737`]),
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
])('the name %j has card data at %j', (name, span) => {
  expect(cardDataInName(name)).toEqual(span);
});

it('a card number that somebody wrote in the place of a name is masked in the file of rejects', () => {
  const text = JSON.stringify(maskedMessage({ [sent]: 1, params: { [`x ${sent}`]: { [sent]: 'a' } } }));
  expect(text).not.toContain(sent);
});

it('the account that has to be mended is in the file of rejects as it came', () => {
  const columns = [{ title: 'IBAN', path: 'params.account_number' }];
  for (const account of ['DE89370400440532013001', 'FR1420041010050500013M02607', '61109010140000071219812874'])
    expect(maskedCells([account], columns)).toEqual([account]);
  expect(maskedCells([sent], columns)).toEqual(['***']);
});
