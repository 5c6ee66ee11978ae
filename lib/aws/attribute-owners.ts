// The writers of each attribute of an order's item. IAM can restrict a role to names of attributes (`dynamodb:Attributes`: every name in
// an update, a put or a condition), so facts of different writers are different attributes. permissions.yml and office.yml in
// infra/resources have the same lists; test/rights/attribute-owners.test.ts compares them.

/** The writers of orders. */
export type OrderWriter =
  /** Writes claims and answers. */
  | 'submit'
  /** Writes inquiries, and answers that came late. */
  | 'inquire'
  /** Writes the next due time. */
  | 'sweep'
  /** Writes the facts of callbacks. */
  | 'callback'
  /** A person, by the tool: writes decisions and restored orders, and erases. */
  | 'person';

const kernel = ['submit', 'inquire', 'callback', 'person'] as const;
const allWriters = ['submit', 'inquire', 'sweep', 'callback', 'person'] as const;

/** Each attribute and its writers; order-item.ts has its meaning. */
export const attributeOwners = {
  pk: allWriters,
  v: allWriters,
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
  dueAt: allWriters,
  countedOn: ['submit'],
  createdAt: kernel,
  updatedAt: kernel,
  openWork: kernel,
  openWorkAt: allWriters,
  measured: kernel,
  batchShard: kernel,
  batchEntry: kernel,
} as const satisfies Readonly<Record<string, readonly OrderWriter[]>>;

/** The name of an attribute of an order's item. */
export type OrderAttribute = keyof typeof attributeOwners;
