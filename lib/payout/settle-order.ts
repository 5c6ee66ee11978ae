// Settling: the outcome of an attempt into the ledger, by its owner, under condition. While the ledger does not answer
// it is tried again; an answer that can't be written is not given up but handed on (outcome.ts).
import { takesAnswerOf } from './claim.ts';
import { withMark } from './due-work.ts';
import { shownIdentity } from './card-fields.ts';
import {
  type Disposition,
  type DispositionPorts,
  hasWaitedTooLong,
  type JobDelivery,
  resultOnly,
  waitsUnsent,
  waitUntil,
  waitWith,
} from './disposition.ts';
import type { Job } from './job.ts';
import { rowDigest } from './plain-digest.ts';
import { type LedgerEntry, orderKey } from './ledger.ts';
import type { RowNote, RowNotes } from './order-changes.ts';
import { isLastReceive, retryDelaySeconds } from './retry-policy.ts';
import type { PostedAttempt, Outcome, PendingOutcome } from './outcome.ts';
import { resultOf } from './result.ts';
import { settled, type Waited, withLateIds } from './settlement.ts';
import type { Clock, Ledger, Log } from './ports.ts';

/** How settling ended. */
export type Settlement =
  /** The ledger holds this entry: our outcome, or what overtook it. */
  | { readonly kind: 'settled'; readonly entry: LedgerEntry }
  /** Written by newer code; left alone. */
  | { readonly kind: 'unreadable'; readonly reason: string }
  /** The ledger did not answer in time: the outcome is known to nobody but us. */
  | { readonly kind: 'unsettled'; readonly outcome: Outcome };

/** What settling needs. */
export interface SettlePorts {
  readonly ledger: Ledger;
  readonly clock: Clock;
  readonly log: Log;
}

/** Writes the outcome of `attempt` over `claimed`, until `giveUpAtMs`. */
export async function settleOrder(
  claimed: LedgerEntry,
  attempt: PostedAttempt & { readonly waited?: Waited },
  giveUpAtMs: number,
  ports: SettlePorts,
): Promise<Settlement> {
  let current = claimed;
  for (let delayMs = 50; ; delayMs *= 2) {
    const after = settled(current, attempt.outcome, { ...attempt, nowMs: ports.clock.nowMs() });
    if (after === current) return { kind: 'settled', entry: current };
    const next = current === claimed ? after : { ...after, unpublished: true as const };
    try {
      const write = await ports.ledger.advance(current, next);
      if (write.kind === 'advanced') return { kind: 'settled', entry: next };
      if (write.kind === 'unreadable') return write;
      if (isOwnWrite(write.entry, next)) return { kind: 'settled', entry: write.entry };
      if (!takesAnswerOf(write.entry, claimed.owner, next.state === 'accepted'))
        return overtaken(write.entry, next, attempt.outcome, ports);
      // Our claim was called lost while we were at it. The doubt was told, and the message may have gone with it: an end
      // is written with its mark in one write, and what is to be sent again needs a message that is surely there.
      if (next.state === 'retryable') return { kind: 'unsettled', outcome: attempt.outcome };
      current = write.entry;
    } catch {
      if (ports.clock.nowMs() + delayMs >= giveUpAtMs) return { kind: 'unsettled', outcome: attempt.outcome };
      await ports.clock.sleep(delayMs);
    }
  }
}

/**
 * A write whose answer was lost is found by the next try as what stands there. By its failure too: whoever calls our claim
 * lost may hold the order as well, but as doubt.
 */
function isOwnWrite(stands: LedgerEntry, next: LedgerEntry): boolean {
  const isSame = stands.owner === next.owner && stands.revision === next.revision && stands.state === next.state;
  return isSame && stands.failure?.code === next.failure?.code;
}

/**
 * Somebody ended the order while our answer was on its way: the ledger stands, and the difference is for a person. Ids are
 * kept all the same; while another claim is at the order the answer rides on with them.
 */
async function overtaken(
  stands: LedgerEntry,
  ours: LedgerEntry,
  outcome: Outcome,
  { ledger, clock, log }: SettlePorts,
): Promise<Settlement> {
  const { merchant, orderId, state, owner, account, gatewayOrderId, gatewayAlias } = ours;
  const named = { ...(gatewayOrderId !== undefined && { gatewayOrderId }) };
  log.write('error', 'answer-overtaken', { merchant, orderId, state, ...named });
  if (outcome.kind !== 'accepted' && outcome.kind !== 'in-doubt') return { kind: 'settled', entry: stands };
  const alias = gatewayAlias !== undefined && { gatewayAlias };
  const ids = { ...(account !== undefined && { account }), ...named, ...alias };
  const next = withLateIds(stands, { ids, isPresent: stands.owner === owner }, clock.nowMs());
  if (next === stands) return { kind: 'settled', entry: stands };
  if (stands.state === 'submitting') return { kind: 'unsettled', outcome };
  const noted = withMark(next, resultOf(next) !== undefined);
  const write = await ledger.advance(stands, noted).catch(() => undefined);
  return write?.kind === 'advanced' ? { kind: 'settled', entry: noted } : { kind: 'unsettled', outcome };
}

/** What settling and telling needs. */
export interface SettleAndTellPorts extends SettlePorts, DispositionPorts {
  readonly clock: Clock;
}

/** Writes the answer, and tells what stands then; what can't be written travels on with its message. */
export async function settleAndTell(
  entry: LedgerEntry,
  answer: PostedAttempt & { readonly owner: string },
  message: JobDelivery,
  deadlineMs: number,
  ports: SettleAndTellPorts,
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

function ended(
  entry: LedgerEntry,
  attempt: PostedAttempt,
  message: JobDelivery,
  ports: SettleAndTellPorts,
): Disposition {
  if (entry.state === 'retryable') return waitsUnsent(entry, attempt, message, ports);
  // Another claim has taken over what we gave back; this message stays until that claim has come to its end.
  return entry.state === 'submitting' ? waitUntil(entry.leaseUntilMs, message, ports) : resultOnly(entry);
}

/** The answer, with the POSTs that the ledger knows of. */
export const withPosts = (answer: PendingOutcome, { attempts }: LedgerEntry): PendingOutcome => ({
  ...answer,
  attempts: Math.max(attempts, answer.attempts),
});

// The end of a job that belongs to a batch must be found in the ledger, or its batch could never close. Most are told by
// their order; what is not (refused messages, orders of another batch) is noted before the message may leave the queue.

/** What noting needs. */
export interface RecordRowEndPorts extends DispositionPorts {
  readonly rowNotes: RowNotes;
}

/** The disposition, once the end of the row that the message proves to be is on record. While that can't be written, the message comes again. */
export async function recordRowEnd(
  disposition: Disposition,
  job: Job | undefined,
  message: JobDelivery,
  ports: RecordRowEndPorts,
): Promise<Disposition> {
  const note = job && noteOf(disposition, job);
  const { operation, merchant, orderId, batchId } = note ? shownIdentity(job) : {};
  // What names no batch or no order is no row of a file; nor is what is no job, as a file is registered with jobs alone.
  if (!note || !operation || merchant === undefined || orderId === undefined || batchId === undefined)
    return disposition;
  try {
    const row = { batchId, orderKey: orderKey({ operation, merchant, orderId }), digest: rowDigest(job) };
    await ports.rowNotes.note(row, note);
    return disposition;
  } catch {
    return unnoted(disposition, message, ports);
  }
}

/** Undefined where the job has not ended, or its order tells how. */
function noteOf({ kind, entry, result }: Disposition, { batchId }: Job): RowNote | undefined {
  if (kind === 'retry' || kind === 'wait') return undefined;
  if (entry) return entry.batchId === batchId ? undefined : { kind: 'elsewhere' };
  return result?.failure && { kind: 'refused', failure: result.failure };
}

/**
 * A refused message goes back by itself: it may hold card data, of which no copy is to go round. After its last receive
 * it ends without a note; its batch stays open until the dead letter is redriven or thrown away. Everything else waits.
 */
function unnoted(disposition: Disposition, message: JobDelivery, { random, limits }: RecordRowEndPorts): Disposition {
  const { result, entry } = disposition;
  if (disposition.kind === 'dead-letter' && !entry) {
    if (isLastReceive(message.receiveCount, limits)) return disposition;
    const it = { receiveCount: message.receiveCount, chance: random.chance() };
    return { kind: 'retry', delaySeconds: retryDelaySeconds(it, limits), failure: disposition.reason };
  }
  const delaySeconds = retryDelaySeconds({ receiveCount: message.waits + 1, chance: random.chance() }, limits);
  return { kind: 'wait', delaySeconds, ...(result && { result }), ...(entry && { entry }) };
}
