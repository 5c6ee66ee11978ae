// Planted bugs of conditions: each part of the condition under which the ledger writes is taken out.
import type { LedgerEntry } from '../../lib/payout/ledger.ts';
import type { Sabotage } from './sabotage.ts';
import type { PlantedBug } from './planted-steps.ts';
import { partsOf } from './table-expressions.ts';

/** What a write expects of what stands; each is one comparison. */
const parts = ['state', 'owner', 'revision', 'unpublished', 'inquiries'] as const satisfies (keyof LedgerEntry)[];

const anyPromise = /./;

/** The write expects of this part whatever stands. */
const expectingAny =
  (part: (typeof parts)[number]): NonNullable<Sabotage['store']> =>
  (ledger, entries) => {
    const asItStands = (expected: LedgerEntry): LedgerEntry => {
      const stands = entries.get(expected.key);
      if (!stands) return expected;
      const { [part]: _, ...rest } = expected;
      return { ...rest, ...(stands[part] !== undefined && { [part]: stands[part] }) } as LedgerEntry;
    };
    return {
      ...ledger,
      advance: (expected, next) => ledger.advance(asItStands(expected), next),
      markUnpublished: (entry, unpublished) => ledger.markUnpublished(asItStands(entry), unpublished),
    };
  };

const memoryBugs: readonly PlantedBug[] = parts.map((part) => ({
  name: `a write to the ledger does not ask for the ${part} that it expects`,
  foundBy: 'any walk',
  breaks: anyPromise,
  sabotage: { store: expectingAny(part) },
}));

/** Every condition by which the ledger's adapter writes an order; table.ts evaluates them as they are written. */
const conditions: readonly string[] = [
  'attribute_not_exists(pk) OR st = :keyed',
  'v <= :layout AND st = :wasState AND ow = :wasOwner AND rv = :wasRevision AND attribute_exists(un) AND lo = :wasInquiries',
  'attribute_not_exists(un) AND attribute_not_exists(lo)',
];

const partBugs: readonly PlantedBug[] = conditions.flatMap((condition) =>
  partsOf(condition).map((part) => ({
    name: `the ledger's table is not asked for "${part}"`,
    foundBy: 'any walk',
    breaks: anyPromise,
    sabotage: {
      request: (request) => ({
        ...request,
        ...(request.ConditionExpression !== undefined && {
          ConditionExpression: partsOf(request.ConditionExpression)
            .filter((it) => it !== part)
            .join(' AND '),
        }),
      }),
    },
  })),
);

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
