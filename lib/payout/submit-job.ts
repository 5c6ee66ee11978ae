// THE JOURNEY of one job: message → job → gates → credentials → claim → signed request → one POST → evidence → outcome →
// settle → result → acknowledge. Every end is a Disposition; run-jobs.ts carries it out.
import { type Claim, claimOrder, type ClaimPorts, stands } from './claim-order.ts';
import { claimUnanswered, isOfNewerCode, neverSent, readPendingOutcome } from './outcome.ts';
import {
  again,
  type Disposition,
  inAnotherInvocation,
  type JobDelivery,
  refuse,
  resultOnly,
  reused,
  unreadableEntry,
  waitSteadily,
  waitUntil,
  waitWith,
  waitWithoutOrder,
} from './disposition.ts';
import { type Gate, type Passage, passGates } from './gates.ts';
import { type Job, type ParsedJob, parseJob } from './job.ts';
import { takesAnswerOf } from './claim.ts';
import { type LedgerEntry, orderKey } from './ledger.ts';
import type { ConnectionAhead, MerchantCredentials } from '../gateway/ports.ts';
import { identityOf, invalidMessage, resultOf } from './result.ts';
import { sendOrder, type SendPorts } from './send-order.ts';
import { settleForgotten } from './forgotten-claim.ts';
import { recordRowEnd, type RecordRowEndPorts, settleAndTell, type SettlePorts, withPosts } from './settle-order.ts';
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
      ? await takeUnread(parsed, message, deadlineMs, ports)
      : await takeJob(parsed.job, message, deadlineMs, ports);
  return recordRowEnd(disposition, parsed.kind === 'job' ? parsed.job : undefined, message, ports);
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
  passed: Extract<Passage, { kind: 'passed' }>,
  message: JobDelivery,
  deadlineMs: number,
  ports: SubmitPorts,
): Promise<Disposition> {
  if (!timeForOneSend(deadlineMs, ports)) return inAnotherInvocation(message, ports);
  const { baseUrl, route } = passed.credentials;
  // On its way beside the claim. No byte of a request is handed to it before the claim is surely ours.
  const ahead = ports.gateway.connectAhead?.(baseUrl, route);
  return claimAndSend(passed, ahead, message, deadlineMs, ports).finally(() => ahead?.close());
}

async function claimAndSend(
  { job, credentials, slot }: Extract<Passage, { kind: 'passed' }>,
  ahead: ConnectionAhead | undefined,
  message: JobDelivery,
  deadlineMs: number,
  ports: SubmitPorts,
): Promise<Disposition> {
  const owner = ports.random.id();
  const { originMessageId: messageId, sentAtMs } = message;
  const sent = sentAtMs === undefined ? {} : { sentAtMs };
  const { limits } = ports;
  // Who brings a message back from the dead-letter queue has the order tried now, once.
  const rest = (message.redrives ?? 0) > 0 && message.waits === 0 ? {} : { rest: limits };
  const claimant = { owner, messageId, ...sent, leaseMs: limits.leaseMs, ...rest, credentials };
  const claim = await claimOrder(job, claimant, ports);
  if (claim.kind !== 'claimed')
    return withoutSeal(withoutClaim(claim, job, message, { owner, credentials }, ports), job);

  const { entry } = claim;
  const claimed = { entry, credentials, slot, ...(ahead && { ahead }) };
  const attempt = await sendOrder(job, claimed, lastSendMs(entry, deadlineMs, ports), ports);
  return withoutSeal(
    await settleAndTell(attempt.entry ?? entry, { ...attempt, owner }, message, deadlineMs, ports),
    job,
  );
}

/**
 * A message that can't be read is refused; the answer that it carries is settled all the same, as far as it says of which
 * order it is. What that order can't take is laid aside with it: nobody may call it failed.
 */
async function takeUnread(
  { identity, faults }: Extract<ParsedJob, { kind: 'rejected' }>,
  message: JobDelivery,
  deadlineMs: number,
  ports: SubmitPorts,
): Promise<Disposition> {
  const answer = readPendingOutcome(message.answer);
  const reason = invalidMessage(faults);
  const { operation = 'payout', merchant, orderId } = identity;
  if (answer && merchant !== undefined && orderId !== undefined) {
    const found = await ports.ledger.read(orderKey({ operation, merchant, orderId })).catch(() => 'no answer' as const);
    if (found === 'no answer' || found?.kind === 'unreadable') return again(message, reason, ports);
    const [entry, isAccepted] = [found?.entry, answer.outcome.kind === 'accepted'];
    if (entry && takesAnswerOf(entry, answer.owner, isAccepted))
      return settleAndTell(entry, withPosts(answer, entry), message, deadlineMs, ports);
    if (entry?.owner === answer.owner && resultOf(entry)) return resultOnly(entry);
  }
  const isWorthKeeping = answer
    ? /^(accepted|in-doubt|declined)$/.test(answer.outcome.kind)
    : isOfNewerCode(message.answer);
  return isWorthKeeping ? { kind: 'dead-letter', reason } : refuse(reason, identity, message, ports);
}

/** An answer that an earlier delivery could not write comes before anything else: it may be all that is known. */
async function settlePending(
  job: Job,
  message: JobDelivery,
  deadlineMs: number,
  ports: SubmitPorts,
): Promise<Disposition | undefined> {
  const answer = readPendingOutcome(message.answer);
  if (!answer) return isOfNewerCode(message.answer) ? again(message, unreadableAnswer, ports) : undefined;
  // A ledger that can't be read now costs a wait, never a receive: at the end of the receives the answer would be out
  // of the journey's hands.
  const found = await ports.ledger.read(orderKey(job)).catch(() => 'no answer' as const);
  if (found === 'no answer') return waitWith(answer, message, ports);
  // Newer code can take it: the message keeps its answer, in the dead-letter queue too, and no copy of it goes round.
  if (found?.kind === 'unreadable') return again(message, unreadableEntry(found.reason), ports);
  if (!found || !takesAnswerOf(found.entry, answer.owner, answer.outcome.kind === 'accepted'))
    return settleForgotten(job, found?.entry, answer, message, ports);
  return settleAndTell(found.entry, withPosts(answer, found.entry), message, deadlineMs, ports);
}

const unreadableAnswer = unreadableEntry('newer code wrote the answer that it carries');

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
    case 'rests':
      return waitSteadily(claim.untilMs, message, ports);
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

/** Once there was a claim, a seal with a CVV in it can't be opened any more: its dead letter is kept without it. */
function withoutSeal(end: Disposition, { sealedCode }: Job): Disposition {
  return end.kind === 'dead-letter' && sealedCode ? { ...end, sealSpent: true } : end;
}
