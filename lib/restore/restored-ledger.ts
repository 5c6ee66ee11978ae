// A ledger that was restored to an earlier moment has forgotten what was written since: orders that it does not know, and
// orders that it calls never sent, may have been sent in the gap. Such an order is not sent. It goes into doubt, and the
// gateway or a person says what became of it; only what is in the ledger again may be believed. On a table that is another's
// copy nothing is decided. Every way to a POST leads through this ledger, so no journey needs to know of restores.
import { operations } from '../gateway/operations.ts';
import type { Controls } from '../payout/control.ts';
import { afterForgotten, withMark } from '../payout/due-work.ts';
import type { Failure } from '../payout/failures.ts';
import { type LedgerEntry, isNeverSent } from '../payout/ledger.ts';
import { type AttemptIds, cutHistory, isValidated, withForgottenAttempt } from '../payout/order-history.ts';
import type { FoundEntry, Ledger } from '../payout/ports.ts';
import { resultOf } from '../payout/result.ts';
import { unknownContent } from '../payout/fingerprint.ts';

/** A restore. */
export interface Restored {
  /** What was written later is forgotten. */
  readonly toMs: number;
  /** Since when this table is the ledger: the end of the gap. */
  readonly sinceMs: number;
  /** Every order of the gap is back in the ledger: an order that it does not know is a new one. */
  readonly settled: boolean;
}

/** What a table is to the worker. */
export type LedgerStanding =
  | { readonly kind: 'ledger' }
  /** A copy of another table, or one that another has taken over from: nothing may be decided by it. */
  | { readonly kind: 'foreign'; readonly of: string }
  | { readonly kind: 'restored'; readonly restored: Restored };

/** No worker of the old table is at work any more so long after it was taken out of service: Lambda's longest time-out. */
const inFlightMs = 900_000;
/** The clocks of a worker and of the operator's machine differ by less. */
const clockSlackMs = 60_000;

/** True where the order may have been sent in the gap although this entry (or none) says that it was not. */
export function mayBeForgotten(
  standing: LedgerEntry | undefined,
  operation: LedgerEntry['operation'],
  standingOf: LedgerStanding,
): boolean {
  if (standingOf.kind !== 'restored' || !operations[operation].movesMoney) return false;
  const { sinceMs, settled } = standingOf.restored;
  if (!standing) return !settled;
  // That its check rests may be read of the gateway after the restore, and its payment forgotten all the same.
  const atMs = isValidated(standing) ? standing.createdAtMs : standing.updatedAtMs;
  return isNeverSent(standing) && atMs < sinceMs + clockSlackMs;
}

/** Why an order is in doubt in the place of a claim. */
export const restoredDoubt: Failure = {
  code: 'LEDGER_RESTORED',
  message: 'the ledger was restored and may have forgotten that it was sent',
};
/** No claim's: no answer that somebody still carries can be taken for this entry's. */
export const restoredOwner = '~restored';

/**
 * The order in doubt, in the place of what a claim (or a person) was about to write over `standing`. What the gateway says
 * of one attempt says nothing of those that are forgotten, so it is asked by the order id, and for all of them.
 */
export function doubtedAfterRestore(
  standing: LedgerEntry | undefined,
  instead: LedgerEntry,
  { sinceMs }: Pick<Restored, 'sinceMs'>,
): LedgerEntry {
  const nowMs = instead.updatedAtMs;
  // What may have been sent in the gap is what was to be sent now: a check that rested may have been paid.
  const known = standing && { ...standing, operation: instead.operation };
  const { note: _n, unpublished: _u, inquiries: _l, dueAtMs: _d, ...rest } = known ?? { ...instead, attempts: 0 };
  const line = { state: 'in-doubt', atMs: nowMs, attempts: rest.attempts, reason: restoredDoubt.code } as const;
  return {
    ...withForgottenAttempt(withPresentArchived(rest, {})),
    state: 'in-doubt',
    unproven: true,
    final: false,
    failure: restoredDoubt,
    owner: restoredOwner,
    // The quiet period of an inquiry begins when nobody can be sending any more.
    leaseUntilMs: Math.max(nowMs, sinceMs + inFlightMs),
    updatedAtMs: nowMs,
    revision: afterForgotten(standing?.revision ?? 0, nowMs),
    history: [...(standing?.history ?? []).slice(0, 3), line],
  };
}

/** The ids that belong to another attempt than these are kept with the attempts before. */
export function withPresentArchived(entry: LedgerEntry, present: AttemptIds): LedgerEntry {
  const { gatewayOrderId, gatewayAlias, earlierAttempts = [], ...rest } = entry;
  const { account } = entry;
  if (gatewayOrderId === undefined || gatewayOrderId === present.gatewayOrderId) return entry;
  const before = {
    ...(account !== undefined && { account }),
    gatewayOrderId,
    ...(gatewayAlias !== undefined && { gatewayAlias }),
  };
  return { ...rest, earlierAttempts: [...earlierAttempts, before] };
}

/** True for an order whose content nobody knows: it can be told about, and never sent. */
export const isWithoutContent = ({ fingerprint }: LedgerEntry) => fingerprint === unknownContent;

/**
 * An open order as it goes on in the restored ledger. What is known of it from before the gap proves nothing about what was
 * sent in it: neither looks, nor an answer ("never sent") that a message still carries from the claim that stands here.
 * Further results must not bear the ids of those that were told in the gap, and its reader hears where it stands now.
 */
export function reopened(entry: LedgerEntry, sinceMs: number): LedgerEntry {
  const { inquiries: _looks, dueAtMs: _dueAtMs, ...rest } = entry;
  const leaseUntilMs = Math.max(entry.leaseUntilMs, sinceMs + inFlightMs);
  const line = { state: entry.state, atMs: sinceMs, attempts: entry.attempts, reason: 'reopened' };
  const history = cutHistory([...entry.history, line]);
  const revision = afterForgotten(entry.revision, sinceMs);
  const next = { ...rest, owner: restoredOwner, leaseUntilMs, history, revision };
  return withMark(next, resultOf(next) !== undefined);
}

/** The table that the worker was given is not the ledger. */
export class ForeignLedgerError extends Error {
  readonly code = 'LEDGER_FOREIGN';
}

/** A ledger that keeps to what its table says of itself. */
export function ledgerAfterRestore(ledger: Ledger, restoration: Restoration): Ledger {
  async function ownStanding(): Promise<LedgerStanding> {
    const standing = await restoration.standing();
    if (standing.kind !== 'foreign') return standing;
    throw new ForeignLedgerError(
      `the table is the ledger of ${standing.of}; after a restore, say: \`npx payouts restore begin --to TIME --reason WHY\``,
    );
  }
  return {
    async claim(entry) {
      const standing = await ownStanding();
      // What a message carries of the gateway's answer is more than doubt.
      const isAnswered = !saysUnsent(entry.state);
      if (standing.kind !== 'restored' || isAnswered || !mayBeForgotten(undefined, entry.operation, standing))
        return ledger.claim(entry);
      // Who calls off an order that nobody has asked for yet would say that it was never sent.
      if (isWithoutContent(entry)) return forgotten(await ledger.read(entry.key));
      const doubted = doubtedAfterRestore(undefined, entry, standing.restored);
      const write = await ledger.claim(doubted);
      return write.kind === 'claimed' ? { kind: 'found', entry: doubted } : write;
    },
    async advance(expected, next) {
      // An answer that is on its way into the table that its claim stands in is written, whatever the table is now.
      if (expected.state === 'submitting') return ledger.advance(expected, next);
      const standing = await ownStanding();
      const believed = standing.kind !== 'restored' || !mayBeForgotten(expected, expected.operation, standing);
      if (believed || !saysUnsent(next.state)) return ledger.advance(expected, next);
      const doubted = doubtedAfterRestore(expected, next, standing.restored);
      const write = await ledger.advance(expected, doubted);
      return write.kind === 'advanced' ? { kind: 'found', entry: doubted } : write;
    },
    async read(key) {
      await ownStanding();
      return ledger.read(key);
    },
    markUnpublished: (entry, unpublished) => ledger.markUnpublished(entry, unpublished),
    recordSurprise: (key, word) => ledger.recordSurprise(key, word),
  };
}

/** Moves that rest on the order never having been sent; what the gateway itself says of it rests on nothing. */
const saysUnsent = (state: string) => state === 'submitting' || state === 'cancelled' || state === 'failed';

function forgotten(found: FoundEntry | undefined): FoundEntry {
  return (
    found ?? {
      kind: 'unreadable',
      reason: 'the ledger was restored and may have forgotten this order; end the restore first',
    }
  );
}

/** Controls by which everybody waits while the table is not the ledger. */
export function controlsAfterRestore<C extends Controls>(controls: C, restoration: Restoration): C {
  return {
    ...controls,
    async of(merchant, batchId) {
      const [standing, control] = await Promise.all([restoration.standing(), controls.of(merchant, batchId)]);
      return standing.kind === 'foreign' ? { ...control, paused: true } : control;
    },
  };
}

/** A table's word of what it is; a few seconds old at most. */
export interface Restoration {
  /** Rejects where it was never learned and can't be learned now: then nothing may be decided. */
  standing(): Promise<LedgerStanding>;
}
