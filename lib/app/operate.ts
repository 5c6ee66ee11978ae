// What an operator may do to an order by hand: look at it, release it, cancel it. Each goes through the ledger's own
// conditions, and the gateway is asked first wherever it can be.
import { afterLook } from '../domain/inquiry-step.ts';
import type { Finding } from '../domain/inquiry.ts';
import type { LedgerEntry } from '../domain/ledger.ts';
import type { Limits } from '../domain/limits.ts';
import { withMark } from '../domain/open-work.ts';
import { type OperationName } from '../domain/operations.ts';
import { cancelled, cancelledBeforehand, isReleasable, type Release, released } from '../domain/release.ts';
import { resultOf } from '../domain/result.ts';
import { askGateway, type AskPorts } from './ask-gateway.ts';
import type { Ledger, Results } from './ports.ts';

/** What operating needs. */
export interface OperatePorts extends AskPorts {
  readonly ledger: Ledger;
  readonly results: Results;
  readonly limits: Limits;
}

/** How it went. */
export type Operated =
  | { readonly kind: 'done'; readonly entry: LedgerEntry; readonly told: boolean }
  /** The gateway knows better than the operator: its word was taken instead. */
  | { readonly kind: 'answered'; readonly entry: LedgerEntry; readonly told: boolean }
  /** The gateway has the order and has not ended it: releasing it as not paid would risk paying twice. */
  | { readonly kind: 'contradicted'; readonly status: string }
  | { readonly kind: 'not-found' }
  | { readonly kind: 'refused'; readonly why: string };

/** Releases a held order. Where the contract offers inquiry, the gateway is asked first, and its end counts. */
export async function releaseOrder(
  key: string,
  release: Omit<Release, 'nowMs'>,
  ports: OperatePorts,
): Promise<Operated> {
  const found = await ports.ledger.read(key);
  if (!found) return { kind: 'not-found' };
  if (found.kind === 'unreadable') return { kind: 'refused', why: found.reason };
  const { entry } = found;
  if (!isReleasable(entry))
    return { kind: 'refused', why: `the order is ${entry.state}; only held or doubtful orders are released` };
  const finding = await asked(entry, ports);
  if (finding === 'unasked')
    return write(entry, released(entry, { ...release, nowMs: ports.clock.nowMs() }), 'done', ports);
  if (finding.finding.kind === 'approved' || finding.finding.kind === 'declined') {
    const { next } = afterLook(entry, finding.finding, {
      ...finding,
      nowMs: ports.clock.nowMs(),
      rhythm: ports.limits,
    });
    return write(entry, next, 'answered', ports);
  }
  if (finding.finding.kind === 'pending' && release.as === 'not-paid') {
    return { kind: 'contradicted', status: finding.finding.status };
  }
  return write(entry, released(entry, { ...release, nowMs: ports.clock.nowMs() }), 'done', ports);
}

async function asked(entry: LedgerEntry, ports: OperatePorts) {
  const answer = await ports.credentials.of(entry.merchant);
  if (answer.kind === 'unavailable' || !answer.credentials.profile.statusInquiry) return 'unasked';
  const { credentials } = answer;
  const notAfterMs = ports.clock.nowMs() + ports.limits.gatewayTotalTimeoutMs;
  const finding: Finding = await askGateway(entry, credentials, notAfterMs, ports);
  return { finding, profile: credentials.profile };
}

/** Which order an operator means, and who says so. */
export interface Cancellation {
  readonly operation: OperationName;
  readonly merchant: string;
  readonly orderId: string;
  readonly by: string;
  readonly reason: string;
}

/** Cancels an order that is not claimed: put beforehand, or moved there from where it is proven never sent. */
export async function cancelOrder(it: Cancellation, ports: OperatePorts): Promise<Operated> {
  const nowMs = ports.clock.nowMs();
  const beforehand = cancelledBeforehand({ ...it, owner: ports.random.id(), nowMs });
  const claim = await ports.ledger.claim(beforehand);
  if (claim.kind === 'claimed') return { kind: 'done', entry: beforehand, told: await tell(beforehand, ports) };
  if (claim.kind === 'unreadable') return { kind: 'refused', why: claim.reason };
  const { entry } = claim;
  if (entry.state === 'cancelled') return { kind: 'done', entry, told: true };
  if (entry.state !== 'retryable' && entry.state !== 'failed') {
    return { kind: 'refused', why: `the order is ${entry.state}: it was claimed, so it can't be cancelled any more` };
  }
  return write(entry, cancelled(entry, it.by, it.reason, nowMs), 'done', ports);
}

async function write(
  entry: LedgerEntry,
  next: LedgerEntry,
  kind: 'done' | 'answered',
  ports: OperatePorts,
): Promise<Operated> {
  if (next === entry) return { kind, entry, told: true };
  const written = withMark(next, true);
  const write = await ports.ledger.advance(entry, written);
  if (write.kind !== 'advanced')
    return { kind: 'refused', why: 'somebody moved the order meanwhile; look at it again' };
  return { kind, entry: written, told: await tell(written, ports) };
}

/** The mark is in the ledger: what can't be told now is told by the sweeper. */
async function tell(entry: LedgerEntry, { results, ledger }: OperatePorts): Promise<boolean> {
  const result = resultOf(entry);
  if (!result) return true;
  const notTaken = await results.send([result]).catch(() => new Set([0]));
  if (notTaken.size > 0) return false;
  if (entry.unpublished) await ledger.markUnpublished(entry, false).catch(() => {});
  return true;
}
