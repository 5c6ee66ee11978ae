// Planted bugs of conditions: each part of the condition under which the adapter writes an order is taken out; the table of the
// simulation judges them as they are written.
import type { PlantedBug } from './planted-steps.ts';
import { partsOf } from './table-expressions.ts';

/** Every condition by which the adapter writes an order or a callback of it. */
const conditions: readonly string[] = [
  'attribute_not_exists(pk)',
  'v <= :layout AND #ve = :was AND size(#in) = :unread',
  'v <= :layout AND (size(#in) < :places OR attribute_exists(#in.#place))',
];

const parts = new Set(conditions.flatMap((condition) => partsOf(condition)));

const partBugs: readonly PlantedBug[] = [...parts].map((out) => ({
  name: `the orders' table is not asked for "${out}"`,
  foundBy: 'any walk',
  breaks: /./,
  sabotage: {
    request: (request) => ({
      ...request,
      ...(request.ConditionExpression !== undefined && {
        ConditionExpression: partsOf(request.ConditionExpression)
          .filter((it) => it !== out)
          .join(' AND '),
      }),
    }),
  },
}));

/** One for each part; and the read that does not ask for consistency. */
export const conditionBugs: readonly PlantedBug[] = [
  ...partBugs,
  {
    name: 'an order is read without ConsistentRead',
    foundBy: 'any walk',
    breaks: /./,
    sabotage: { request: (request) => ({ ...request, ConsistentRead: false }) },
    guardedBy: 'every write names the version that it was decided on, and whoever loses it decides anew by what stands',
  },
];
