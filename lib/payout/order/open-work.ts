// Which orders still have something to happen to them, and when the sweeper looks after them if nobody else did. The index of open
// work is made of this.
import { sqsMaxDelaySeconds } from '../limits.ts';
import { awaitsLook } from './facts.ts';
import { fold, type Status } from './fold.ts';
import { clockSkewMs } from './next.ts';
import { isCalledBackUnsent, type Order } from './order.ts';

/** The kinds of open work; the sweeper and the operator's tool look orders up by them. */
export type OpenWorkKind = 'submitting' | 'in-doubt' | 'accepted' | 'overdue' | 'held' | 'unpublished';

/** What stands still this long after it should have moved on is set moving again by the sweeper. */
export const sweepSlackMs = 120_000;

/** Which open work an order is, and since or until when; undefined when nothing is left to do. */
export function openWorkOf(order: Order): { readonly kind: OpenWorkKind; readonly atMs: number } | undefined {
  const { dueAtMs, updatedAtMs, facts } = order;
  const status = fold(facts);
  if (isCalledBackUnsent(order)) return { kind: 'held', atMs: updatedAtMs };
  if (order.unpublished) return { kind: 'unpublished', atMs: dueAtMs ?? updatedAtMs + sweepSlackMs };
  return ofStatus(status, dueAtMs, updatedAtMs);
}

function ofStatus(
  status: Status,
  dueAtMs: number | undefined,
  updatedAtMs: number,
): { readonly kind: OpenWorkKind; readonly atMs: number } | undefined {
  const movedAtMs = dueAtMs ?? updatedAtMs + sweepSlackMs;
  switch (status.kind) {
    case 'submitting': {
      const { attempt } = status;
      if (awaitsLook(attempt)) return { kind: 'submitting', atMs: movedAtMs };
      return { kind: 'submitting', atMs: dueAtMs ?? attempt.leaseUntilMs + clockSkewMs };
    }
    case 'ending':
      return { kind: 'submitting', atMs: movedAtMs };
    case 'in-doubt':
      return { kind: 'in-doubt', atMs: movedAtMs };
    case 'accepted':
      if (!status.attempt.askable) return undefined;
      return { kind: status.attempt.overdue ? 'overdue' : 'accepted', atMs: movedAtMs };
    case 'held':
      return status.reason === 'validated' ? undefined : { kind: 'held', atMs: updatedAtMs };
    case 'new':
    case 'ready':
    case 'approved':
    case 'declined':
    case 'failed':
    case 'cancelled':
      return undefined;
    default:
      return status satisfies never;
  }
}

/** What a message brings is due by a coarse time, rounded up: most looks keep its place in the index, which saves a unit. */
const coarseMs = 300_000;
const coarse = (atMs: number): number => Math.ceil(atMs / coarseMs) * coarseMs;

/** The order with the number and the time of its next look. */
export function lookedAt(
  order: Order,
  it: { readonly nowMs: number; readonly inSeconds: number; readonly isLook: boolean },
): Order {
  const atMs = it.nowMs + it.inSeconds * 1000;
  return {
    ...order,
    version: order.version + 1,
    looks: order.looks + 1,
    ...(it.isLook && { lookedAtMs: it.nowMs }),
    dueAtMs: it.inSeconds <= sqsMaxDelaySeconds ? coarse(atMs + sweepSlackMs) : atMs,
  };
}
