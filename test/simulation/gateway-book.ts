// The gateway's own books: the orders that it committed, how each of them ends and when, from when on its
// status can be seen, and its denials. This is the truth about money; nothing inside the world can read it.
import type { SeenOrders } from './seen.ts';
import type { Post } from './gateway-moods.ts';
import type { Timeline } from './timeline.ts';

/** The gateway's final statuses. */
type FinalStatus = 'approved' | 'declined' | 'filtered' | 'error';

/** The fate of an order that the gateway commits. */
export interface Fate {
  readonly ends: FinalStatus;
  readonly afterMs: number;
  /** A final state that changes later: so long after the end. */
  readonly change?: { readonly to: FinalStatus; readonly afterMs: number };
  /** Later transactions that undo the payment, all at once: so long after the end, each called back by its type. */
  readonly undone?: { readonly types: readonly string[]; readonly afterMs: number };
  /** The order can be seen so long after the end of its send's lease, the last moment of its send; default: at once. */
  readonly visibleAfterLeaseMs?: number;
}

/** One order in the books. */
export interface Booking {
  readonly post: Post;
  readonly gatewayOrderId: string;
  readonly visibleAtMs: number;
  readonly undone?: { readonly atMs: number; readonly types: readonly string[] };
  readonly turns: readonly { readonly atMs: number; readonly status: FinalStatus }[];
}

/** The books. */
export interface Book {
  enters(post: Post, gatewayOrderId: string, fate: Fate): Booking;
  /** Bookings of an order, the latest last: a declined one may be followed by another. */
  of(order: string): readonly Booking[];
  /** True once the order has been in one of these states, by now. */
  everWas(order: string, ...statuses: readonly FinalStatus[]): boolean;
  /** The end of the order, as far as the books know the future; undefined when it was never committed. */
  endOf(order: string): FinalStatus | undefined;
  statusNow(booking: Booking): FinalStatus | undefined;
  /** The booking that an inquiry sees now, at this host or at any. */
  visible(order: string, origin?: string): Booking | undefined;
  /** The gateway has answered that it knows no such order. */
  denies(order: string): void;
  denials(order: string): readonly number[];
  readonly count: () => number;
}

/** Empty books. */
export function createBook(timeline: Timeline, entries: SeenOrders): Book {
  const bookings = new Map<string, Booking[]>();
  const denied = new Map<string, number[]>();
  const of = (order: string) => bookings.get(order) ?? [];

  const book: Book = {
    of,
    enters(post, gatewayOrderId, { ends, afterMs, change, undone, visibleAfterLeaseMs }) {
      const nowMs = timeline.nowMs();
      const leaseUntilMs = entries.get(post.order)?.leaseUntilMs ?? nowMs;
      const visibleAtMs = visibleAfterLeaseMs === undefined ? nowMs : leaseUntilMs + visibleAfterLeaseMs;
      const endedMs = nowMs + afterMs;
      const turns = [{ atMs: endedMs, status: ends }];
      if (change) turns.push({ atMs: endedMs + change.afterMs, status: change.to });
      const isUndone = post.movesMoney && undone && { undone: { atMs: endedMs + undone.afterMs, types: undone.types } };
      const booking = { post, gatewayOrderId, visibleAtMs, turns, ...isUndone };
      bookings.set(post.order, [...of(post.order), booking]);
      return booking;
    },
    everWas: (order, ...statuses) =>
      of(order).some(({ turns }) =>
        turns.some(({ atMs, status }) => atMs <= timeline.nowMs() && statuses.includes(status)),
      ),
    endOf: (order) => of(order).at(-1)?.turns.at(-1)?.status,
    statusNow: ({ turns }) => turns.findLast(({ atMs }) => atMs <= timeline.nowMs())?.status,
    visible: (order, origin) =>
      of(order).findLast(
        ({ visibleAtMs, post }) => visibleAtMs <= timeline.nowMs() && (origin ?? post.origin) === post.origin,
      ),
    denies(order) {
      denied.set(order, [...(denied.get(order) ?? []), timeline.nowMs()]);
    },
    denials: (order) => denied.get(order) ?? [],
    count: () => bookings.size,
  };
  return book;
}
