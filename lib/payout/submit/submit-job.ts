// THE JOURNEY of one job: message → job → gates and turn → claim → signed request → one POST → evidence → answer → facts → result →
// acknowledge. Every end is one of three (end.ts). end-delivery.ts carries it out: it publishes the result, and only then acknowledges the
// message.
import { type Gates, type Passage, passGates, waitIfProofLost, stoppedUnproven } from '../gates.ts';
import { identityOf, type Job } from '../message/job.ts';
import type { Limits } from '../limits.ts';
import type { Attempt } from '../order/facts.ts';
import { fold } from '../order/fold.ts';
import { type Contract, contractOf } from '../order/time.ts';
import type { Order } from '../order/order.ts';
import type { Pacing } from '../pace/pacing.ts';
import type { ConnectionAhead, Credentials, MerchantAccess } from '../../gateway/ports.ts';
import { type Claim, claimOrder, type ClaimPorts, sourceOf } from './claim.ts';
import {
  type EndPorts,
  type JobEnd,
  firstSentMs,
  hasWaitedTooLong,
  type JobDelivery,
  publishAgain,
  refuse,
  resultOrKept,
  reused,
  unreadableEntry,
  waits,
  waitsForOther,
  waitsUnsent,
} from './end.ts';
import { type NotAfter, sendOrder, type SendPorts, type Sent } from './send.ts';
import { stopOrder, type StopPorts } from './stop-order.ts';
import { isUnproven } from '../wait/parked-job.ts';
import { type AnswerPorts, writeAnswer } from './write-answer.ts';

/** The ports of the journey. */
export interface SubmitPorts extends StopPorts, ClaimPorts, AnswerPorts, EndPorts, Omit<SendPorts, 'credentials'> {
  readonly gates: Gates;
  readonly credentials: Credentials;
  readonly pacing: Pick<Pacing, 'ask' | 'sends' | 'unused'>;
  readonly limits: Limits;
}

/** Takes one message to its end. `deadlineMs`: when the invocation ends. Rejects only before anything was sent. */
export async function submitJob(message: JobDelivery, deadlineMs: number, ports: SubmitPorts): Promise<JobEnd> {
  const { read } = message;
  if (read.kind === 'refused') return refuse(read.failure, read.identity, message, ports);
  return takeJob(read.job, message, deadlineMs, ports);
}

async function takeJob(received: Job, message: JobDelivery, deadlineMs: number, ports: SubmitPorts): Promise<JobEnd> {
  const { cameBefore, parked, turn } = message;
  // A message that comes a second time may have crashed its worker: it is parked, once it is known whose it is.
  if (cameBefore && !parked) return parkedAgain(received, message, ports);
  let ahead: ConnectionAhead | undefined;
  // No byte of the request is written to it before the claim is proven ours.
  const connects = ({ baseUrl, route }: MerchantAccess) => {
    ahead ??= ports.gateway.connectAhead?.(baseUrl, route);
    return ahead;
  };
  const isProven = parked !== undefined && !isUnproven(parked);
  const given = {
    connects,
    cameBefore,
    isStray: isProven && !parked.lane,
    turn,
  };
  let unused = turn;
  try {
    const asked = await passGates(received, ports.gates, given);
    const passage = isProven ? waitIfProofLost(asked) : asked;
    unused = passage.turn;
    if (passage.kind === 'stopped') return await stopOrder(passage, message, ports);
    if (hasWaitedTooLong(message, ports)) return await stopOrder(stoppedByAge(passage.job), message, ports);
    if (!timeForOneSend(deadlineMs, ports)) return waits('no-time', message, ports);
    return await claimAndSend(passage, connects, message, deadlineMs, ports);
  } finally {
    ahead?.close();
    // Does nothing if a request was sent in it.
    if (unused) ports.pacing.unused(received, unused);
  }
}

async function parkedAgain(received: Job, message: JobDelivery, ports: SubmitPorts): Promise<JobEnd> {
  try {
    const passage = await stoppedUnproven(received, ports.gates);
    if (!passage) return waits('again', message, ports);
    if (passage.verdict.kind !== 'wait') return await stopOrder(passage, message, ports);
  } catch {
    // Whose it is can't be judged now.
  }
  return { ...waits('again', message, ports), isUnproven: true };
}

async function claimAndSend(
  { job, credentials, turn, countedOn }: Extract<Passage, { kind: 'passed' }>,
  connects: (access: MerchantAccess) => ConnectionAhead | undefined,
  message: JobDelivery,
  deadlineMs: number,
  ports: SubmitPorts,
): Promise<JobEnd> {
  const before = { nowMs: ports.clock.nowMs(), uptimeMs: ports.clock.uptimeMs() };
  const ahead = connects(credentials);
  const claim = await claimOrder(
    job,
    {
      source: sourceOf(job, message.body),
      sentMs: firstSentMs(message),
      credentials,
      rests: ports.limits,
      countedOn,
    },
    ports,
  );
  if (claim.kind !== 'claimed') return withoutSeal(withoutClaim(claim, job, message, credentials, ports), job);
  const { order, attempt } = claim;
  const claimed = { order, attempt, credentials, turn, ahead };
  const sent = await sendOrder(job, claimed, notAfter(before, attempt, deadlineMs, ports), ports);
  return withoutSeal(await settle(order, sent, credentials, message, deadlineMs, ports), job);
}

/** The stop of a message that has waited too long, although no gate stops it. */
const stoppedByAge = (job: Job): Extract<Passage, { kind: 'stopped' }> => ({
  kind: 'stopped',
  by: 'expiry',
  verdict: { kind: 'wait', because: 'busy' },
  job,
});

/** Writes the answer; the end of the delivery follows from the order as it is then. */
async function settle(
  order: Order,
  sent: Sent,
  { profile }: MerchantAccess,
  message: JobDelivery,
  deadlineMs: number,
  ports: SubmitPorts,
): Promise<JobEnd> {
  const { clock, limits } = ports;
  const { key, content } = order;
  const { attempt, verdict } = sent;
  const answer = { key, attempt, content, verdict };
  // Half of the reserve is kept for what follows: publishing, or handing the answer on.
  const giveUpAtMs = Math.min(deadlineMs, clock.nowMs() + limits.settleReserveMs) - limits.settleReserveMs / 2;
  const contract = contractOf(profile);
  const written = await writeAnswer(answer, order, { contract, giveUpAtMs }, ports);
  if (written.kind !== 'written') return { ...waits('answer', message, ports), answer };
  return afterAnswer(written.order, sent, contract, message, ports);
}

function afterAnswer(order: Order, sent: Sent, contract: Contract, message: JobDelivery, ports: SubmitPorts): JobEnd {
  const status = fold(order.facts);
  switch (status.kind) {
    case 'ready':
    // The refusal needs an inquiry, or another worker has claimed the order since.
    case 'new':
    case 'verifying':
    case 'sending':
      return waitsUnsent(order, sent, message, ports, contract);
    case 'accepted':
    case 'approved':
    case 'in-doubt':
    case 'held':
    case 'over':
      return resultOrKept(order, message, ports);
    default:
      return status satisfies never;
  }
}

function timeForOneSend(deadlineMs: number, { clock, limits }: SubmitPorts): boolean {
  return clock.nowMs() + limits.gatewayTotalTimeoutMs + limits.settleReserveMs < deadlineMs;
}

/** The latest start of a POST: a later one could outlast the lease or the invocation, and its answer would be lost. */
export function notAfter(
  before: { readonly nowMs: number; readonly uptimeMs: number },
  { leaseUntilMs }: Pick<Attempt, 'leaseUntilMs'>,
  deadlineMs: number,
  { limits }: { readonly limits: Pick<Limits, 'gatewayTotalTimeoutMs' | 'settleReserveMs'> },
): NotAfter {
  const notAfterMs = Math.min(leaseUntilMs, deadlineMs) - limits.gatewayTotalTimeoutMs - limits.settleReserveMs;
  return { notAfterMs, notAfterUptimeMs: before.uptimeMs + notAfterMs - before.nowMs };
}

function withoutClaim(
  claim: Exclude<Claim, { kind: 'claimed' }>,
  job: Job,
  message: JobDelivery,
  credentials: MerchantAccess,
  ports: SubmitPorts,
): JobEnd {
  switch (claim.kind) {
    case 'unchanged':
      return publishAgain(claim.order, job, message, credentials, ports);
    case 'busy':
      return waitsForOther(claim.untilMs, message, ports);
    case 'rests':
      return waits('rests', message, ports, { notBeforeMs: claim.untilMs });
    case 'reused':
      return reused(job, message, ports);
    case 'end-unknown':
      return refuse(endUnknown, identityOf(job), message, ports);
    case 'unreadable':
      return unreadableEntry(claim.reason, message, ports);
    case 'unavailable':
      return { ...waits('ledger', message, ports), failure: claimUnanswered };
    default:
      return claim satisfies never;
  }
}

const endUnknown = {
  code: 'END_UNKNOWN',
  message: '`resends` names no end that this order has now; nothing was sent',
} as const;
const claimUnanswered = { code: 'NOT_SENT', message: 'the ledger did not answer the claim' } as const;

/** After a claim, the seal of a CVV can't be opened any more: the dead letter is kept without it. */
function withoutSeal(end: JobEnd, { sealedCode }: Job): JobEnd {
  return end.kind === 'dead' && sealedCode ? { ...end, sealSpent: true } : end;
}
