// The journey of a check: message → order as it stands → its turn, taken by a write → the gateway's word → the ledger's
// next entry → result → next check. Outcome and "result still to publish" are one write: the chain or the sweeper tells it.
import type { Finding } from '../gateway/finding.ts';
import { nextInquirySeconds, nextTellingSeconds, secondsAfterLook } from './retry-policy.ts';
import { withHorizon } from './accepted-rhythm.ts';
import { afterInquiry, type InquiryStep } from './inquiry-step.ts';
import { mayLookAgain, nextCheck, nextLater, nextOutOfTurn, takeTurn, turnOf } from './inquiry-turn.ts';
import { heldFor, type Instead, waitsFor, withoutCredentials, withoutInquiry } from './inquiry-obstacles.ts';
import { type LedgerEntry, isAskedAbout } from './ledger.ts';
import { type Asked, askGateway, type CheckEnd, type InquirePorts, slotFor } from './ask-gateway.ts';
import type { Limits } from './limits.ts';
import { type Check, withMark, inquiriesOf } from './due-work.ts';
import { resultOf } from './result.ts';
import { abandoned } from './settlement.ts';
import { takeCallback } from './take-callback.ts';
import type { FoundEntry } from './ports.ts';
import type { MerchantCredentials } from '../gateway/ports.ts';

/** Takes one check all the way. Rejects when the ledger does not answer before anything was asked; it then comes again. */
export async function inquireOrder(check: Check, deadlineMs: number, ports: InquirePorts): Promise<CheckEnd> {
  const asked = { check, ports };
  const found = await ports.ledger.read(check.orderKey);
  if (check.callback) return inquireCalledBack(found, deadlineMs, asked);
  return found?.kind === 'found' ? inquireInTurn(found.entry, deadlineMs, asked) : {};
}

/** A callback that can't be weighed now comes again; one that is a reason to ask bears the number that stands. */
async function inquireCalledBack(
  found: FoundEntry | undefined,
  deadlineMs: number,
  { check, ports }: Asked,
): Promise<CheckEnd> {
  if (found?.kind === 'unreadable') return { comesBack: true };
  const taken = await takeCallback(found?.entry, { check, ports });
  if (!found || !('ask' in taken)) return taken;
  const { ask: now, ...surprise } = taken;
  const end = await inquireInTurn(found.entry, deadlineMs, { check: now, ports });
  return { entry: found.entry, ...end, ...surprise };
}

async function inquireInTurn(entry: LedgerEntry, deadlineMs: number, asked: Asked): Promise<CheckEnd> {
  const { check, ports } = asked;
  const turn = turnOf(entry, check, ports.clock.nowMs());
  switch (turn.kind) {
    case 'none':
      return { entry };
    case 'later':
      return { entry, ...nextLater(entry, check, turn.inSeconds) };
    case 'tell':
      return tell(entry, asked);
    case 'worker-lost':
      return callLost(entry, asked);
    case 'ask':
      return ask(entry, deadlineMs, asked);
  }
}

/** A result that somebody could not send is told before anything else happens to the order. */
async function tell(entry: LedgerEntry, { check, ports }: Asked): Promise<CheckEnd> {
  const before = inquiriesOf(entry);
  const inquiries = { ...before, count: before.count + 1 };
  const tellingSeconds = nextTellingSeconds(before);
  const inSeconds = isAskedAbout(entry) ? Math.min(delayOf(entry, ports), tellingSeconds) : tellingSeconds;
  const mine = await takeTurn(entry, inquiries, inSeconds, ports);
  if (!mine) return { entry };
  const result = resultOf(entry);
  const told = { entry: mine, ...(result && { result }) };
  if (isAskedAbout(entry)) return { ...told, ...nextCheck(mine, inSeconds) };
  // A reason to ask is not swallowed, and costs no round without a wait. Otherwise an untold result is the sweeper's.
  return check.now ? { ...told, ...nextOutOfTurn(mine, inSeconds) } : told;
}

function delayOf(entry: LedgerEntry, { clock, limits }: InquirePorts): number {
  return nextInquirySeconds(entry, inquiriesOf(entry), clock.nowMs(), limits);
}

/** The lease is over: the order is in doubt, and doubt is asked about. */
async function callLost(entry: LedgerEntry, asked: Asked): Promise<CheckEnd> {
  const { ports } = asked;
  const answer = await ports.credentials.of(entry.merchant);
  // Without the profile at hand nobody can be asked now; a later look finds out whether inquiry is offered.
  const statusInquiry = answer.kind === 'unavailable' || answer.credentials.profile.statusInquiry;
  return move(entry, abandoned(entry, { nowMs: ports.clock.nowMs(), statusInquiry }), asked);
}

async function ask(entry: LedgerEntry, deadlineMs: number, asked: Asked): Promise<CheckEnd> {
  const { ports } = asked;
  if (ports.clock.nowMs() + neededMs(ports.limits) >= deadlineMs) return { entry, comesBack: true };
  const answer = await ports.credentials.of(entry.merchant);
  if (answer.kind === 'unavailable')
    return instead(entry, await withoutCredentials(entry, answer.failure, asked), asked);
  const { profile } = answer.credentials;
  if (!profile.statusInquiry) return instead(entry, await withoutInquiry(entry, profile, asked), asked);
  return look(withHorizon(entry, profile, ports.clock.nowMs()), answer.credentials, deadlineMs, asked);
}

/** Nobody can be asked: the order is held, or its chain goes on. */
async function instead(entry: LedgerEntry, end: Instead, asked: Asked): Promise<CheckEnd> {
  if (!('held' in end)) return end;
  return move(entry, heldFor(end.held, entry, asked.ports.clock.nowMs()), asked);
}

const neededMs = ({ gatewayTotalTimeoutMs, settleReserveMs }: Limits) => gatewayTotalTimeoutMs + settleReserveMs;

async function look(
  entry: LedgerEntry,
  credentials: MerchantCredentials,
  deadlineMs: number,
  asked: Asked,
): Promise<CheckEnd> {
  const { ports } = asked;
  const { limits: rhythm } = ports;
  const { profile } = credentials;
  const slot = await slotFor(entry, profile, ports);
  if ('inSeconds' in slot) return waitsFor(slot.inSeconds, entry, asked);
  const inSeconds = secondsAfterLook(entry, { nowMs: ports.clock.nowMs(), profile, rhythm });
  // What the gateway says now is not known yet: the count of its silence begins anew, and is written again below.
  const inquiries = { count: inquiriesOf(entry).count + 1, negatives: 0, askedAtMs: ports.clock.nowMs() };
  const notAfterMs = deadlineMs - neededMs(ports.limits);
  const answer = await takeTurn(entry, inquiries, inSeconds, ports)
    .then(async (mine) => mine && { mine, finding: await askGateway(entry, credentials, notAfterMs, ports, slot) })
    .finally(() => ports.pacing.giveBack(entry, slot));
  if (!answer) return { entry };
  const { mine, finding } = answer;
  const step = afterInquiry(entry, finding, { nowMs: ports.clock.nowMs(), profile, rhythm });
  const again = finding.kind === 'unclear' || finding.kind === 'credentials-refused';
  const end = await take(mine, { ...step, again, inSeconds }, asked).catch(() => undefined);
  // The ledger did not take it: the chain goes on, and its next look learns it again.
  const after = end ?? goesOn(mine, inSeconds, true);
  return { ...after, finding: finding.kind, ...contradiction(entry, step, finding) };
}

function contradiction(entry: LedgerEntry, step: InquiryStep, { kind }: Finding): Pick<CheckEnd, 'contradicted'> {
  const isEnd = kind === 'approved' || kind === 'declined';
  return isEnd && kind !== entry.state && step.next === entry ? { contradicted: true } : {};
}

/** Takes what the look has shown. */
async function take(
  mine: LedgerEntry,
  step: InquiryStep & { readonly again: boolean; readonly inSeconds: number },
  asked: Asked,
): Promise<CheckEnd> {
  const { next, nextInquirySeconds: seconds = step.inSeconds } = step;
  if (next.revision !== mine.revision) return move(mine, next, asked);
  if (!next.inquiries || next.inquiries.negatives === 0) return goesOn(mine, seconds, step.again);
  // The gateway's "no such order" counts only once it is written.
  const write = await asked.ports.ledger.advance(mine, next);
  return write.kind === 'advanced' ? goesOn(next, seconds) : { entry: mine };
}

/** The chain goes on; an order that has ended has none, and is looked at again only where something was not learned. */
function goesOn(entry: LedgerEntry, inSeconds: number, again = false): CheckEnd {
  if (isAskedAbout(entry)) return { entry, ...nextCheck(entry, inSeconds) };
  return { entry, ...(again && mayLookAgain(entry) && nextOutOfTurn(entry, inSeconds)) };
}

/** Writes a move with its mark, in one write. */
async function move(entry: LedgerEntry, next: LedgerEntry, asked: Asked): Promise<CheckEnd> {
  const { ports } = asked;
  const result = resultOf(next);
  const written = withMark(next, result !== undefined);
  const write = await ports.ledger.advance(entry, written);
  if (write.kind === 'unreadable') return {};
  if (write.kind === 'found') return overtaken(write.entry, asked);
  return { entry: written, ...(result && { result }), ...chainOf(written, ports) };
}

const chainOf = (entry: LedgerEntry, ports: InquirePorts) =>
  isAskedAbout(entry) ? nextCheck(entry, delayOf(entry, ports)) : {};

// Somebody wrote first, or our own write's answer was lost. What stands untold is told; an open order has its own chain;
// what this one learned of an order that others have ended must not be lost: it is asked once more.
function overtaken(stands: LedgerEntry, { ports }: Asked): CheckEnd {
  const result = stands.unpublished && resultOf(stands);
  if (result) return { entry: stands, result, ...chainOf(stands, ports) };
  if (isAskedAbout(stands)) return { entry: stands };
  return { entry: stands, ...nextOutOfTurn(stands, 5) };
}
