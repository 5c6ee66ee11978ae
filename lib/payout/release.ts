// What an operator may make of an order by hand: release a held one as paid or not paid, or cancel one that was never
// sent. Each is a move like any other, under condition, with who and why in its history.
import type { Failure } from './failures.ts';
import { type LedgerEntry, moved, orderKey, wasNeverSent } from './ledger.ts';
import type { OperationName } from '../gateway/operations.ts';
import { withoutForgottenAttempt } from './order-history.ts';
import { redact } from '../gateway/redact.ts';
import { unknownContent } from './fingerprint.ts';

/** An operator's decision about a held order. */
export interface Release {
  readonly as: 'paid' | 'not-paid';
  /** The gateway's order id, where the operator has it. */
  readonly gatewayOrderId?: string;
  readonly by: string;
  readonly reason: string;
  readonly nowMs: number;
}

/** Why the order can't be released like this; undefined when it can. */
export function whyNotReleasable(
  entry: LedgerEntry,
  { as, gatewayOrderId }: Pick<Release, 'as' | 'gatewayOrderId'>,
): string | undefined {
  const { state, failure, gatewayOrderId: known } = entry;
  if (state !== 'held' && state !== 'in-doubt')
    return `the order is ${state}; only held or doubtful orders are released`;
  if (as === 'paid' && wasNeverSent(entry))
    return `${failure?.code} held the order before it was sent, so it is not paid`;
  if (known !== undefined && gatewayOrderId !== undefined && known !== gatewayOrderId)
    return `the ledger knows it as the gateway's order ${known}, not ${gatewayOrderId}`;
  return undefined;
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
  const failure: Failure = { code: 'RELEASED_NOT_PAID', message: saidBy(by, reason) };
  const denied = withoutForgottenAttempt(entry);
  return moved(denied, { state: 'failed', final: true, reason: 'released-as-not-paid', nowMs, failure, ...id });
}

/** Who decided and why; in the place of the failure, which an order that is paid does not have. */
function noted(entry: LedgerEntry, by: string, reason: string): LedgerEntry {
  return { ...entry, note: saidBy(by, reason) };
}

/** A person may paste anything: no card number gets into the ledger this way, and the item stays under 1 KB. */
export function saidBy(by: string, reason: string): string {
  return redact(`${by}: ${reason}`, []);
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
    fingerprint: unknownContent,
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
