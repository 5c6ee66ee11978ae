// The gateway's request fields, one row each: kind, length, whether it is card data. operations.ts has the fields of
// each operation. Sources: the gateway's interface document, and what test/world/facts.txt adds to it.

/** One request field as the gateway names it. */
export interface Field {
  readonly kind: FieldKind;
  /** Longest value in characters, after trimming. */
  readonly maxLength: number;
  /** Must never be seen in a log, a result, an error text or the ledger. */
  readonly sensitive?: true;
  /** Must not be stored after authorization (PCI DSS 3.3.1), so not even a keyed fingerprint may depend on it. */
  readonly singleUse?: true;
  /** Card data: the number, the verification code, or a detail beside the number (name, expiry). */
  readonly card?: 'number' | 'code' | 'detail';
  /** A bank account number: card numbers are found in it by rules of its own (`isCardAccount`). */
  readonly bankAccount?: true;
  /** Names the payee's bank or branch. */
  readonly bank?: true;
  /** Allowed only if the merchant's profile names it in `extraFields`. */
  readonly contractDependent?: true;
}

type FieldKind = 'amount' | 'boolean' | 'currency' | 'digits' | 'month' | 'text' | 'url' | 'year';

/** The shape of each kind, and its name for people. */
export const fieldKinds: Readonly<Record<FieldKind, { readonly shape: RegExp; readonly expected: string }>> = {
  amount: { shape: /^./, expected: 'a decimal amount' }, // judged by money.ts, with the currency at hand
  boolean: { shape: /^(true|false)$/, expected: '"true" or "false"' },
  currency: { shape: /^[A-Z]{3}$/, expected: 'a three-letter ISO 4217 code in capitals, such as "EUR"' },
  digits: { shape: /^\d+$/, expected: 'digits only' },
  month: { shape: /^(0?[1-9]|1[0-2])$/, expected: 'a month from 1 to 12' },
  // oxlint-disable-next-line no-control-regex -- control characters are exactly what is refused
  text: { shape: /^[^\u0000-\u001f\u007f-\u009f]*$/, expected: 'text without control characters' },
  url: { shape: /^https?:\/\/[\u0021-\u007e]+$/, expected: 'an http or https URL' },
  year: { shape: /^(\d{2}|\d{4})$/, expected: 'a year of two or four digits' },
};

/** A fault of one field, and its remedy. Never contains the field's value: it may be a card number. */
export interface Fault {
  readonly field: string;
  readonly fault: string;
}

/** The fault of a trimmed value, which never repeats the value itself; undefined if there is none. */
export function fieldFault(field: Field, value: string): string | undefined {
  if (value === '') return 'is empty; leave the field out instead';
  if (value.length > field.maxLength) return `is ${value.length} characters long; the limit is ${field.maxLength}`;
  // A lone surrogate has no UTF-8 form: the signed text and the sent one would differ.
  if (!value.isWellFormed()) return 'is not well-formed Unicode';
  if (field.kind === 'text' && /[\r\n]/.test(value)) return 'has a line break in it; write it in one line';
  const { shape, expected } = fieldKinds[field.kind];
  return shape.test(value) ? undefined : `is not ${expected}`;
}

/** The request's form fields in the table's order, the order identifier first under the spelling asked for. */
export function formParameters(
  { fields }: { readonly fields: Readonly<Record<string, Field>> },
  order: {
    readonly orderIdField: string;
    readonly orderId: string;
    readonly params: Readonly<Record<string, string>>;
  },
): [name: string, value: string][] {
  const pairs: [string, string][] = [[order.orderIdField, order.orderId]];
  for (const name of Object.keys(fields)) {
    const value = order.params[name];
    if (value !== undefined) pairs.push([name, value]);
  }
  return pairs;
}

const cardNumber: Field = { kind: 'digits', maxLength: 19, sensitive: true, card: 'number' };
const cardDetail = { sensitive: true, card: 'detail' } as const;
const cardReference: Field = { kind: 'digits', maxLength: 20 };
const url: Field = { kind: 'url', maxLength: 1024 };

/** Every field of the interface document. */
export const interfaceFields = {
  amount: { kind: 'amount', maxLength: 12 },
  currency: { kind: 'currency', maxLength: 3 },
  order_desc: { kind: 'text', maxLength: 1024 },
  credit_card_number: cardNumber,
  card_printed_name: { kind: 'text', maxLength: 128, ...cardDetail },
  cvv2: { kind: 'digits', maxLength: 4, sensitive: true, singleUse: true, card: 'code' },
  expire_month: { kind: 'month', maxLength: 2, ...cardDetail },
  expire_year: { kind: 'year', maxLength: 4, ...cardDetail },
  card_recurring_payment_id: cardReference,
  'destination-card-no': cardNumber,
  destination_card_recurring_payment_id: cardReference,
  deposit2card: { kind: 'boolean', maxLength: 5 },
  ipaddress: { kind: 'text', maxLength: 45 },
  redirect_url: url,
  'sending-card-ref-id': cardReference,
  account_number: { kind: 'text', maxLength: 64, sensitive: true, bankAccount: true },
  bank_name: { kind: 'text', maxLength: 255, bank: true },
} as const satisfies Record<string, Field>;

const text = (maxLength: number): Field => ({ kind: 'text', maxLength, contractDependent: true });

/** Fields that only some contracts know. */
export const contractFields = {
  bank_branch: { ...text(255), bank: true },
  bank_city: { ...text(255), bank: true },
  bank_province: { ...text(255), bank: true },
  purpose: text(128),
  'card-printed-name': { ...text(128), ...cardDetail },
  'destination-card-ref-id': { ...cardReference, contractDependent: true },
  'source-card-ref-id': { ...cardReference, contractDependent: true },
  'sending-card-number': { ...cardNumber, contractDependent: true },
  notify_url: { ...url, contractDependent: true },
  server_callback_url: { ...url, contractDependent: true },
} as const satisfies Record<string, Field>;

/** Every field of the gateway by its name. */
export const allFields: Readonly<Record<string, Field>> = { ...interfaceFields, ...contractFields };

/** The same field, for an operation in which only some contracts know it. */
export function contractDependent(field: Field): Field {
  return { ...field, contractDependent: true };
}

const { amount, currency, order_desc, account_number, bank_name } = interfaceFields;
const { bank_branch, bank_province, bank_city, purpose, server_callback_url, notify_url } = contractFields;

/** The fields of every operation that moves money. */
export const moneyFields = { amount, currency, order_desc };

/** Money, and the bank account of the payee. */
export const payeeFields = {
  ...moneyFields,
  account_number,
  bank_name,
  bank_branch,
  bank_province,
  bank_city,
  purpose,
};

/** The addresses of the gateway's callbacks. */
export const callbackFields = { server_callback_url, notify_url };
