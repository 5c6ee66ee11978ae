// Required fields, lengths and formats per operation, with the gateway's error codes.
// Messages name fields and never repeat values.
import type { StartRoute } from './route.ts';
import type { StartOperation } from './scenario.ts';

/** The trimmed fields of a request by name; of a repeated name the first counts. */
export type Fields = ReadonlyMap<string, string>;

/** A fault of a request, in the gateway's terms. */
export interface FieldProblem {
  readonly code: number;
  readonly message: string;
}

interface FieldFormat {
  readonly pattern: RegExp;
  readonly code: number;
}

interface OperationRules {
  readonly required: readonly string[];
  /** Each list: one of these names, neither none nor several. */
  readonly exactlyOneOf: readonly (readonly string[])[];
  /** When the first name is there, the others must be. */
  readonly together: readonly (readonly [name: string, needs: readonly string[]])[];
  readonly formats: Readonly<Record<string, FieldFormat>>;
}

const malformedRequest = 1;
const text = (longest: number): FieldFormat => ({
  pattern: new RegExp(`^.{0,${longest}}$`, 'su'),
  code: malformedRequest,
});
const digits = (longest: number, code: number): FieldFormat => ({ pattern: new RegExp(`^[0-9]{1,${longest}}$`), code });
const positiveAmount = { pattern: /^(?=.*[1-9])[0-9]+(?:\.[0-9]+)?$/, code: 29 };
const callbackUrl = (longest: number): FieldFormat => ({
  pattern: new RegExp(`^(?=.{0,${longest}}$)https?://[^\\s/]+`),
  code: 123,
});

const card: OperationRules['formats'] = {
  expire_month: { pattern: /^(?:0?[1-9]|1[0-2])$/, code: 30 },
  expire_year: { pattern: /^[0-9]{2}(?:[0-9]{2})?$/, code: 30 },
  card_printed_name: { ...text(128), code: 10 },
  'card-printed-name': { ...text(128), code: 10 },
  credit_card_number: digits(19, 8),
  cvv2: { pattern: /^[0-9]{3,4}$/, code: 9 },
};

const money: OperationRules['formats'] = {
  amount: positiveAmount,
  currency: { pattern: /^[A-Z]{3}$/, code: 20 },
  ipaddress: { pattern: /^[0-9A-Fa-f.:]{7,45}$/, code: malformedRequest },
  redirect_url: text(1024),
  server_callback_url: callbackUrl(1024),
  notify_url: callbackUrl(1024),
};

const payout: OperationRules = {
  required: ['amount', 'currency'],
  exactlyOneOf: [],
  together: [],
  formats: {
    ...card,
    ...money,
    amount: {
      pattern: new RegExp(`^(?=.{1,10}$)${positiveAmount.pattern.source.slice(1)}`),
      code: positiveAmount.code,
    },
    order_desc: text(64),
    purpose: text(128),
    server_callback_url: callbackUrl(128),
  },
};

const rules: Readonly<Record<StartOperation, OperationRules>> = {
  transfer: {
    required: ['amount', 'currency'],
    exactlyOneOf: [['destination-card-no', 'destination_card_recurring_payment_id']],
    together: [['credit_card_number', ['cvv2', 'expire_month', 'expire_year', 'card_printed_name']]],
    formats: {
      ...card,
      ...money,
      'destination-card-no': digits(19, 8),
      card_recurring_payment_id: digits(19, malformedRequest),
      destination_card_recurring_payment_id: digits(19, malformedRequest),
      deposit2card: { pattern: /^(?:true|false)$/, code: malformedRequest },
    },
  },
  'transfer-by-ref': {
    required: ['amount', 'currency'],
    exactlyOneOf: [['destination-card-no', 'destination-card-ref-id']],
    together: [],
    formats: {
      ...card,
      ...money,
      'destination-card-no': { pattern: /^[0-9]{16,19}$/, code: 8 },
      'destination-card-ref-id': digits(20, malformedRequest),
    },
  },
  payout,
  'pan-eligibility': {
    required: [],
    exactlyOneOf: [],
    together: [['sending-card-number', ['card-printed-name', 'expire_month', 'expire_year']]],
    formats: {
      ...card,
      'sending-card-ref-id': digits(20, malformedRequest),
      'sending-card-number': digits(19, 8),
      server_callback_url: callbackUrl(1024),
    },
  },
};

/** The client order id under either of its spellings; empty when there is none. */
export function clientOrderIdOf(fields: Fields): string {
  return fields.get('client_orderid') ?? fields.get('client-order-id') ?? '';
}

/** The first thing wrong with a request that starts an order, or `undefined`. */
export function problemOf(
  operation: StartOperation,
  checks: StartRoute['checks'],
  fields: Fields,
): FieldProblem | undefined {
  const { required, exactlyOneOf, together, formats } = rules[operation];
  const has = (name: string): boolean => (fields.get(name) ?? '') !== '';
  const missing = [...required, ...together.flatMap(([name, needs]) => (has(name) ? needs : []))];
  return (
    orderIdProblem(fields) ??
    missing.filter((name) => !has(name)).map(missingField)[0] ??
    [...exactlyOneOf, ...alternatives(operation, checks, fields)]
      .filter((names) => names.filter(has).length !== 1)
      .map((names) => ({ code: malformedRequest, message: `Exactly one of ${names.join(', ')} is needed` }))[0] ??
    Object.entries(formats)
      .filter(([name, format]) => has(name) && !format.pattern.test(fields.get(name) ?? ''))
      .map(([name, { code }]) => ({ code, message: `Field ${name} is invalid` }))[0]
  );
}

function alternatives(
  operation: StartOperation,
  checks: StartRoute['checks'],
  fields: Fields,
): readonly (readonly string[])[] {
  if (operation === 'transfer' && fields.get('deposit2card') !== 'true') {
    // A deposit has no source card; every other transfer has one, written out or by reference.
    return [['credit_card_number', 'card_recurring_payment_id']];
  }
  const sends = operation === 'pan-eligibility' && checks !== 'receive';
  return sends ? [['sending-card-ref-id', 'sending-card-number']] : [];
}

function orderIdProblem(fields: Fields): FieldProblem | undefined {
  const spellings = new Set([fields.get('client_orderid'), fields.get('client-order-id')].filter(Boolean));
  if (spellings.size === 0) return missingField('client_orderid');
  if (spellings.size > 1) return { code: malformedRequest, message: 'client_orderid and client-order-id differ' };
  const [orderId = ''] = spellings;
  return orderId.length > 128 ? { code: malformedRequest, message: 'Field client_orderid is too long' } : undefined;
}

function missingField(name: string): FieldProblem {
  return { code: malformedRequest, message: `Field ${name} is missing` };
}
