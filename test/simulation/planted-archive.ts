// Planted bugs of the archiver: what it has cut down is sent again, or is stored nowhere. (That it cuts
// nothing down which has changed since is held by test/contract/archivable-contract.ts.)
import type { LedgerEntry } from '../../lib/payout/ledger.ts';
import { type PlantedBug, step } from './planted-steps.ts';

type Claim = typeof import('../../lib/payout/claim.ts');
type Memory = typeof import('../support/memory-archive.ts');

function withoutArchive(entry: LedgerEntry): LedgerEntry {
  const { archive: _, ...rest } = entry;
  return rest;
}

/** Found by seeds. */
export const archiveBugs: readonly PlantedBug[] = [
  {
    name: 'what is left of an archived order is taken for the order: one that failed is sent again',
    foundBy: 'seeds',
    breaks: /an order that was archived was sent again/,
    steps: [
      step('../../lib/payout/claim.ts', ({ decideClaim, takenOver }: Claim) => ({
        decideClaim: (...[entry, request]: Parameters<typeof decideClaim>) =>
          decideClaim(withoutArchive(entry), request),
        takenOver: (...[entry, request]: Parameters<typeof takenOver>) => takenOver(withoutArchive(entry), request),
      })),
    ],
  },
  {
    name: 'the archive says that it has what it has not',
    foundBy: 'seeds',
    breaks: /cut down that the archive has not/,
    steps: [
      step('../support/memory-archive.ts', ({ createMemoryArchive }: Memory) => ({
        createMemoryArchive: () => createMemoryArchive(new Map()),
      })),
    ],
  },
];
