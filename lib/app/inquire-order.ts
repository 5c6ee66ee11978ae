// The journey of a check: message → order as it stands → the gateway's word → the ledger's next entry → result → next
// check. Outcome and "result still to publish" are one write; the next check is sent before this one is acknowledged.
import { type Finding } from '../domain/inquiry.ts';
import { nextLookSeconds, noLooks } from '../domain/inquiry-policy.ts';
import { afterLook, isAskedAbout } from '../domain/inquiry-step.ts';
import { type LedgerEntry, moved } from '../domain/ledger.ts';
import { withMark } from '../domain/open-work.ts';
import type { Limits } from '../domain/limits.ts';
import { type Result, resultOf } from '../domain/result.ts';
import { abandoned } from '../domain/settlement.ts';
import { askGateway, type AskPorts } from './ask-gateway.ts';
import type { Check } from './inquiry-ports.ts';
import type { Ledger, Log, MerchantCredentials } from './ports.ts';

/** What inquiring needs. */
export interface InquirePorts extends AskPorts {
  readonly ledger: Ledger;
  readonly log: Log;
  readonly limits: Limits;
}

/** What is to become of the check. */
export interface CheckEnd {
  /** Told before the check may leave the queue; its mark in the ledger is taken away afterwards. */
  readonly result?: Result;
  /** The order as it stands. */
  readonly entry?: LedgerEntry;
  /** Sent before this check is acknowledged. */
  readonly next?: { readonly check: Check; readonly delaySeconds: number };
}

/** Takes one check all the way. Rejects when the ledger does not answer; the check then comes again. */
export async function inquireOrder(check: Check, deadlineMs: number, ports: InquirePorts): Promise<CheckEnd> {
  const found = await ports.ledger.read(check.orderKey);
  if (found?.kind !== 'found') return {};
  const { entry } = found;
  if (entry.unpublished) return toldAgain(entry, check, ports);
  if (entry.state === 'submitting') return inquireSubmitting(entry, ports);
  if (!check.now && (!isAskedAbout(entry) || check.looks < (entry.looks?.count ?? 0))) return { entry };
  if (!timeForOneLook(deadlineMs, ports)) return { entry, next: { check, delaySeconds: 0 } };

  const answer = await ports.credentials.of(entry.merchant);
  if (answer.kind === 'unavailable') return { entry, next: { check, delaySeconds: credentialsRetrySeconds } };
  const { credentials } = answer;
  if (!credentials.profile.statusInquiry) return withoutInquiry(entry, ports);
  const finding = await askGateway(entry, credentials, deadlineMs - neededMs(ports.limits), ports);
  return write(entry, finding, credentials, ports);
}

const credentialsRetrySeconds = 60;
const neededMs = ({ gatewayTotalTimeoutMs, settleReserveMs }: Limits) => gatewayTotalTimeoutMs + settleReserveMs;

function timeForOneLook(deadlineMs: number, { clock, limits }: InquirePorts): boolean {
  return clock.nowMs() + neededMs(limits) < deadlineMs;
}

/** A result that somebody could not send is told before anything else happens to the order. */
function toldAgain(entry: LedgerEntry, check: Check, ports: InquirePorts): CheckEnd {
  const result = resultOf(entry);
  const goesOn = isAskedAbout(entry) ? { next: { check, delaySeconds: delayOf(entry, ports) } } : {};
  return { entry, ...(result && { result }), ...goesOn };
}

function delayOf(entry: LedgerEntry, { clock, limits }: InquirePorts): number {
  return nextLookSeconds(entry, entry.looks ?? noLooks, clock.nowMs(), limits);
}

/** The claim's owner may still be at it; once the lease is over the order is in doubt, and doubt is asked about. */
async function inquireSubmitting(entry: LedgerEntry, ports: InquirePorts): Promise<CheckEnd> {
  const nowMs = ports.clock.nowMs();
  const check = { orderKey: entry.key, looks: 0 };
  if (entry.leaseUntilMs > nowMs)
    return { entry, next: { check, delaySeconds: secondsUntil(entry.leaseUntilMs, nowMs) } };
  const answer = await ports.credentials.of(entry.merchant);
  if (answer.kind === 'unavailable') return { entry, next: { check, delaySeconds: credentialsRetrySeconds } };
  const { statusInquiry } = answer.credentials.profile;
  return advance(entry, abandoned(entry, { nowMs, statusInquiry }), ports);
}

const secondsUntil = (atMs: number, nowMs: number) => Math.ceil((atMs - nowMs) / 1000) + 1;

/** The contract offers no inquiry (any more): doubt waits for a person. */
async function withoutInquiry(entry: LedgerEntry, ports: InquirePorts): Promise<CheckEnd> {
  if (entry.state !== 'in-doubt') return { entry };
  const { failure } = entry;
  const move = { state: 'held' as const, final: false, reason: 'no-inquiry', nowMs: ports.clock.nowMs() };
  return advance(entry, moved(entry, { ...move, ...(failure && { failure }) }), ports);
}

async function write(
  entry: LedgerEntry,
  finding: Finding,
  { profile }: MerchantCredentials,
  ports: InquirePorts,
): Promise<CheckEnd> {
  const step = afterLook(entry, finding, { nowMs: ports.clock.nowMs(), profile, rhythm: ports.limits });
  const { merchant, orderId, state } = entry;
  ports.log.write('info', 'look', { merchant, orderId, state, finding: finding.kind, revision: step.next.revision });
  if (step.next !== entry) return advance(entry, step.next, ports, step.nextLookSeconds);
  return { entry, ...nextCheck(entry, step.nextLookSeconds) };
}

/** Writes a move with its mark, or a look. Whoever overtook us tells what came of it. */
async function advance(
  entry: LedgerEntry,
  next: LedgerEntry,
  ports: InquirePorts,
  seconds = isAskedAbout(next) ? delayOf(next, ports) : undefined,
): Promise<CheckEnd> {
  const isMove = next.revision !== entry.revision;
  const written = isMove ? withMark(next, resultOf(next) !== undefined) : next;
  const write = await ports.ledger.advance(entry, written);
  if (write.kind !== 'advanced') return {};
  const result = isMove ? resultOf(next) : undefined;
  return { entry: written, ...(result && { result }), ...nextCheck(written, seconds) };
}

/** Longer delays than SQS takes are the sweeper's. */
function nextCheck(entry: LedgerEntry, delaySeconds: number | undefined): Pick<CheckEnd, 'next'> {
  if (delaySeconds === undefined || delaySeconds > 900) return {};
  return { next: { check: { orderKey: entry.key, looks: entry.looks?.count ?? 0 }, delaySeconds } };
}
