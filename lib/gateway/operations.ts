// The gateway's operations, one row each: adding an operation is adding a row. Code that receives a row never asks
// which one it is. Sources: the gateway's interface document, and what test/world/facts.txt adds to it.
import * as fields from './fields.ts';
import { contractDependent, contractFields as extra, type Field, interfaceFields as given } from './fields.ts';
import type { SignatureMethodName } from '../oauth1/vocabulary.ts';

/** The gateway's spellings of the order identifier; they differ by operation and by contract. */
export type OrderIdField = 'client_orderid' | 'client-order-id';

/** The properties of one operation besides its name. */
interface OperationRow {
  /** Path between `<base URL><api path>` and the endpoint id; the version is a segment of it. */
  readonly path: string;
  /** Default; a merchant's profile may choose the other. */
  readonly signatureMethod: SignatureMethodName;
  /** Default; a merchant's profile may choose the other. */
  readonly orderIdField: OrderIdField;
  /** False for a check: it has no amount, and no status that could be asked for. */
  readonly movesMoney: boolean;
  readonly fields: Readonly<Record<string, Field>>;
  /** A job without these is refused before anything is sent. */
  readonly required: readonly string[];
  /** The fields that name the payee (of a check, the card). A row of a file needs one, unless the profile requires other fields. */
  readonly payees: readonly [string, string];
  /** The operation's own name for the order's id beside `paynet-order-id`. */
  readonly aliasField: 'transaction-id' | 'payout-id';
  /** The types of this operation's transactions in a status or callback; a profile may name others (`transactionTypes`). */
  readonly transactionTypes: readonly string[];
  /** True if the interface document shows no success body: a 200 of which every field is understood is then acceptance. */
  readonly acceptedWithoutIdentity: boolean;
  /** The field of the result that bears the identity. */
  readonly resultIdField: 'transactionId' | 'payoutId';
}

const { callbackFields: callbacks, moneyFields: money, payeeFields: payee } = fields;
const payment = { signatureMethod: 'RSA-SHA256', movesMoney: true, required: ['amount', 'currency'] } as const;
const table = {
  transfer: {
    ...payment,
    payees: ['destination-card-no', 'destination_card_recurring_payment_id'],
    path: 'v4/transfer',
    orderIdField: 'client_orderid',
    fields: {
      ...money,
      credit_card_number: given.credit_card_number,
      card_printed_name: given.card_printed_name,
      cvv2: given.cvv2,
      expire_month: given.expire_month,
      expire_year: given.expire_year,
      card_recurring_payment_id: given.card_recurring_payment_id,
      'destination-card-no': given['destination-card-no'],
      destination_card_recurring_payment_id: given.destination_card_recurring_payment_id,
      deposit2card: given.deposit2card,
      ipaddress: given.ipaddress,
      redirect_url: given.redirect_url,
      ...callbacks,
    },
    aliasField: 'transaction-id',
    transactionTypes: ['transfer'],
    acceptedWithoutIdentity: true,
    resultIdField: 'transactionId',
  },
  'transfer-by-ref': {
    ...payment,
    payees: ['destination-card-no', 'destination-card-ref-id'],
    path: 'v4/transfer-by-ref',
    orderIdField: 'client-order-id',
    fields: {
      ...money,
      'destination-card-no': given['destination-card-no'],
      'destination-card-ref-id': extra['destination-card-ref-id'],
      'source-card-ref-id': extra['source-card-ref-id'],
      cvv2: contractDependent(given.cvv2),
      ipaddress: contractDependent(given.ipaddress),
      redirect_url: contractDependent(given.redirect_url),
      ...callbacks,
    },
    aliasField: 'transaction-id',
    transactionTypes: ['transfer-by-ref', 'transfer'],
    acceptedWithoutIdentity: false,
    resultIdField: 'transactionId',
  },
  payout: {
    ...payment,
    payees: ['account_number', 'credit_card_number'],
    path: 'v4/payout',
    orderIdField: 'client-order-id',
    fields: {
      ...payee,
      credit_card_number: contractDependent(given.credit_card_number),
      card_printed_name: contractDependent(given.card_printed_name),
      expire_month: contractDependent(given.expire_month),
      expire_year: contractDependent(given.expire_year),
      ipaddress: contractDependent(given.ipaddress),
      redirect_url: contractDependent(given.redirect_url),
      ...callbacks,
    },
    aliasField: 'payout-id',
    transactionTypes: ['payout'],
    acceptedWithoutIdentity: false,
    resultIdField: 'payoutId',
  },
  'pan-eligibility': {
    path: 'v2/pan-eligibility/send',
    signatureMethod: 'HMAC-SHA1',
    orderIdField: 'client-order-id',
    movesMoney: false,
    fields: {
      'sending-card-ref-id': given['sending-card-ref-id'],
      'sending-card-number': extra['sending-card-number'],
      'card-printed-name': extra['card-printed-name'],
      expire_month: contractDependent(given.expire_month),
      expire_year: contractDependent(given.expire_year),
      ...callbacks,
    },
    required: [],
    payees: ['sending-card-ref-id', 'sending-card-number'],
    aliasField: 'transaction-id',
    transactionTypes: ['pan-eligibility'],
    acceptedWithoutIdentity: true,
    resultIdField: 'transactionId',
  },
} as const satisfies Readonly<Record<string, OperationRow>>;

/** The names of the operations, as a job spells them. */
export type OperationName = keyof typeof table;

/** The properties of one operation. */
export type Operation = OperationRow & { readonly name: OperationName };

/** The table with the names of its fields, for the types of job messages. */
export type OperationTable = typeof table;

/** The operation names, in the order of the table. */
export const operationNames = Object.keys(table) as readonly OperationName[];

/** The table. */
export const operations = Object.fromEntries(
  operationNames.map((name): [OperationName, Operation] => [name, { name, ...table[name] }]),
) as Readonly<Record<OperationName, Operation>>;

/** The URL that is signed and requested: one text, so that the two can't differ. */
export function operationUrl(
  operation: Pick<Operation, 'path'>,
  base: { baseUrl: string; apiPath: string; endpointId: string },
): string {
  return `${base.baseUrl.replace(/\/+$/, '')}${base.apiPath}/${operation.path}/${base.endpointId}`;
}

/** The job's fields that its merchant's contract does not have. */
export function fieldsOutsideContract(
  { extraFields }: { readonly extraFields: Readonly<Partial<Record<OperationName, readonly string[]>>> },
  job: { readonly operation: OperationName; readonly params: Readonly<Record<string, string>> },
): string[] {
  const { fields } = operations[job.operation];
  const allowed = extraFields[job.operation] ?? [];
  return Object.keys(job.params).filter((name) => fields[name]?.contractDependent && !allowed.includes(name));
}
