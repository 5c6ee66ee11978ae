// The writers of each attribute of an order's item. Facts of different writers are different attributes, so a role can be held to its own
// by their names: IAM knows names and no values. infra/resources/permissions.yml and office.yml hold the same lists (`dynamodb:Attributes`,
// which holds every name in an update, a put, or a condition), and test/rights/attribute-owners.test.ts compares them.

/** The writers of orders. */
export type OrderWriter =
  /** Writes claims and answers. */
  | 'submit'
  /** Writes looks at the gateway, answers that came late. */
  | 'inquire'
  /** Writes when the sweeper looks next. */
  | 'sweep'
  /** Writes what callbacks have proven. */
  | 'callback'
  /** A person, by the tool: decisions, erasing, records that a restore has lost. */
  | 'person';

const kernel = ['submit', 'inquire', 'callback', 'person'] as const;
const everybody = ['submit', 'inquire', 'sweep', 'callback', 'person'] as const;

/** Each attribute and its writers (order-item.ts has its meaning). */
export const attributeOwners = {
  pk: everybody,
  v: everybody,
  ve: kernel,
  co: kernel,
  at: kernel,
  de: ['person'],
  ud: ['submit', 'inquire', 'callback'],
  en: kernel,
  ut: kernel,
  st: kernel,
  su: kernel,
  dr: kernel,
  rv: kernel,
  dg: kernel,
  pa: kernel,
  un: kernel,
  qu: ['inquire', 'callback'],
  lo: ['inquire'],
  la: ['inquire'],
  du: everybody,
  re: kernel,
  cd: ['submit'],
  ca: kernel,
  ua: kernel,
  wk: kernel,
  wa: everybody,
  me: kernel,
} as const satisfies Readonly<Record<string, readonly OrderWriter[]>>;

/** The name of an attribute of an order's item. */
export type OrderAttribute = keyof typeof attributeOwners;
