// The journey of a check: message → order as it stands → the gateway's word → the ledger's next entry → result → next
// check. Outcome and "result still to publish" are one write; the next check is sent before this one is acknowledged.
import type { Finding } from '../gateway/inquiry.ts';
import { isPastHorizon, nextInquiryInTimeSeconds, nextInquirySeconds, noInquiries } from './inquiry-policy.ts';
import { afterInquiry, type InquiryStep, isAskedAbout } from './inquiry-step.ts';
import { type LedgerEntry, moved } from './ledger.ts';
import { type Limits, sqsMaxDelaySeconds } from './limits.ts';
import { looked, withMark } from './due-work.ts';
import { operations } from '../gateway/operations.ts';
import { defaultProfile } from '../gateway/profile.ts';
import { type Result, resultOf } from './result.ts';
import { abandoned } from './settlement.ts';
import { askGateway, type AskPorts } from './ask-gateway.ts';
import type { Check } from './inquiry-ports.ts';
import type { Ledger } from './ports.ts';

/** What inquiring needs. */
export interface InquirePorts extends AskPorts {
  readonly ledger: Ledger;
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
  /** What the gateway said, where it was asked. */
  readonly finding?: Finding['kind'];
  /** The gateway ended the order, and that does not fit where it stands: for a person. */
  readonly contradicted?: true;
}

/** A check under way. */
interface Asked {
  readonly check: Check;
  readonly ports: InquirePorts;
}

/** Takes one check all the way. Rejects when the ledger does not answer; the check then comes again. */
export async function inquireOrder(check: Check, deadlineMs: number, ports: InquirePorts): Promise<CheckEnd> {
  const asked = { check, ports };
  const found = await ports.ledger.read(check.orderKey);
  if (found?.kind !== 'found') return {};
  const { entry } = found;
  if (entry.unpublished) return toldAgain(entry, asked);
  if (entry.state === 'submitting') return inquireSubmitting(entry, asked);
  if (!isToBeAsked(entry, check)) return { entry };
  if (!timeForOneInquiry(deadlineMs, ports)) return { entry, next: { check, delaySeconds: noTimeRetrySeconds } };

  const answer = await ports.credentials.of(entry.merchant);
  if (answer.kind === 'unavailable') return askedLater(entry, withoutSecretSeconds(entry, ports), asked);
  const { credentials } = answer;
  if (!credentials.profile.statusInquiry) return withoutInquiry(entry, asked);
  const finding = await askGateway(entry, credentials, deadlineMs - neededMs(ports.limits), ports);
  const it = { nowMs: ports.clock.nowMs(), profile: credentials.profile, rhythm: ports.limits };
  return take(entry, { finding, step: afterInquiry(entry, finding, it) }, asked);
}

const credentialsRetrySeconds = 60;
/** A check that finds no time left makes room; without a wait it could go round for ever. */
const noTimeRetrySeconds = 5;
/** After somebody else's write came first. */
const overtakenRetrySeconds = 5;
/** The contract may offer inquiry again; until then an accepted order waits for its callback. */
const withoutInquiryRetrySeconds = 3_600;

const neededMs = ({ gatewayTotalTimeoutMs, settleReserveMs }: Limits) => gatewayTotalTimeoutMs + settleReserveMs;

function timeForOneInquiry(deadlineMs: number, { clock, limits }: InquirePorts): boolean {
  return clock.nowMs() + neededMs(limits) < deadlineMs;
}

/** `v4/status` knows money alone. A check that has been overtaken by another look is dropped. */
function isToBeAsked(entry: LedgerEntry, check: Check): boolean {
  if (!operations[entry.operation].movesMoney) return false;
  return check.now ?? (isAskedAbout(entry) && check.inquiries >= inquiriesOf(entry).count);
}

const inquiriesOf = (entry: LedgerEntry) => entry.inquiries ?? noInquiries;

/** A result that somebody could not send is told before anything else happens to the order. */
function toldAgain(entry: LedgerEntry, { check, ports }: Asked): CheckEnd {
  const result = resultOf(entry);
  const told = { entry, ...(result && { result }) };
  if (check.now) return { ...told, next: { check, delaySeconds: 0 } };
  return { ...told, ...(isAskedAbout(entry) && nextCheck(entry, delayOf(entry, ports))) };
}

function delayOf(entry: LedgerEntry, { clock, limits }: InquirePorts): number {
  return nextInquirySeconds(entry, inquiriesOf(entry), clock.nowMs(), limits);
}

/** The claim's owner may still be at it; once the lease is over the order is in doubt, and doubt is asked about. */
async function inquireSubmitting(entry: LedgerEntry, asked: Asked): Promise<CheckEnd> {
  const { check, ports } = asked;
  const nowMs = ports.clock.nowMs();
  const leaseSeconds = Math.ceil((entry.leaseUntilMs - nowMs) / 1000);
  if (leaseSeconds > 0) return { entry, next: { check, delaySeconds: Math.min(leaseSeconds + 1, sqsMaxDelaySeconds) } };
  const answer = await ports.credentials.of(entry.merchant);
  // Without the profile at hand nobody can be asked now; a later look finds out whether inquiry is offered.
  const statusInquiry = answer.kind === 'unavailable' || answer.credentials.profile.statusInquiry;
  return advance(entry, { next: abandoned(entry, { nowMs, statusInquiry }) }, asked);
}

/** The contract offers no inquiry (any more): doubt waits for a person. */
async function withoutInquiry(entry: LedgerEntry, asked: Asked): Promise<CheckEnd> {
  if (!isAskedAbout(entry)) return { entry };
  if (entry.state !== 'in-doubt') return askedLater(entry, withoutInquiryRetrySeconds, asked);
  return advance(entry, { next: heldFor('no-inquiry', entry, asked.ports.clock.nowMs()) }, asked);
}

/**
 * Nobody can be asked now. It counts as a look all the same: the sweeper stays away until the next, and of several checks
 * about one order one goes on. Doubt ends for a person even so; whose profile can't be read has the usual horizon.
 */
async function askedLater(entry: LedgerEntry, inSeconds: number, asked: Asked): Promise<CheckEnd> {
  const { check, ports } = asked;
  if (!isAskedAbout(entry)) return { entry, next: { check, delaySeconds: inSeconds } };
  const nowMs = ports.clock.nowMs();
  if (entry.state === 'in-doubt' && isPastHorizon(entry, defaultProfile, nowMs)) {
    return advance(entry, { next: heldFor('horizon', entry, nowMs) }, asked);
  }
  const { count, ...silence } = inquiriesOf(entry);
  const next = looked(entry, { ...silence, count: count + 1 }, { nowMs, inSeconds });
  return advance(entry, { next, nextInquirySeconds: inSeconds }, asked);
}

/** In the rhythm of any doubt, so that a secret that stays away does not cost a look a minute. */
function withoutSecretSeconds(entry: LedgerEntry, { clock, limits }: InquirePorts): number {
  const it = { nowMs: clock.nowMs(), profile: defaultProfile, rhythm: limits };
  return Math.max(credentialsRetrySeconds, nextInquiryInTimeSeconds(entry, inquiriesOf(entry), it));
}

function heldFor(reason: string, entry: LedgerEntry, nowMs: number): LedgerEntry {
  const { failure } = entry;
  return moved(entry, { state: 'held', final: false, reason, nowMs, ...(failure && { failure }) });
}

/** Takes what the look has shown. */
async function take(
  entry: LedgerEntry,
  { finding, step }: { readonly finding: Finding; readonly step: InquiryStep },
  asked: Asked,
): Promise<CheckEnd> {
  if (step.next !== entry) return { ...(await advance(entry, step, asked)), finding: finding.kind };
  const isEnd = finding.kind === 'approved' || finding.kind === 'declined';
  const contradicted = isEnd && finding.kind !== entry.state && { contradicted: true as const };
  // A look out of turn has its chain of checks beside it.
  return {
    entry,
    finding: finding.kind,
    ...contradicted,
    ...(!asked.check.now && nextCheck(entry, step.nextInquirySeconds)),
  };
}

/** Writes a move with its mark, or a look. */
async function advance(entry: LedgerEntry, step: InquiryStep, asked: Asked): Promise<CheckEnd> {
  const { ports } = asked;
  const { next } = step;
  const isMove = next.revision !== entry.revision;
  const written = isMove ? withMark(next, resultOf(next) !== undefined) : next;
  const write = await ports.ledger.advance(entry, written);
  if (write.kind === 'unreadable') return {};
  if (write.kind === 'found') return overtaken(write.entry, isMove, asked);
  const result = isMove ? resultOf(next) : undefined;
  const seconds = step.nextInquirySeconds ?? (isAskedAbout(next) ? delayOf(next, ports) : undefined);
  return { entry: written, ...(result && { result }), ...nextCheck(written, seconds) };
}

/**
 * Somebody wrote first, or it was our own write whose answer was lost. What stands untold is told; a look goes on in
 * the other's chain of checks; but what this one learned of the order must not be lost, so it is asked once more.
 */
function overtaken(stands: LedgerEntry, isMove: boolean, asked: Asked): CheckEnd {
  if (stands.unpublished) return toldAgain(stands, asked);
  if (!isMove) return { entry: stands };
  return { entry: stands, next: { check: { ...asked.check, now: true }, delaySeconds: overtakenRetrySeconds } };
}

/** Longer delays than SQS takes are the sweeper's. */
function nextCheck(entry: LedgerEntry, delaySeconds: number | undefined): Pick<CheckEnd, 'next'> {
  if (delaySeconds === undefined || delaySeconds > sqsMaxDelaySeconds) return {};
  return { next: { check: { orderKey: entry.key, inquiries: inquiriesOf(entry).count }, delaySeconds } };
}
