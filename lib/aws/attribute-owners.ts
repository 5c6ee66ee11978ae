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
  version: kernel,
  content: kernel,
  attempts: kernel,
  decisions: ['person'],
  unproven: ['submit', 'inquire', 'callback'],
  ends: kernel,
  unknown: kernel,
  stoppedAt: kernel,
  surprises: kernel,
  dropped: kernel,
  revision: kernel,
  digest: kernel,
  publishedAt: kernel,
  unpublished: kernel,
  asks: ['inquire', 'callback', 'person'],
  looks: ['inquire'],
  lookedAt: ['inquire'],
  dueAt: everybody,
  countedOn: ['submit'],
  createdAt: kernel,
  updatedAt: kernel,
  openWork: kernel,
  openWorkAt: everybody,
  measured: kernel,
  batchShard: kernel,
  batchEntry: kernel,
} as const satisfies Readonly<Record<string, readonly OrderWriter[]>>;

/** The name of an attribute of an order's item. */
export type OrderAttribute = keyof typeof attributeOwners;
