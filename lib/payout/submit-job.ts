// THE JOURNEY of one job: message → job → gates → credentials → claim → signed request → one POST → evidence → outcome →
// settle → result → acknowledge. Every end is a Disposition; run-jobs.ts carries it out.
import { type Claim, claimOrder, type ClaimPorts, stands } from './claim-order.ts';
import { afterSingleUse, type Attempt, type PendingOutcome, readPendingOutcome } from './outcome.ts';
import {
  again,
  type Disposition,
  hasWaitedTooLong,
  inAnotherInvocation,
  type JobDelivery,
  refuse,
  resultOnly,
  reused,
  unreadableEntry,
  waitsUnsent,
  waitUntil,
  waitWith,
  waitWithoutOrder,
} from './disposition.ts';
import { type Gate, type Passage, passGates } from './gates.ts';
import { type Job, parseJob } from './job.ts';
import { takesAnswerOf } from './claim.ts';
import { type LedgerEntry, orderKey } from './ledger.ts';
import type { MerchantCredentials } from '../gateway/ports.ts';
import { identityOf, invalidMessage } from './result.ts';
import { sendOrder, type SendPorts } from './send-order.ts';
import { settleForgotten } from './forgotten-claim.ts';
import {
  recordRowEnd,
  type RecordRowEndPorts,
  type Settlement,
  settleOrder,
  type SettlePorts,
} from './settle-order.ts';
import { stopOrder, type StopPorts } from './stop-order.ts';

/** All that the journey needs. */
export interface SubmitPorts extends StopPorts, ClaimPorts, SendPorts, SettlePorts, RecordRowEndPorts {
  readonly gates: readonly Gate[];
  readonly ledger: ClaimPorts['ledger'];
  readonly credentials: StopPorts['credentials'];
  readonly clock: ClaimPorts['clock'];
}

/** Takes one message all the way. `deadlineMs` is when the invocation ends. Rejects only before anything was sent. */
export async function submitJob(message: JobDelivery, deadlineMs: number, ports: SubmitPorts): Promise<Disposition> {
  const parsed = parseJob(message.body);
  const disposition =
    parsed.kind === 'rejected'
      ? refuse(invalidMessage(parsed.faults), parsed.identity, message, ports)
      : await takeJob(parsed.job, message, deadlineMs, ports);
  return recordRowEnd(disposition, parsed.kind === 'rejected' ? parsed.identity : parsed.job, message, ports);
}

async function takeJob(
  received: Job,
  message: JobDelivery,
  deadlineMs: number,
  ports: SubmitPorts,
): Promise<Disposition> {
  const told = await settlePending(received, message, deadlineMs, ports);
  if (told) return told;

  const passage = await passGates(received, ports.gates, message.turn);
  if (passage.kind === 'stopped') return stopOrder(passage, message, ports);
  // A slot in which nothing was sent is given back, whatever kept it from that; one that was reported is known no more.
  return payOrder(passage, message, deadlineMs, ports).finally(() => ports.pacing.giveBack(passage.job, passage.slot));
}

async function payOrder(
  { job, credentials, slot }: Extract<Passage, { kind: 'passed' }>,
  message: JobDelivery,
  deadlineMs: number,
  ports: SubmitPorts,
): Promise<Disposition> {
  if (!timeForOneSend(deadlineMs, ports)) return inAnotherInvocation(message, ports);
  const owner = ports.random.id();
  const { originMessageId: messageId, sentAtMs } = message;
  const sent = sentAtMs === undefined ? {} : { sentAtMs };
  const claimant = { owner, messageId, ...sent, leaseMs: ports.limits.leaseMs, credentials };
  const claim = await claimOrder(job, claimant, ports);
  if (claim.kind !== 'claimed')
    return withoutSeal(withoutClaim(claim, job, message, { owner, credentials }, ports), job);

  const { entry, cardKey } = claim;
  const claimed = { entry, credentials, slot, ...(cardKey && { cardKey }) };
  const attempt = await sendOrder(job, claimed, lastSendMs(entry, deadlineMs, ports), ports);
  return withoutSeal(
    await settleAndTell(attempt.entry ?? entry, { ...attempt, owner }, message, deadlineMs, ports),
    job,
  );
}

/** An answer that an earlier delivery could not write comes before anything else: it may be all that is known. */
async function settlePending(
  job: Job,
  message: JobDelivery,
  deadlineMs: number,
  ports: SubmitPorts,
): Promise<Disposition | undefined> {
  const answer = readPendingOutcome(message.answer);
  if (!answer) return undefined;
  // A ledger that can't be read now costs a wait, never a receive: at the end of the receives the answer would be out
  // of the journey's hands.
  const found = await ports.ledger.read(orderKey(job)).catch(() => 'no answer' as const);
  if (found === 'no answer') return waitWith(answer, message, ports);
  // Newer code can take it: the message keeps its answer, in the dead-letter queue too, and no copy of it goes round.
  if (found?.kind === 'unreadable') return again(message, unreadableEntry(found.reason), ports);
  if (!found || !takesAnswerOf(found.entry, answer.owner, answer.outcome.kind === 'accepted'))
    return settleForgotten(job, found?.entry, answer, message, ports);
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
  message: JobDelivery,
  { owner, credentials }: { readonly owner: string; readonly credentials: MerchantCredentials },
  ports: SubmitPorts,
): Disposition {
  switch (claim.kind) {
    case 'stands':
      return stands(claim.entry, job, message, credentials, ports);
    case 'busy':
      return waitUntil(claim.untilMs, message, ports);
    case 'reused':
      return reused(message, identityOf(job), ports);
    case 'unchecked':
      return refuse(notChecked, identityOf(job), message, ports);
    case 'unreadable':
      return again(message, unreadableEntry(claim.reason), ports);
    case 'unavailable':
      // Said once: each delivery would say it anew of a claim of its own, and a copy of each would multiply.
      return message.receiveCount === 1 && message.answer === undefined
        ? waitWith({ owner, ...neverSent(job) }, message, ports)
        : waitWithoutOrder(claimUnanswered, undefined, message, ports);
  }
}

const notChecked = { code: 'NOT_CHECKED', message: 'there is no check of it: send its payout-check first' } as const;
const claimUnanswered = { code: 'NOT_SENT', message: 'the ledger did not answer the claim' } as const;

/** The claim may stand although its answer was lost; that nothing was sent under it is known here alone. */
function neverSent({ sealedCode }: Job): Omit<PendingOutcome, 'owner'> {
  const outcome = { kind: 'retryable', failure: claimUnanswered } as const;
  return { attempts: 1, statusInquiry: false, outcome: sealedCode ? afterSingleUse(outcome) : outcome };
}

/** Once there was a claim, a seal with a CVV in it can't be opened any more: its dead letter is kept without it. */
function withoutSeal(end: Disposition, { sealedCode }: Job): Disposition {
  return end.kind === 'dead-letter' && sealedCode ? { ...end, sealSpent: true } : end;
}

async function settleAndTell(
  entry: LedgerEntry,
  answer: Attempt & { readonly owner: string },
  message: JobDelivery,
  deadlineMs: number,
  ports: SubmitPorts,
): Promise<Disposition> {
  const waited = { tooLong: hasWaitedTooLong(message, ports), deliveries: message.waits + message.receiveCount };
  const giveUpAtMs =
    Math.min(deadlineMs, ports.clock.nowMs() + ports.limits.settleReserveMs) - ports.limits.settleReserveMs / 2;
  const { account } = entry;
  const settlement: Settlement = await settleOrder(entry, { ...answer, waited }, giveUpAtMs, ports);
  switch (settlement.kind) {
    case 'settled':
      return ended(settlement.entry, answer, message, ports);
    // What newer code wrote is left alone, and our answer goes round until newer code can write it.
    case 'unreadable':
    case 'unsettled':
      return waitWith({ ...answer, ...(account !== undefined && { account }) }, message, ports);
  }
}

function ended(entry: LedgerEntry, attempt: Attempt, message: JobDelivery, ports: SubmitPorts): Disposition {
  if (entry.state === 'retryable') return waitsUnsent(entry, attempt, message, ports);
  // Another claim has taken over what we gave back; this message stays until that claim has come to its end.
  return entry.state === 'submitting' ? waitUntil(entry.leaseUntilMs, message, ports) : resultOnly(entry);
}
