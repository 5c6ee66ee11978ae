// The writers of each attribute of an order's item. Facts of different writers are different attributes, so a role can be held to its own
// by their names: IAM knows names and no values. infra/resources/permissions.yml and office.yml hold the same lists (`dynamodb:Attributes`,
// which holds every name in an update, a put, or a condition), and test/rights/attribute-owners.test.ts compares them.

/** The writers of orders. */
export type OrderWriter =
  /** Writes claims and answers. */
  | 'submit'
  /** Writes looks at the gateway, callbacks that were read, answers that came late. */
  | 'inquire'
  /** Writes when the sweeper looks next. */
  | 'sweep'
  /** Writes callbacks that nobody has read. */
  | 'callback'
  /** A person, by the tool: decisions, erasing, records that a restore has lost. */
  | 'person';

const kernel = ['submit', 'inquire', 'person'] as const;
const everybody = ['submit', 'inquire', 'sweep', 'callback', 'person'] as const;

/** Each attribute and its writers (order-item.ts has its meaning). */
const owners = {
  pk: everybody,
  v: everybody,
  ve: kernel,
  co: kernel,
  at: kernel,
  de: ['person'],
  ud: ['submit', 'inquire'],
  en: kernel,
  ut: kernel,
  su: kernel,
  dr: kernel,
  in: ['submit', 'inquire', 'callback', 'person'],
  im: ['submit', 'inquire', 'callback', 'person'],
  sm: kernel,
  rv: kernel,
  dg: kernel,
  pa: kernel,
  un: kernel,
  lo: ['inquire'],
  la: ['inquire'],
  du: everybody,
  re: kernel,
  cd: ['submit'],
  ca: ['submit', 'inquire', 'callback', 'person'],
  ua: kernel,
  wk: everybody,
  wa: everybody,
  me: kernel,
} as const satisfies Readonly<Record<string, readonly OrderWriter[]>>;

/** The name of an attribute of an order's item. */
export type OrderAttribute = keyof typeof owners;

/** The attributes that this writer may name. */
export const ownedBy = (writer: OrderWriter): readonly OrderAttribute[] =>
  (Object.keys(owners) as OrderAttribute[]).filter((name) => (owners[name] as readonly OrderWriter[]).includes(writer));
