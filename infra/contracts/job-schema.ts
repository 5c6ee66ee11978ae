// The job message as JSON Schema: the envelope from its valibot schema, the params of each operation from its row.
import { type Field, fieldKinds } from '../../lib/gateway/fields.ts';
import { jobBodyLimitBytes, jobSchema } from '../../lib/payout/message/job-fields.ts';
import { currencies } from '../../lib/gateway/currencies.ts';
import { amountShape } from '../../lib/gateway/money.ts';
import { type Operation, operations } from '../../lib/gateway/operations.ts';
import { beyondSchema, type JsonSchema, jsonSchemaOf, lengthOfTrimmed, textOf } from './json-schema.ts';

/**
 * Accepts every message that the worker accepts. Messages that only the worker refuses are named in `$comment`; their result says why.
 */
export function jobMessageSchema(): JsonSchema {
  return {
    title: 'Job',
    description: 'One message on the jobs queue: asks for one operation at the payment gateway.',
    $comment: [
      'Lengths are counted here in code points, by the worker in UTF-16 units.',
      'Beyond this schema: refused when a text was damaged by a spreadsheet or a program (an error mark, a word for no value, an exponent).',
      beyondSchema(`is longer than ${jobBodyLimitBytes} bytes`),
      beyondSchema('has a param that is not well-formed Unicode'),
      beyondSchema('has a text that a program or a spreadsheet has damaged, a withdrawn currency, or a name twice'),
      'Line breaks in words, and invisible characters around a text, are left out by the worker, and refused here.',
      beyondSchema('has a notBefore that is not before its expiresAt, or that is more than seven days ahead'),
      "A contract-dependent param that the merchant's profile does not name ends as failed, FIELD_NOT_IN_CONTRACT.",
    ].join(' '),
    ...jsonSchemaOf(jobSchema),
    additionalProperties: false,
    allOf: Object.values(operations).map((operation) => ({
      if: { properties: { operation: { const: operation.name } }, required: ['operation'] },
      // oxlint-disable-next-line unicorn/no-thenable -- JSON Schema's keyword
      then: { properties: { params: paramsSchema(operation) } },
    })),
  };
}

function paramsSchema(operation: Operation): JsonSchema {
  const properties = Object.entries(operation.fields).map(([name, field]) => [name, fieldSchema(field)]);
  return {
    type: 'object',
    properties: Object.fromEntries(properties),
    required: [...operation.required],
    additionalProperties: false,
    ...('amount' in operation.fields && { allOf: decimalsByCurrency() }),
  };
}

function fieldSchema(field: Field): JsonSchema {
  const { expected } = fieldKinds[field.kind];
  const shape = field.kind === 'amount' ? amountShape : fieldKinds[field.kind].shape;
  const endless = /[*+]/.test(shape.source);
  const says = [
    expected,
    ...(endless ? [`at most ${field.maxLength} characters`] : []),
    ...(field.sensitive ? ['kept out of every log and result'] : []),
    ...(field.contractDependent ? ["only if the merchant's profile names it in `extraFields`"] : []),
  ];
  const rules = [
    ...(endless ? [lengthOfTrimmed(field.maxLength)] : []),
    ...(field.kind === 'amount' ? [{ pattern: '[1-9]' }] : []),
  ];
  return {
    type: 'string',
    description: says.join('; '),
    pattern: textOf(shape, true).pattern ?? '',
    ...(rules.length > 0 && { allOf: rules }),
  };
}

/** One rule for each number of decimals; an unlisted currency has two. */
function decimalsByCurrency(): JsonSchema[] {
  const listed = [...currencies].flatMap(([currency, digits]) => (digits === 2 ? [] : [currency]));
  const rules = [0, 3, 4].map((digits) => ({
    if: currencyIn(listed.filter((currency) => currencies.get(currency) === digits)),
    // oxlint-disable-next-line unicorn/no-thenable -- JSON Schema's keyword
    then: amountWith(digits),
  }));
  return [...rules, { if: currencyIn(listed), else: amountWith(2) }];
}

function currencyIn(currencies: readonly string[]): JsonSchema {
  return {
    properties: { currency: { type: 'string', pattern: `^\\s*(?:${currencies.join('|')})\\s*$` } },
    required: ['currency'],
  };
}

function amountWith(digits: number): JsonSchema {
  const fraction = digits === 0 ? '' : `(?:\\.[0-9]{1,${digits}})?`;
  return { properties: { amount: { pattern: `^\\s*[0-9]+${fraction}\\s*$` } } };
}
