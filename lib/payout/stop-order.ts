// A gate has stopped a job: the ledger is asked, consistently, and then the verdict acts. Without an order it is a word
// about the message; over an order that was never sent it is the order's end; all else is told as it stands.
import { newEntry } from './claim.ts';
import {
  again,
  type Disposition,
  type DispositionPorts,
  hasWaitedTooLong,
  type JobDelivery,
  refuse,
  resultOnly,
  reused,
  unreadableEntry,
  waitSteadily,
  waitedTooLong,
  waitUntil,
  waitWithoutOrder,
} from './disposition.ts';
import { withMark } from './due-work.ts';
import type { Failure } from './failures.ts';
import { fingerprints } from './fingerprint.ts';
import type { Passage, StopVerdict } from './gates.ts';
import { unknownMerchantWaitSeconds } from './limits.ts';
import type { Job } from './job.ts';
import { type LedgerEntry, orderKey } from './ledger.ts';
import type { Fingerprinting, Ledger } from './ports.ts';
import { identityOf } from './result.ts';
import { isLastReceive } from './retry-policy.ts';
import { abandoned } from './settlement.ts';
import { stands } from './claim-order.ts';
import { decideStopped } from './stopped-order.ts';
import type { Credentials } from '../gateway/ports.ts';

/** What stopping needs. */
export interface StopPorts extends DispositionPorts {
  readonly ledger: Pick<Ledger, 'read' | 'claim' | 'advance'>;
  readonly fingerprinting: Fingerprinting;
  readonly credentials: Credentials;
}

/** Races end in two or three rounds; whoever loses more often than this comes back later. */
const roundsAtMost = 5;

/** What becomes of the message that a gate has stopped, and of its order. */
export async function stopOrder(
  { verdict, job, by }: Extract<Passage, { kind: 'stopped' }>,
  message: JobDelivery,
  ports: StopPorts,
): Promise<Disposition> {
  const it = { verdict: inTheEnd(verdict, message, ports), job, message, isCopied: by !== 'card-data' };
  for (let round = 0; round < roundsAtMost; round += 1) {
    try {
      const disposition = await tryStop(it, ports);
      if (disposition) return disposition;
    } catch {
      // What was written although its answer was lost is found by the next round.
      await ports.clock.sleep(50 * 2 ** round);
    }
  }
  return later(it, ports);
}

interface Stopping {
  readonly verdict: StopVerdict;
  readonly job: Job;
  readonly message: JobDelivery;
  /** False while the message may hold card data in the clear, of which no copy may go round. */
  readonly isCopied: boolean;
}

/** What may not be copied waits where it is, and is refused at the last receive: nobody would deliver it again. */
function inTheEnd(verdict: StopVerdict, { receiveCount }: JobDelivery, { limits }: StopPorts): StopVerdict {
  if (verdict.kind !== 'wait' || !verdict.uncopied || typeof verdict.because === 'string') return verdict;
  return isLastReceive(receiveCount, limits) ? { kind: 'refuse', failure: verdict.because } : verdict;
}

/**
 * A merchant that nobody knows is mostly a slip of the sender's, who is told of it after a day; a secret that came late, or
 * was taken away by mistake, is there again by then. An order that waits to be sent again had one once: it waits on.
 */
function isNobodys({ verdict, message }: Stopping, entry: LedgerEntry | undefined, { clock }: StopPorts): boolean {
  if (verdict.kind !== 'wait' || typeof verdict.because === 'string') return false;
  if (verdict.because.code !== 'MERCHANT_UNKNOWN' || entry?.state === 'retryable') return false;
  return clock.nowMs() - (message.sentAtMs ?? clock.nowMs()) >= unknownMerchantWaitSeconds * 1000;
}

/** One round; undefined where somebody else was faster, and the ledger must be asked again. */
async function tryStop(it: Stopping, ports: StopPorts): Promise<Disposition | undefined> {
  const { verdict, job, message } = it;
  const keys = await ports.fingerprinting.keys();
  const found = await ports.ledger.read(orderKey(job));
  if (found?.kind === 'unreadable') return unreadable(found.reason, it, ports);
  const nowMs = ports.clock.nowMs();
  const claimant = {
    owner: ports.random.id(),
    messageId: message.originMessageId,
    ...(message.sentAtMs !== undefined && { sentAtMs: message.sentAtMs }),
    nowMs,
    leaseMs: ports.limits.leaseMs,
  };
  const request = { job, fingerprints: fingerprints(job, keys), ...claimant };
  if (!found) {
    if (verdict.kind !== 'cancel') return withoutOrder(it, undefined, ports);
    const entry = newEntry({ ...request, callOff: true });
    return (await ports.ledger.claim(entry)).kind === 'claimed' ? resultOnly(entry) : undefined;
  }
  const { entry } = found;
  const stopped = decideStopped(entry, request, verdict);
  switch (stopped.kind) {
    case 'message':
      return withoutOrder(it, entry, ports);
    case 'stands': {
      const answer = await ports.credentials.of(job.merchant);
      const credentials = answer.kind === 'credentials' ? answer.credentials : undefined;
      return stands(stopped.entry, job, message, credentials, ports);
    }
    case 'reused':
      return reused(message, identityOf(job), ports);
    case 'busy':
      return it.isCopied ? waitUntil(stopped.untilMs, message, ports) : later(it, ports);
    case 'unreadable':
      return unreadable('its fingerprint was made under a key that this worker does not have', it, ports);
    case 'end': {
      // With its mark, in one write: whoever writes it may die before it is told, and the next message be stopped otherwise.
      const next = withMark(stopped.next, true);
      return (await isWritten(entry, next, ports)) ? resultOnly(next) : undefined;
    }
    case 'abandoned': {
      await isWritten(entry, abandoned(entry, { nowMs, statusInquiry: await isInquired(job, ports) }), ports);
      return undefined;
    }
  }
}

async function isWritten(entry: LedgerEntry, next: LedgerEntry, { ledger }: StopPorts): Promise<boolean> {
  return (await ledger.advance(entry, next)).kind === 'advanced';
}

/** Without the profile at hand nobody can be asked now; a later inquiry finds out whether one is offered. */
async function isInquired({ merchant }: Job, { credentials }: StopPorts): Promise<boolean> {
  const answer = await credentials.of(merchant);
  return answer.kind === 'unavailable' || answer.credentials.profile.statusInquiry;
}

/** The verdict as a word about the message: it became no order, or its order is none of the verdict's business. */
function withoutOrder(it: Stopping, entry: LedgerEntry | undefined, ports: StopPorts): Disposition {
  const { verdict, job, message } = it;
  switch (verdict.kind) {
    case 'refuse':
      return refuse(verdict.failure, identityOf(job), message, ports);
    case 'cancel':
      return later(it, ports);
    case 'wait': {
      const { because, untilMs, uncopied, turn } = verdict;
      if (typeof because !== 'string' && isNobodys(it, entry, ports))
        return refuse(because, identityOf(job), message, ports);
      if (hasWaitedTooLong(message, ports)) return refuse(waitedTooLong(), identityOf(job), message, ports);
      if (typeof because === 'string')
        return { ...waitSteadily(untilMs, message, ports), because, ...(turn !== undefined && { turn }) };
      return uncopied ? again(message, because, ports) : waitWithoutOrder(because, untilMs, message, ports);
    }
  }
}

function unreadable(reason: string, it: Stopping, ports: StopPorts): Disposition {
  return it.isCopied ? again(it.message, unreadableEntry(reason), ports) : later(it, ports);
}

/**
 * What the order is nobody can say now. Card data in the clear is never left to SQS's own way to the dead-letter queue:
 * the last receive lays it there without it, and tells nothing, as the order may have been sent.
 */
function later({ verdict, message, isCopied }: Stopping, ports: StopPorts): Disposition {
  if (isCopied) return waitSteadily(undefined, message, ports);
  const reason: Failure = failureOf(verdict);
  return isLastReceive(message.receiveCount, ports.limits)
    ? { kind: 'dead-letter', reason }
    : again(message, reason, ports);
}

function failureOf(verdict: StopVerdict): Failure {
  if (verdict.kind === 'refuse') return verdict.failure;
  if (verdict.kind === 'wait' && typeof verdict.because !== 'string') return verdict.because;
  return unreadableEntry('the ledger did not answer');
}
