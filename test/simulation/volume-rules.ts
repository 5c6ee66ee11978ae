// The volume of one order, written a second time from test/README.md (promise 7): whatever fails, the gateway
// is asked about an order only so often within an hour.
import type { SeenOrder } from './seen.ts';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
/** So long after an order has come to a state the gateway may be asked about it every few seconds. */
const firstMinutesMs = 5 * minuteMs;
/** The inquiries in an hour, once these are over. */
const inquiriesAtMost = 12;

/** Counts the requests about each order. */
export interface Volume {
  /** The order was written. */
  writes(before: SeenOrder | undefined, after: SeenOrder, atMs: number): void;
  /** The gateway is asked about the order: the fault, where that is too often. */
  asks(order: string, atMs: number): string | undefined;
}

/** Counts from nothing. The first minutes are counted by clocks that differ by up to so much. */
export function createVolume(skewMs: number): Volume {
  const since = new Map<string, number>();
  const inquiries = new Map<string, readonly number[]>();

  return {
    writes(before, after, atMs) {
      if (before?.state !== after.state || before.attempts !== after.attempts) since.set(after.key, atMs);
    },
    asks(order, atMs) {
      if (atMs < (since.get(order) ?? atMs) + firstMinutesMs + skewMs) return undefined;
      const recent = [...(inquiries.get(order) ?? []).filter((it) => it > atMs - hourMs), atMs];
      inquiries.set(order, recent);
      return recent.length > inquiriesAtMost ? `${recent.length} inquiries about ${order} in an hour` : undefined;
    },
  };
}
