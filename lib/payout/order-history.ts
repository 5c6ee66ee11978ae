// The short history of an order: what is kept of it, and whether it ever was in doubt.

/** What is asked of a line here. */
interface Line {
  readonly state: string;
  readonly reason: string;
}

/** A line that says: bytes of the order may have reached the gateway. */
function showsDoubt({ state, reason }: Line): boolean {
  if (state === 'held') return reason !== 'CAP_EXCEEDED' && reason !== 'NEW_CARD_DATA_NEEDED';
  return state === 'in-doubt' || state === 'accepted' || state === 'approved' || state === 'declined';
}

/**
 * True for an order of which the gateway may have had an attempt, though it (or a person) denied it since: it may be sent
 * again, but nobody may say of it that it never was.
 */
export function mayHaveBeenSent({ history }: { readonly history: readonly Line[] }): boolean {
  return history.some(showsDoubt);
}

const keptLast = 3;

/** Cut in the middle: how it began (or that it ever was in doubt) and how it ended is what a person asks. */
export function cutHistory<T extends Line>(history: readonly T[]): readonly T[] {
  if (history.length <= 1 + keptLast) return history;
  const older = history.slice(0, -keptLast);
  const kept = older.findLast(showsDoubt) ?? older[0];
  return [...(kept ? [kept] : []), ...history.slice(-keptLast)];
}
