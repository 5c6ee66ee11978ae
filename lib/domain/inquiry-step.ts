// From a look at the gateway to the ledger's next entry: how doubt ends (DESIGN 4.4), and how acceptance becomes truth.
import type { Finding } from './inquiry.ts';
import {
  isPastHorizon,
  isRapid,
  isUnknownToGateway,
  lookedOnce,
  nextLookSeconds,
  noLooks,
  type Rhythm,
} from './inquiry-policy.ts';
import { type Failure, type LedgerEntry, moved } from './ledger.ts';
import { looked } from './open-work.ts';
import type { Profile } from './profile.ts';

/** What a look leads to. */
export interface InquiryStep {
  /** The entry to be written; the same object where nothing changes. */
  readonly next: LedgerEntry;
  /** When to ask again; absent when there is nothing left to ask. */
  readonly nextLookSeconds?: number;
}

/** When the look was, and by which rules it counts. */
export interface LookContext {
  readonly nowMs: number;
  readonly profile: Profile;
  readonly rhythm: Rhythm;
}

/** States about which the gateway is asked by itself. */
export function isAskedAbout(entry: LedgerEntry): boolean {
  return entry.state === 'in-doubt' || (entry.state === 'accepted' && !entry.final);
}

/** The step after one look. */
export function afterLook(entry: LedgerEntry, finding: Finding, it: LookContext): InquiryStep {
  const { nowMs } = it;
  switch (finding.kind) {
    case 'approved':
    case 'declined':
      return { next: ended(entry, finding, nowMs) };
    case 'pending':
      return isOpen(entry) ? found(entry, finding, it) : { next: entry };
    case 'unknown-order':
      return isOpen(entry) ? missing(entry, it) : { next: entry };
    case 'credentials-refused':
    case 'unclear':
      return isOpen(entry) ? goesOn(entry, false, it) : { next: entry };
  }
}

/** Nothing but an end can change an order that has ended. */
function isOpen(entry: LedgerEntry): boolean {
  return isAskedAbout(entry) || entry.state === 'held';
}

function ended(
  entry: LedgerEntry,
  finding: Extract<Finding, { kind: 'approved' | 'declined' }>,
  nowMs: number,
): LedgerEntry {
  if (entry.state === finding.kind) return entry;
  return moved(entry, {
    state: finding.kind,
    final: true,
    reason: finding.kind,
    nowMs,
    ...(finding.gatewayOrderId !== undefined && { gatewayOrderId: finding.gatewayOrderId }),
    ...(finding.kind === 'declined' && { failure: finding.failure }),
  });
}

/** The gateway has the order: doubt ends in acceptance; an accepted order is asked about again. */
function found(
  entry: LedgerEntry,
  { gatewayOrderId }: Extract<Finding, { kind: 'pending' }>,
  it: LookContext,
): InquiryStep {
  const { nowMs } = it;
  if (entry.state !== 'accepted') {
    const identity = gatewayOrderId === undefined ? {} : { gatewayOrderId };
    const next = moved(entry, { state: 'accepted', final: false, reason: 'found', nowMs, ...identity });
    return { next, nextLookSeconds: nextLookSeconds(next, noLooks, nowMs, it.rhythm) };
  }
  return again(entry, false, it);
}

function missing(entry: LedgerEntry, it: LookContext): InquiryStep {
  const { profile, nowMs } = it;
  if (entry.state === 'accepted') return again(entry, true, it);
  const looks = lookedOnce(entry.looks ?? noLooks, true, nowMs);
  if (!isUnknownToGateway(entry, looks, profile, nowMs)) return goesOn(entry, true, it);
  const failure: Failure = {
    code: 'NOT_AT_GATEWAY',
    message: `asked ${looks.negatives} times over the quiet period, the gateway knows no such order`,
  };
  const state = profile.resubmitUnknownOrders ? 'failed' : 'held';
  return { next: moved(entry, { state, final: state === 'failed', reason: failure.code, nowMs, failure }) };
}

/** Doubt goes on, until its horizon: then a person must look. */
function goesOn(entry: LedgerEntry, negative: boolean, it: LookContext): InquiryStep {
  const { profile, nowMs } = it;
  if (entry.state === 'accepted' || !isPastHorizon(entry, profile, nowMs)) return again(entry, negative, it);
  const failure = entry.failure ?? { code: 'UNCLEAR_ANSWER', message: 'the gateway never said how the order stands' };
  return { next: moved(entry, { state: 'held', final: false, reason: 'horizon', nowMs, failure }) };
}

function again(entry: LedgerEntry, negative: boolean, { nowMs, rhythm }: LookContext): InquiryStep {
  const looks = lookedOnce(entry.looks ?? noLooks, negative, nowMs);
  const seconds = nextLookSeconds(entry, looks, nowMs, rhythm);
  // What waits for a person is asked about only when somebody has a reason to.
  if (entry.state === 'held') return { next: entry };
  if (isRapid(entry, nowMs)) return { next: entry, nextLookSeconds: seconds };
  return { next: looked(entry, looks, { atMs: nowMs + seconds * 1000, nowMs }), nextLookSeconds: seconds };
}
