// The gateway's own report of orders, as a CSV file: which column says what, and what its words for a status mean. Its
// form is documented nowhere, so columns go by the gateway's own names, by what people call them, or by what is said.

/** What a line of the report must say; the gateway's id of the order may be left out. */
export const reportFields = {
  orderId: ['client_orderid', 'client order id', 'merchant_order', 'merchant order id', 'merchant order', 'invoice'],
  gatewayOrderId: ['orderid', 'paynet order id', 'gateway order id', 'gateway id', 'payout id', 'transaction id'],
  amount: ['order amount', 'sum'],
  currency: ['currency code', 'ccy'],
  status: ['order status', 'state'],
  merchant: ['merchant name'],
} as const satisfies Record<string, readonly string[]>;

/** A field of the report. */
export type ReportField = keyof typeof reportFields;

/** Without these a line says nothing; the merchant may be said once for all. */
const needed: readonly ReportField[] = ['orderId', 'amount', 'currency', 'status', 'merchant'];

const plain = (name: string) => name.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');
/** "orderid" is the gateway's own id of the order, by its own words; ours is "client_orderid". */
const names = new Map(
  (Object.entries(reportFields) as [ReportField, readonly string[]][]).flatMap(([field, others]) =>
    [...(field === 'orderId' ? [] : [field]), ...others].map((name) => [plain(name), field] as const),
  ),
);

const isField = (name: string): name is ReportField => Object.hasOwn(reportFields, name);

/** The place of each field in a row, or what is wrong with the header. */
export type ReportHeader =
  | { readonly kind: 'columns'; readonly places: Readonly<Partial<Record<ReportField, number>>> }
  | { readonly kind: 'refused'; readonly faults: readonly string[] };

/** Reads the header; columns that say nothing that is asked for are left out. `maps`: title to field. */
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
    // What was said goes over what was guessed.
    if (!field || (given === undefined && mapped.has(field))) continue;
    if (places[field] === undefined) places[field] = place;
    else faults.push(`two columns say the ${field}; say --map "<column>=${field}"`);
  }
  for (const field of needed) {
    if (places[field] !== undefined || (field === 'merchant' && hasMerchant)) continue;
    const remedy = field === 'merchant' ? 'say --merchant, or ' : '';
    faults.push(`no column says the ${field}; ${remedy}say --map "<column>=${field}"`);
  }
  return faults.length > 0 ? { kind: 'refused', faults } : { kind: 'columns', places };
}

/** What a status means for the money. */
export const statusMeanings = ['paid', 'unpaid', 'under-way', 'ignore'] as const;

/** One of {@link statusMeanings}. */
export type StatusMeaning = (typeof statusMeanings)[number];

/**
 * The gateway's statuses (gateway-facts.md section 4). What is not listed is not final, and so is under way; reversals and
 * other lines that are no payment are left out where the caller says so.
 */
export const gatewayStatuses: Readonly<Record<string, StatusMeaning>> = {
  approved: 'paid',
  declined: 'unpaid',
  error: 'unpaid',
  filtered: 'unpaid',
  processing: 'under-way',
  unknown: 'under-way',
  chain_declined: 'under-way',
};

/** What a status means, by what was said of it or by the list. */
export function meaningOfStatus(status: string, said: ReadonlyMap<string, StatusMeaning>): StatusMeaning {
  const word = status.trim().toLowerCase();
  return said.get(word) ?? gatewayStatuses[word] ?? 'under-way';
}
