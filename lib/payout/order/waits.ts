// What an order waits for, and until when, as people see it.
import { fold } from './fold.ts';
import { openWorkOf } from './open-work.ts';
import type { Order } from './order.ts';
import type { OrderWait } from './projection.ts';
import { type Contract, leaseOverAtMs, quietAtMs } from './time.ts';

/** The wait of an order; undefined if nothing is awaited. `contract`: absent if the merchant's profile can't be read. */
export function waitOf(order: Order, contract?: Contract): OrderWait | undefined {
  const status = fold(order.facts);
  const asked = { for: 'the gateway', nextAtMs: openWorkOf(order)?.atMs } as const;
  switch (status.kind) {
    case 'new':
    case 'ready':
      return { for: 'its message' };
    case 'sending':
      return { for: 'its sender', untilMs: leaseOverAtMs(status.attempt) };
    case 'verifying':
      return asked;
    case 'in-doubt':
      if (!status.attempt.askable) return { for: 'the gateway' };
      return { ...asked, untilMs: contract && status.attempt.leaseUntilMs + contract.horizonMs };
    case 'accepted':
      if (!status.attempt.askable) return undefined;
      return { ...asked, untilMs: contract && status.attempt.atMs + contract.acceptedHorizonMs };
    case 'held': {
      const quiet = contract ? status.attempts.map((it) => quietAtMs(it, contract)) : [];
      return { for: 'a person', decidableAtMs: quiet.length > 0 ? Math.max(...quiet) : undefined };
    }
    case 'approved':
    case 'over':
      return undefined;
    default:
      return status satisfies never;
  }
}
