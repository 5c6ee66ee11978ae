// Planted bugs of conditions: each part of the condition under which the ledger writes is taken out.
import type { SeenOrder } from './seen.ts';
import type { Sabotage } from './sabotage.ts';
import type { PlantedBug } from './planted-steps.ts';
import { partsOf } from './table-expressions.ts';

/** What a write expects of what stands; each is one comparison. */
type Part = 'state' | 'owner' | 'revision' | 'unpublished' | 'inquiries';

/** One alone is taken out, or two that make up for each other. */
const partsOut: readonly (readonly Part[])[] = [
  ['state'],
  ['owner'],
  ['revision'],
  ['unpublished'],
  ['inquiries'],
  ['state', 'revision'],
  ['owner', 'revision'],
  ['state', 'owner', 'revision'],
];

/** Why nobody can notice that it is not asked for, by the part as it is called here and on the table. */
const guards = new Map<string, string>();
const byRevision =
  'each write that changes it makes a new revision, and no two writes make the same one, so whose revision is right knows the right one';
const byRead = 'a word is kept only of an order that was read before, and no order is ever deleted';
for (const part of ['state', 'owner', 'st = :wasState', 'ow = :wasOwner']) guards.set(part, byRevision);
for (const part of ['attribute_exists(pk)', 'attribute_exists(su)']) guards.set(part, byRead);
const guardOf = (out: readonly string[]) => {
  const [only = ''] = out;
  const guardedBy = out.length === 1 ? guards.get(only) : undefined;
  return guardedBy === undefined ? {} : { guardedBy };
};

const anyPromise = /./;

/** The write expects of these parts whatever stands. */
const expectingAny =
  (out: readonly Part[]): NonNullable<Sabotage['store']> =>
  (ledger, entries) => {
    const asItStands = (expected: SeenOrder): SeenOrder => {
      const stands = entries.get(expected.key);
      if (!stands) return expected;
      const asked = Object.entries(expected).filter(([name]) => !out.some((part) => part === name));
      const standing = out.filter((part) => stands[part] !== undefined).map((part) => [part, stands[part]]);
      return Object.fromEntries([...asked, ...standing]) as SeenOrder;
    };
    return {
      ...ledger,
      advance: (expected, next) => ledger.advance(asItStands(expected), next),
      markUnpublished: (entry, unpublished) => ledger.markUnpublished(asItStands(entry), unpublished),
    };
  };

const memoryBugs: readonly PlantedBug[] = partsOut.map((out) => ({
  name: `a write to the ledger does not ask for the ${out.join(' and ')} that it expects`,
  foundBy: 'any walk',
  breaks: anyPromise,
  sabotage: { store: expectingAny(out) },
  ...guardOf(out),
}));

/** Every condition by which the ledger's adapter writes an order; table.ts evaluates them as they are written. */
const conditions: readonly string[] = [
  'attribute_not_exists(pk) OR st = :keyed',
  'v <= :layout AND st = :wasState AND ow = :wasOwner AND rv = :wasRevision AND attribute_exists(un) AND lo = :wasInquiries',
  'attribute_not_exists(un) AND attribute_not_exists(lo)',
  'attribute_exists(pk) AND (attribute_not_exists(su) OR contains(su, :word) OR size(su) < :kept)',
  'attribute_exists(su)',
];

const stated = conditions.flatMap((condition) => partsOf(condition).map((part) => [part]));
const pairs = [
  ['st = :wasState', 'rv = :wasRevision'],
  ['ow = :wasOwner', 'rv = :wasRevision'],
];

const partBugs: readonly PlantedBug[] = [...stated, ...pairs].map((out) => ({
  name: `the ledger's table is not asked for "${out.join('" and "')}"`,
  foundBy: 'any walk',
  breaks: anyPromise,
  sabotage: {
    request: (request) => ({
      ...request,
      ...(request.ConditionExpression !== undefined && {
        ConditionExpression: partsOf(request.ConditionExpression)
          .filter((it) => !out.includes(it))
          .join(' AND '),
      }),
    }),
  },
  ...guardOf(out),
}));

/** One for each part, in memory and on the table; and the read that does not ask for what stands now. */
export const conditionBugs: readonly PlantedBug[] = [
  ...memoryBugs,
  ...partBugs,
  {
    name: 'the ledger is read without ConsistentRead',
    foundBy: 'any walk',
    breaks: anyPromise,
    sabotage: { request: (request) => ({ ...request, ConsistentRead: false }) },
  },
];
