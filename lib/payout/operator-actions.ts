// What an operator may do to an order by hand: release it, cancel it. Each goes through the ledger's own conditions, and
// the gateway is asked first wherever it can be.
import { afterInquiry } from './inquiry-step.ts';
import type { Finding } from '../gateway/finding.ts';
import type { LedgerEntry } from './ledger.ts';
import type { Limits } from './limits.ts';
import type { OperationName } from '../gateway/operations.ts';
import type { Profile } from '../gateway/profile.ts';
import { forgottenAttemptMayLive, isValidated, withoutForgottenAttempt } from './order-history.ts';
import { cancelled, cancelledBeforehand, type Release, released, whyNotReleasable } from './release.ts';
import { askGateway, type AskPorts } from './ask-gateway.ts';
import type { Ledger, Results } from './ports.ts';
import { writeByHand } from './record-operator-decision.ts';
import { isCancelledBeforehand } from './fingerprint.ts';

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
  /** Cancelled before its job came; the job, when it comes, is told so. */
  | { readonly kind: 'beforehand'; readonly entry: LedgerEntry }
  /** What the gateway says now speaks against the decision: it has not ended the order, or knows none. */
  | { readonly kind: 'contradicted'; readonly status: string }
  /** The gateway was asked and said nothing that could be used; a release as not paid must then be meant. */
  | { readonly kind: 'unanswered'; readonly why: string }
  | { readonly kind: 'not-found' }
  | { readonly kind: 'refused'; readonly why: string };

/** A decision, and whether it also holds where the gateway, asked first, gives no answer. */
export type ReleaseRequest = Omit<Release, 'nowMs'> & { readonly evenUnanswered?: boolean };

/** Releases a held order. Where the contract offers inquiry, the gateway is asked first, and its word counts. */
export async function releaseOrder(key: string, release: ReleaseRequest, ports: OperatePorts): Promise<Operated> {
  const found = await ports.ledger.read(key);
  if (!found) return { kind: 'not-found' };
  if (found.kind === 'unreadable') return { kind: 'refused', why: found.reason };
  const { entry } = found;
  const why = whyNotReleasable(entry, release);
  if (why !== undefined) return { kind: 'refused', why };

  const asked = await askFirst(entry, ports);
  if (asked.kind === 'unaskable') return { kind: 'refused', why: asked.why };
  if (asked.kind === 'asked') {
    const { finding, profile } = asked;
    const nowMs = ports.clock.nowMs();
    // That one attempt was declined is an end where others may be forgotten once a person says that they are not paid.
    const isOfOne = finding.kind === 'declined' && forgottenAttemptMayLive(entry);
    if (finding.kind === 'approved' || (finding.kind === 'declined' && !(isOfOne && release.as === 'paid'))) {
      const it = { profile, nowMs, rhythm: ports.limits };
      const { next } = afterInquiry(withoutForgottenAttempt(entry), finding, it);
      return write(entry, next, 'answered', ports);
    }
    const against = release.as === 'paid' ? whyNotPaid(finding, release) : doubtOf(finding, release);
    if (against) return against;
  }
  const heard = asked.kind === 'nobody-to-ask' && release.as === 'not-paid' ? evidenceOf(entry, release) : undefined;
  if (heard) return heard;
  return write(entry, released(entry, { ...release, nowMs: ports.clock.nowMs() }), 'done', ports);
}

/** What the gateway has just said against an order being paid: `approved` would be final, and nobody would ask again. */
function whyNotPaid(finding: Finding, { evenUnanswered }: ReleaseRequest): Operated | undefined {
  switch (finding.kind) {
    case 'pending':
    case 'reversed':
      return { kind: 'contradicted', status: finding.status };
    case 'amount-differs':
      return anotherAmount(finding, 'approved', evenUnanswered);
    case 'unknown-order':
      return { kind: 'contradicted', status: 'that it knows no such order' };
    case 'validated':
      return { kind: 'contradicted', status: 'that it is checked alone' };
    case 'declined':
      return evenUnanswered ? undefined : { kind: 'unanswered', why: 'it says that one attempt was declined' };
    case 'approved':
    case 'inconclusive':
    case 'credentials-refused':
    case 'unclear':
      return undefined;
  }
}

/** It has ended as the person says, of another amount: that must be meant. As long as it has not, nobody may say so. */
function anotherAmount(
  { status, amount }: Extract<Finding, { kind: 'amount-differs' }>,
  end: 'approved' | 'declined',
  isMeant = false,
): Operated | undefined {
  if (status !== end) return { kind: 'contradicted', status: `${status}, ${amount}` };
  return isMeant ? undefined : { kind: 'unanswered', why: `it says ${status} of ${amount}` };
}

/** Callbacks that nobody could compare with an id: one that says paid must be looked into before it is sent again. */
function evidenceOf({ surprises = [] }: LedgerEntry, { evenUnanswered }: ReleaseRequest): Operated | undefined {
  const paid = surprises.filter((word) => word.startsWith('approved '));
  if (paid.length === 0 || evenUnanswered) return undefined;
  return { kind: 'unanswered', why: `nobody can be asked, and a callback said: ${paid.join('; ')}` };
}

/** What speaks against sending the order again, after what the gateway has said. */
function doubtOf(finding: Finding, { evenUnanswered }: ReleaseRequest): Operated | undefined {
  switch (finding.kind) {
    case 'pending':
    case 'reversed':
      return { kind: 'contradicted', status: finding.status };
    case 'amount-differs':
      return anotherAmount(finding, 'declined', evenUnanswered);
    case 'inconclusive':
      return evenUnanswered
        ? undefined
        : { kind: 'unanswered', why: `it says ${finding.status}, which proves nothing` };
    case 'unclear':
      return evenUnanswered ? undefined : { kind: 'unanswered', why: finding.reason };
    case 'credentials-refused':
      return evenUnanswered ? undefined : { kind: 'unanswered', why: 'it refused the signature' };
    case 'approved':
    case 'declined':
    case 'unknown-order':
    case 'validated':
      return undefined;
  }
}

type Asked =
  | { readonly kind: 'asked'; readonly finding: Finding; readonly profile: Profile }
  /** The contract offers no inquiry, or there is no contract any more. */
  | { readonly kind: 'nobody-to-ask' }
  /** Whether the gateway could be asked is not known. */
  | { readonly kind: 'unaskable'; readonly why: string };

async function askFirst(entry: LedgerEntry, ports: OperatePorts): Promise<Asked> {
  const answer = await ports.credentials.of(entry.merchant);
  if (answer.kind === 'unavailable') {
    const { code, message } = answer.failure;
    return code === 'MERCHANT_UNKNOWN' ? { kind: 'nobody-to-ask' } : { kind: 'unaskable', why: `${code}: ${message}` };
  }
  const { credentials } = answer;
  if (!credentials.profile.statusInquiry) return { kind: 'nobody-to-ask' };
  const notAfterMs = ports.clock.nowMs() + ports.limits.gatewayTotalTimeoutMs;
  const finding = await askGateway(entry, credentials, notAfterMs, ports);
  return { kind: 'asked', finding, profile: credentials.profile };
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
  if (claim.kind === 'claimed') return { kind: 'beforehand', entry: beforehand };
  if (claim.kind === 'unreadable') return { kind: 'refused', why: claim.reason };
  const { entry } = claim;
  if (entry.state === 'cancelled') {
    return isCancelledBeforehand(entry) ? { kind: 'beforehand', entry } : { kind: 'done', entry, told: true };
  }
  if (entry.state !== 'retryable' && entry.state !== 'failed' && !isValidated(entry)) {
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
  const written = await writeByHand(entry, next, ports);
  return written.kind === 'refused' ? written : { ...written, kind };
}
