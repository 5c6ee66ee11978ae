// What an operator may make of an order by hand: release a held one as paid or not paid, or cancel one that was never
// sent. Each is a move like any other, under condition, with who and why in its history.
import type { LedgerEntry } from './ledger.ts';
import { moved, orderKey } from './ledger.ts';
import type { OperationName } from './operations.ts';

/** An operator's decision about a held order. */
export interface Release {
  readonly as: 'paid' | 'not-paid';
  /** The gateway's order id, where the operator has it. */
  readonly gatewayOrderId?: string;
  readonly by: string;
  readonly reason: string;
  readonly nowMs: number;
}

/** States that a person may end: held ones, and doubt that nobody could clear. */
export function isReleasable({ state }: LedgerEntry): boolean {
  return state === 'held' || state === 'in-doubt';
}

/** The entry after a release: `approved`, or `failed`, which a new message may send again. */
export function released(entry: LedgerEntry, { as, gatewayOrderId, by, reason, nowMs }: Release): LedgerEntry {
  const id = gatewayOrderId === undefined ? {} : { gatewayOrderId };
  if (as === 'paid') {
    return noted(
      moved(entry, { state: 'approved', final: true, reason: 'released-as-paid', nowMs, ...id }),
      by,
      reason,
    );
  }
  const failure = { code: 'RELEASED_NOT_PAID', message: `${by}: ${reason}` };
  return moved(entry, { state: 'failed', final: true, reason: 'released-as-not-paid', nowMs, failure, ...id });
}

/** Who decided and why; in the place of the failure, which an order that is paid does not have. */
function noted(entry: LedgerEntry, by: string, reason: string): LedgerEntry {
  return { ...entry, note: `${by}: ${reason}` };
}

/** The entry that calls off an order of which no job has come yet. */
export function cancelledBeforehand(it: {
  readonly operation: OperationName;
  readonly merchant: string;
  readonly orderId: string;
  readonly by: string;
  readonly reason: string;
  readonly owner: string;
  readonly nowMs: number;
}): LedgerEntry {
  const { operation, merchant, orderId, owner, nowMs } = it;
  const entry: LedgerEntry = {
    key: orderKey(it),
    operation,
    merchant,
    orderId,
    endpointId: '',
    fingerprint: '.',
    state: 'cancelled',
    revision: 1,
    final: true,
    owner,
    messageId: '',
    leaseUntilMs: nowMs,
    attempts: 0,
    createdAtMs: nowMs,
    updatedAtMs: nowMs,
    history: [{ state: 'cancelled', atMs: nowMs, attempts: 0, reason: 'cancelled' }],
  };
  return noted(entry, it.by, it.reason);
}

/** The entry after an operator has cancelled an order that is proven never to have been sent. */
export function cancelled(entry: LedgerEntry, by: string, reason: string, nowMs: number): LedgerEntry {
  return noted(moved(entry, { state: 'cancelled', final: true, reason: 'cancelled', nowMs }), by, reason);
}
