// Job messages of every kind, most of them right, some wrong in one place or two.
import * as fc from 'fast-check';
import { type Field, fieldKinds } from '../../lib/gateway/fields.ts';
import { type Operation, operations } from '../../lib/gateway/operations.ts';
import { anyText } from '../support/any-text.ts';

const blanks = fc.constantFrom('', '', '', ' ', '\t\n', '\u00a0', '\ufeff', '\u2028 ');
const padded = (text: fc.Arbitrary<string>) => fc.tuple(blanks, text, blanks).map((parts) => parts.join(''));

const oddTexts =
  '0 0.00 007 -1 1e3 10,42 1. .5 ١٢ 13 00 eur EURO TRUE http:// HTTPS://example.com \u0000 \ufffe \ud800'.split(' ');
const oddLengths = ['', ' ', '9'.repeat(30), '😀'.repeat(40), 'x'.repeat(1025)];
const odd: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom<unknown>(...oddTexts, ...oddLengths, null, 1, true, 10.42, [], {}, ['10.42']),
  padded(anyText({ maxLength: 20 })),
);

const mostly = (right: fc.Arbitrary<unknown>) =>
  fc.oneof({ weight: 40, arbitrary: right }, { weight: 1, arbitrary: odd });
const seldom = (name: string) =>
  fc.oneof({ weight: 60, arbitrary: fc.constant({}) }, { weight: 1, arbitrary: fc.constant({ [name]: 'x' }) });

/** One of the right texts, blanks around it, seldom a wrong one. */
const among = (right: readonly string[], wrong: readonly string[]) =>
  mostly(
    padded(
      fc.oneof(
        { weight: 30, arbitrary: fc.constantFrom(...right) },
        { weight: 1, arbitrary: fc.constantFrom(...wrong) },
      ),
    ),
  );

const written: Partial<Record<Field['kind'], fc.Arbitrary<string>>> = {
  amount: fc.constantFrom('10.42', '1000', '0.001', '0.0001', '1.5', '999999999999', '0.5'),
  currency: fc.constantFrom('EUR', 'USD', 'JPY', 'KWD', 'CLF'),
  text: fc.string({ unit: 'grapheme', minLength: 1, maxLength: 12 }),
  digits: fc.nat().map(String),
};

function valueOf({ kind, maxLength }: Field): fc.Arbitrary<unknown> {
  const fitting = (written[kind] ?? fc.stringMatching(fieldKinds[kind].shape)).map((it) => it.slice(0, maxLength));
  const longest = fc.constant('7'.repeat(maxLength));
  return mostly(padded(fc.oneof({ weight: 20, arbitrary: fitting }, { weight: 1, arbitrary: longest })));
}

function paramsOf({ fields, required }: Operation): fc.Arbitrary<unknown> {
  const known: Record<string, fc.Arbitrary<unknown>> = {};
  for (const [name, field] of Object.entries(fields)) known[name] = valueOf(field);
  const params = fc.oneof(
    { weight: 20, arbitrary: fc.record(known, { requiredKeys: [...required] }) },
    { weight: 1, arbitrary: fc.record(known, { requiredKeys: [] }) },
  );
  return mostly(fc.tuple(params, seldom('client_orderid')).map(([some, more]) => ({ ...some, ...more })));
}

const oddTimes = ['2026-02-30T00:00:00Z', '2026-11-30 00:00:00+02', '2026-11-30', 'soon', '2026-11-30T24:00:00Z'];
const times = fc.oneof(
  {
    weight: 5,
    arbitrary: fc
      .date({ noInvalidDate: true, min: new Date(0), max: new Date('9999-01-01') })
      .map((it) => it.toISOString()),
  },
  { weight: 1, arbitrary: fc.constantFrom(...oddTimes) },
);

const fieldsOf = (operation: Operation): Record<string, fc.Arbitrary<unknown>> => ({
  version: mostly(fc.constant(1)),
  operation: mostly(fc.constant(operation.name)),
  merchant: among(['acme-eu', 'a', '0._-', 'x'.repeat(64)], ['-acme', 'x'.repeat(65)]),
  endpointId: among(['39915', 'group/77', '1'.repeat(16)], ['/77', '1'.repeat(17)]),
  orderId: among(['INV-1', 'a b', '~', '#'.repeat(128)], ['INV\u007f', '#'.repeat(129)]),
  params: paramsOf(operation),
  sealedParams: among(['eyJh.a.b.c.d', `a....${'b'.repeat(4091)}`], ['a.b.c', `a....${'b'.repeat(4092)}`]),
  notBefore: mostly(times),
  expiresAt: mostly(times),
  batchId: among(['2026-11', '_', 'b'.repeat(48)], ['b'.repeat(49), 'a/b']),
  context: mostly(fc.dictionary(fc.string(), fc.string({ maxLength: 90 }), { maxKeys: 3, noNullPrototype: true })),
});

const optional = new Set(['sealedParams', 'notBefore', 'expiresAt', 'batchId', 'context']);

function messageOf(operation: Operation): fc.Arbitrary<object> {
  const fields = fieldsOf(operation);
  const requiredKeys = Object.keys(fields).filter((name) => !optional.has(name));
  const message = fc.oneof(
    { weight: 20, arbitrary: fc.record(fields, { requiredKeys }) },
    { weight: 1, arbitrary: fc.record(fields, { requiredKeys: [] }) },
  );
  return fc.tuple(message, seldom('surprise')).map(([some, more]) => ({ ...some, ...more }));
}

/** Messages of all operations. */
export const jobMessages: fc.Arbitrary<object> = fc.oneof(...Object.values(operations).map(messageOf));
