// A write that a person's command makes: under condition like every other, with the mark of an untold result in the same
// write, and then told.
import type { LedgerEntry } from './ledger.ts';
import { withMark } from './due-work.ts';
import { type Result, resultOf } from './result.ts';
import type { FoundEntry, Ledger, Results } from './ports.ts';

/** What writing by hand needs. */
export interface WritePorts {
  readonly ledger: Ledger;
  readonly results: Results;
}

/** How it went; what is not told now is told by the sweeper. */
export type Written =
  | { readonly kind: 'written'; readonly entry: LedgerEntry; readonly told: boolean }
  | { readonly kind: 'refused'; readonly why: string };

/** Writes `next` over `entry`, or as the first of its order where there is none yet, and tells its result. */
export async function writeByHand(
  entry: LedgerEntry | undefined,
  next: LedgerEntry,
  ports: WritePorts,
): Promise<Written> {
  const written = withMark(next, true);
  const write = entry ? await ports.ledger.advance(entry, written) : await ports.ledger.claim(written);
  const refused = whyRefused(write, written);
  if (refused !== undefined) return { kind: 'refused', why: refused };
  const result = resultOf(written);
  const told = result ? await tell(result, ports) : true;
  if (told) await ports.ledger.markUnpublished(written, false).catch(() => {});
  return { kind: 'written', entry: withMark(written, !told), told };
}

function whyRefused(
  write: Awaited<ReturnType<Ledger['advance']>> | { readonly kind: 'claimed' } | FoundEntry,
  written: LedgerEntry,
): string | undefined {
  if (write.kind === 'unreadable') return write.reason;
  // The SDK repeats a write whose answer was lost, and finds its own.
  if (write.kind !== 'found' || isSameWrite(write.entry, written)) return undefined;
  return `somebody moved the order meanwhile: it is ${write.entry.state}; look at it again`;
}

function isSameWrite(stands: LedgerEntry, written: LedgerEntry): boolean {
  const { state, revision, updatedAtMs, note, failure } = written;
  return (
    stands.state === state &&
    stands.revision === revision &&
    stands.updatedAtMs === updatedAtMs &&
    stands.note === note &&
    stands.failure?.message === failure?.message
  );
}

/** True when the results queue took it. */
export async function tell(result: Result, { results }: Pick<WritePorts, 'results'>): Promise<boolean> {
  const notTaken = await results.send([result]).catch(() => new Set([0]));
  return notTaken.size === 0;
}
