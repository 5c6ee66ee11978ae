// The gateway's own report of orders, as a CSV file: the meaning of its columns and statuses. Its form is not
// documented, so columns are found by the gateway's names, by common names, or by the caller's.
import { typeWord } from './finding.ts';
import { operations } from './operations.ts';

/** The fields of a line; the gateway's id of the order, its date and its type may be left out. */
const reportFields = {
  orderId: ['client_orderid', 'client order id', 'merchant_order', 'merchant order id', 'merchant order', 'invoice'],
  gatewayOrderId: ['orderid', 'paynet order id', 'gateway order id', 'gateway id', 'payout id', 'transaction id'],
  amount: ['order amount', 'sum'],
  currency: ['currency code', 'ccy'],
  status: ['order status', 'state'],
  merchant: ['merchant name'],
  date: ['created', 'created date', 'created at', 'order date', 'transaction date'],
  type: ['transaction type', 'order type'],
} as const satisfies Record<string, readonly string[]>;

/** A field of the report. */
export type ReportField = keyof typeof reportFields;

/** Required columns; the merchant may be named once for the whole file instead. */
const needed: readonly ReportField[] = ['orderId', 'amount', 'currency', 'status', 'merchant'];

const plain = (name: string) => name.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');
/** "orderid" is the gateway's own id of the order in its documents; ours is "client_orderid". */
const names = new Map(
  (Object.entries(reportFields) as [ReportField, readonly string[]][]).flatMap(([field, others]) =>
    [...(field === 'orderId' ? [] : [field]), ...others].map((name) => [plain(name), field] as const),
  ),
);

const isField = (name: string): name is ReportField => Object.hasOwn(reportFields, name);

/** The place of each field in a row, or the fault of the header. */
type ReportHeader =
  | { readonly kind: 'columns'; readonly places: Readonly<Partial<Record<ReportField, number>>> }
  | { readonly kind: 'refused'; readonly faults: readonly string[] };

/** Reads the header; columns without a field are left out. `maps`: title to field. */
export function reportHeader(
  titles: readonly string[],
  { maps, hasMerchant }: { readonly maps: ReadonlyMap<string, string>; readonly hasMerchant: boolean },
): ReportHeader {
  const places: Partial<Record<ReportField, number>> = {};
  const faults: string[] = [];
  for (const [title, field] of maps) {
    if (!titles.some((it) => it.trim() === title))
      faults.push(`--map names the column "${title}", which it does not have`);
    if (!isField(field)) faults.push(`--map "${title}=${field}": write one of ${Object.keys(reportFields).join(', ')}`);
  }
  const mapped = new Set(maps.values());
  for (const [place, title] of titles.entries()) {
    const given = maps.get(title.trim());
    const field = given === undefined ? names.get(plain(title)) : isField(given) ? given : undefined;
    // A field that was given wins over one that was guessed.
    if (!field || (given === undefined && mapped.has(field))) continue;
    if (places[field] === undefined) places[field] = place;
    else faults.push(`two columns hold the ${field}; choose one with --map "<column>=${field}"`);
  }
  for (const field of needed) {
    if (places[field] !== undefined || (field === 'merchant' && hasMerchant)) continue;
    const remedy = field === 'merchant' ? 'add --merchant or' : 'add';
    faults.push(`no column holds the ${field}; ${remedy} --map "<column>=${field}"`);
  }
  return faults.length > 0 ? { kind: 'refused', faults } : { kind: 'columns', places };
}

/** The meaning of a line for the money. */
export const statusMeanings = [
  'paid',
  'unpaid',
  /** Unpaid if the order was sent once. If it was sent again, the line may be about one attempt only. */
  'filtered',
  /** Not final, or a status that is not listed. */
  'under-way',
  /** Proves neither that it was paid nor that it was not. */
  'unproven',
  /** A payment was undone. */
  'reversed',
  'ignore',
] as const;

/** One of {@link statusMeanings}. */
export type StatusMeaning = (typeof statusMeanings)[number];

/**
 * The gateway's statuses; one that is not listed is under way. The gateway's documents contradict each other about `error`: it
 * proves nothing, as in an inquiry.
 */
const gatewayStatuses: Readonly<Record<string, StatusMeaning>> = {
  approved: 'paid',
  declined: 'unpaid',
  filtered: 'filtered',
  error: 'unproven',
  processing: 'under-way',
  unknown: 'under-way',
  chain_declined: 'under-way',
};

/**
 * The meaning of an approved line whose type is no payment to a payee. A payment and the transaction that undoes it have the same
 * id and status: a report without types cannot tell them apart.
 */
const gatewayLineTypes: Readonly<Record<string, StatusMeaning>> = {
  reversal: 'reversed',
  'partial-reversal': 'reversed',
  chargeback: 'reversed',
  refund: 'reversed',
  return: 'reversed',
  cancel: 'reversed',
  void: 'reversed',
  fraud: 'ignore',
  retrieval: 'ignore',
  dispute: 'ignore',
  representment: 'ignore',
  'pan-eligibility': 'ignore',
  sale: 'ignore',
  preauth: 'ignore',
  capture: 'ignore',
  'account-verification': 'ignore',
};

const paymentTypes: ReadonlySet<string> = new Set(
  Object.values(operations).flatMap(({ movesMoney, transactionTypes }) => (movesMoney ? transactionTypes : [])),
);

/** Status and type of a line, as the report spells them. */
interface TypedLine {
  readonly status: string;
  readonly type: string;
}

type ChosenMeanings = ReadonlyMap<string, StatusMeaning>;

const chosenForType = ({ type }: TypedLine, chosen: ChosenMeanings): StatusMeaning | undefined =>
  chosen.get(type.trim().toLowerCase()) ?? chosen.get(typeWord(type));

/**
 * The meaning of a line: the caller's choice for its status or type, else the lists above. A line that is no payment counts only if
 * it is approved. `unknown-type`: neither has the type, so the caller must choose its meaning.
 */
export function meaningOfLine(line: TypedLine, chosen: ChosenMeanings): StatusMeaning | 'unknown-type' {
  const status = line.status.trim().toLowerCase();
  const type = typeWord(line.type);
  const ofStatus = chosen.get(status) ?? gatewayStatuses[status] ?? 'under-way';
  const listed = type === '' || paymentTypes.has(type) ? 'paid' : gatewayLineTypes[type];
  const ofType = chosenForType(line, chosen) ?? listed;
  if (ofStatus === 'ignore') return ofStatus;
  if (ofType === undefined) return 'unknown-type';
  if (ofType === 'paid') return ofStatus;
  return ofStatus === 'paid' ? ofType : 'ignore';
}

/** The payment type of a line, which tells its operation; undefined if it is none, or if the caller chose its meaning. */
export function paymentTypeOf(line: TypedLine, chosen: ChosenMeanings): string | undefined {
  const type = typeWord(line.type);
  return paymentTypes.has(type) && chosenForType(line, chosen) === undefined ? type : undefined;
}
