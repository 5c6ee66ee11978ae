// What becomes of an order whose message a person throws away: proven never sent, it ends as failed, and who and why are
// kept with it. A new message with the same content may send it again.
import { type ClaimRequest, newEntry } from '../payout/claim.ts';
import { type LedgerEntry, moved } from '../payout/ledger.ts';
import { saidBy } from '../payout/release.ts';

/** Who throws a message away, and why. */
export interface Discarding {
  readonly by: string;
  readonly reason: string;
  readonly nowMs: number;
}

/**
 * The entry of an order that was never claimed or is proven never sent. The owner stays: should its answer come late and
 * say that the gateway took the order, it can still be written.
 */
export function discarded(
  standing: LedgerEntry | undefined,
  request: Omit<ClaimRequest, 'leaseMs' | 'callOff'>,
  { by, reason, nowMs }: Discarding,
): LedgerEntry {
  const { messageId } = request;
  const failure = { code: 'DISCARDED' as const, message: saidBy(by, reason) };
  if (standing)
    return { ...moved(standing, { state: 'failed', final: true, reason: failure.code, nowMs, failure }), messageId };
  const history = [{ state: 'failed', atMs: nowMs, attempts: 0, reason: failure.code }] as const;
  const unsent = { state: 'failed', final: true, attempts: 0, leaseUntilMs: nowMs, failure, history } as const;
  return { ...newEntry({ ...request, leaseMs: 0 }), ...unsent };
}
