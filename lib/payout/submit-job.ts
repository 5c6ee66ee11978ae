// THE JOURNEY of one job: message → job → card data → approval → claim → credentials → signed request → one POST → evidence →
// outcome → settle → result → acknowledge. Every end is a Disposition; sqs-batch.ts carries it out.
import { type Job, type JobIdentity, parseJob } from './job.ts';
import type { Failure } from './failures.ts';
import { type LedgerEntry, orderKey, takesAnswerOf } from './ledger.ts';
import { identityOf, invalidMessage, rejection, reusedOrderId } from './result.ts';
import { afterSingleUse } from './cvv.ts';
import { isLastReceive } from './retry-policy.ts';
import { type PendingOutcome, readPendingOutcome } from './pending-outcome.ts';
import { checkControls, type CheckControlsPorts } from './check-controls.ts';
import { checkApproval, type CheckApprovalPorts, withApproval } from '../batches/check-approval.ts';
import { type Claim, claimOrder, type ClaimPorts } from './claim-order.ts';
import {
  again,
  comesBack,
  type Disposition,
  inAnotherInvocation,
  type JobMessage,
  told,
  unreadableEntry,
  waitUntil,
  waitWith,
} from './disposition.ts';
import { recordRowEnd, type RecordRowEndPorts } from './record-row-end.ts';
import { openCardData, type OpenCardDataPorts, type OpenedJob } from '../card-data/open-card-data.ts';
import type { Attempt } from './send-order.ts';
import { sendClaimed, type SingleUsePorts } from '../card-data/send-with-cvv.ts';
import { type Settlement, settleOrder, type SettlePorts } from './settle-order.ts';

/** All that the journey needs. */
export interface SubmitPorts
  extends
    OpenCardDataPorts,
    CheckApprovalPorts,
    CheckControlsPorts,
    ClaimPorts,
    SingleUsePorts,
    SettlePorts,
    RecordRowEndPorts {}

/** Takes one message all the way. `deadlineMs` is when the invocation ends. Rejects only before anything was sent. */
export async function submitJob(message: JobMessage, deadlineMs: number, ports: SubmitPorts): Promise<Disposition> {
  const parsed = parseJob(message.body);
  const disposition =
    parsed.kind === 'rejected'
      ? refuse(invalidMessage(parsed.faults), parsed.identity, message, ports)
      : await takeJob(parsed.job, message, deadlineMs, ports);
  return recordRowEnd(disposition, parsed.kind === 'rejected' ? parsed.identity : parsed.job, message, ports);
}

async function takeJob(
  received: Job,
  message: JobMessage,
  deadlineMs: number,
  ports: SubmitPorts,
): Promise<Disposition> {
  const carried = await settlePending(received, message, deadlineMs, ports);
  if (carried) return carried;
  const opened = await openCardData(received, ports);
  if (opened.kind !== 'opened') return unopened(opened, received, message, ports);
  const approval = await checkApproval(received, ports);
  if (approval.kind === 'refused') return refuse(approval.failure, identityOf(received), message, ports);
  if (approval.kind === 'unknown') return { kind: 'wait', delaySeconds: ports.limits.leaveRetrySeconds };
  const job = withApproval(opened.job, approval);
  const end = await sendJob(job, message, deadlineMs, ports);
  return end.kind === 'dead-letter' && job.sealedCode ? { ...end, sealSpent: true } : end;
}

async function sendJob(job: Job, message: JobMessage, deadlineMs: number, ports: SubmitPorts): Promise<Disposition> {
  if (!timeForOneSend(deadlineMs, ports)) return inAnotherInvocation(message, ports);

  const leave = await checkControls(job, ports);
  if (leave === 'wait') return { kind: 'wait', delaySeconds: ports.limits.leaveRetrySeconds };

  const owner = ports.random.id();
  const claimant = { owner, messageId: message.originMessageId, leaseMs: ports.limits.leaseMs };
  const claim = await claimOrder(job, { ...claimant, callOff: leave === 'call off' }, ports);
  if (claim.kind !== 'claimed') return withoutClaim(claim, job, message, owner, ports);

  const attempt = await sendClaimed(job, claim, lastSendMs(claim.entry, deadlineMs, ports), ports);
  return settleAndTell(claim.entry, { ...attempt, owner }, message, deadlineMs, ports);
}

/** A message that can't be taken: its sender is told why, and it is kept for a person, who may mend it. */
function refuse(
  reason: Failure,
  identity: JobIdentity,
  { originMessageId }: JobMessage,
  { clock }: SubmitPorts,
): Disposition {
  const result = rejection({ messageId: originMessageId, identity, failure: reason, nowMs: clock.nowMs() });
  return { kind: 'dead-letter', reason, result };
}

/** Card data that can't be judged now comes back, but never as far as SQS's own way to the dead-letter queue. */
function unopened(
  { kind, failure }: Exclude<OpenedJob, { kind: 'opened' }>,
  job: Job,
  message: JobMessage,
  ports: SubmitPorts,
): Disposition {
  const comesBack = kind === 'unavailable' && !isLastReceive(message.receiveCount, ports.limits);
  return comesBack ? again(message, failure, ports) : refuse(failure, identityOf(job), message, ports);
}

/** An answer that an earlier delivery could not write comes before anything else: it may be all that is known. */
async function settlePending(
  job: Job,
  message: JobMessage,
  deadlineMs: number,
  ports: SubmitPorts,
): Promise<Disposition | undefined> {
  const answer = readPendingOutcome(message.answer);
  if (!answer) return undefined;
  // A ledger that can't be read now costs a wait, never a receive: at the end of the receives the answer would be out
  // of the journey's hands.
  const found = await ports.ledger.read(orderKey(job)).catch(() => 'no answer' as const);
  if (found === 'no answer') return waitWith(answer, message, ports);
  if (found?.kind === 'unreadable') return again(message, unreadableEntry(found.reason), ports);
  if (!found || !takesAnswerOf(found.entry, answer.owner, answer.outcome.kind === 'accepted')) return undefined;
  const attempts = Math.max(found.entry.attempts, answer.attempts);
  return settleAndTell(found.entry, { ...answer, attempts }, message, deadlineMs, ports);
}

function timeForOneSend(deadlineMs: number, { clock, limits }: SubmitPorts): boolean {
  return clock.nowMs() + limits.gatewayTotalTimeoutMs + limits.settleReserveMs < deadlineMs;
}

/** A POST that starts later could outlast the lease or the invocation, and its answer would have nobody to hear it. */
function lastSendMs(entry: LedgerEntry, deadlineMs: number, { limits }: SubmitPorts): number {
  return Math.min(entry.leaseUntilMs, deadlineMs) - limits.gatewayTotalTimeoutMs - limits.settleReserveMs;
}

function withoutClaim(
  claim: Exclude<Claim, { kind: 'claimed' }>,
  job: Job,
  message: JobMessage,
  owner: string,
  ports: SubmitPorts,
): Disposition {
  switch (claim.kind) {
    case 'stands':
      return told(claim.entry);
    case 'busy':
      return waitUntil(claim.untilMs, message, ports);
    case 'reused': {
      const nowMs = ports.clock.nowMs();
      const it = { messageId: message.originMessageId, identity: identityOf(job), failure: reusedOrderId, nowMs };
      return { kind: 'done', result: rejection(it) };
    }
    case 'unreadable':
      return again(message, unreadableEntry(claim.reason), ports);
    case 'unavailable':
      return waitWith({ owner, ...neverSent(job) }, message, ports);
  }
}

/** The claim may stand although its answer was lost; that nothing was sent under it is known here alone. */
function neverSent({ sealedCode }: Job): Omit<PendingOutcome, 'owner'> {
  const failure: Failure = { code: 'NOT_SENT', message: 'the ledger did not answer the claim' };
  const outcome = { kind: 'retryable', failure } as const;
  return { attempts: 1, statusInquiry: false, outcome: sealedCode ? afterSingleUse(outcome) : outcome };
}

async function settleAndTell(
  entry: LedgerEntry,
  answer: Attempt & { readonly owner: string },
  message: JobMessage,
  deadlineMs: number,
  ports: SubmitPorts,
): Promise<Disposition> {
  const lastReceive = isLastReceive(message.receiveCount, ports.limits);
  const giveUpAtMs =
    Math.min(deadlineMs, ports.clock.nowMs() + ports.limits.settleReserveMs) - ports.limits.settleReserveMs / 2;
  const settlement: Settlement = await settleOrder(entry, { ...answer, lastReceive }, giveUpAtMs, ports);
  switch (settlement.kind) {
    case 'settled':
      return ended(settlement.entry, answer, message, ports);
    // What newer code wrote is left alone, and our answer goes round until newer code can write it.
    case 'unreadable':
    case 'unsettled':
      return waitWith(answer, message, ports);
  }
}

function ended(entry: LedgerEntry, attempt: Attempt, message: JobMessage, ports: SubmitPorts): Disposition {
  if (entry.state === 'retryable') return comesBack(entry, attempt, message, ports);
  // Another claim has taken over what we gave back; this message stays until that claim has come to its end.
  return entry.state === 'submitting' ? waitUntil(entry.leaseUntilMs, message, ports) : told(entry);
}
