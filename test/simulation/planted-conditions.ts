// Planted bugs of conditions: each part of the condition under which the ledger writes is taken out.
import type { LedgerEntry } from '../../lib/payout/ledger.ts';
import type { Sabotage } from './sabotage.ts';
import type { PlantedBug } from './planted-steps.ts';

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

/** One for each part. */
export const conditionBugs: readonly PlantedBug[] = parts.map((part) => ({
  name: `a write to the ledger does not ask for the ${part} that it expects`,
  foundBy: 'any walk',
  breaks: anyPromise,
  sabotage: { store: expectingAny(part) },
}));
