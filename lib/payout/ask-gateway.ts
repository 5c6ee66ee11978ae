// One look at an order at the gateway: signed request, POST, finding. Moves no money, so it may be repeated at will.
import type { Finding } from '../gateway/finding.ts';
import { judgeInquiry, statusParameters, statusRequest } from '../gateway/inquiry.ts';
import type { Evidence, Gateway, MerchantCredentials, Credentials } from '../gateway/ports.ts';
import type { Profile } from '../gateway/profile.ts';
import { matchAccount, sendingTime, signedRequest } from '../gateway/signed-request.ts';
import type { Check } from './due-work.ts';
import type { LedgerEntry } from './ledger.ts';
import { shortestWaitMs } from './lane.ts';
import { type Limits, sqsMaxDelaySeconds } from './limits.ts';
import { earlierAttemptMayLive } from './order-history.ts';
import type { Pacing, SlotSign } from './pacing.ts';
import type { Clock, Ledger, Random } from './ports.ts';
import type { Result } from './result.ts';
import type { Slot } from './lane-line.ts';

/** What asking needs. */
export interface AskPorts {
  readonly credentials: Credentials;
  readonly gateway: Gateway;
  readonly clock: Clock;
  readonly random: Random;
}

/** Asks the account that the order was sent to how it stands, within the slot of its lane where there is one; once more with fresh credentials where the gateway refuses the signature. */
export async function askGateway(
  entry: LedgerEntry,
  credentials: MerchantCredentials,
  notAfterMs: number,
  ports: AskPorts & Partial<Pick<InquirePorts, 'pacing'>>,
  slot?: Slot,
): Promise<Finding> {
  const match = matchAccount(entry, credentials);
  if (match.kind === 'unknown') return sentElsewhere;
  const onSign = (sign: SlotSign) => slot && ports.pacing?.report(entry, slot, sign);
  const beforeMs = Math.min(notAfterMs, slot?.untilMs ?? Infinity);
  const first = await look(entry, match.credentials, beforeMs, ports, onSign);
  if (first.kind !== 'credentials-refused') return first;
  const fresh = await ports.credentials.refresh(entry.merchant, credentials);
  const again = fresh.kind === 'credentials' ? matchAccount(entry, fresh.credentials) : fresh;
  return 'credentials' in again ? look(entry, again.credentials, beforeMs, ports, onSign) : first;
}

/** Hears what a look says of the gateway. */
type OnSign = (sign: SlotSign) => void;

/**
 * Leave of its lane to ask about this order; or when to come again. A lane may have a slot in a second, and give it to
 * somebody else then: who has waited for long waits as long again, so that its check goes round a dozen times an hour.
 */
export async function slotFor(
  entry: LedgerEntry,
  profile: Profile,
  { pacing, clock, limits }: InquirePorts,
): Promise<Slot | { readonly inSeconds: number }> {
  const grant = await pacing.ask(entry, { class: 'inquiry', order: entry.key }, profile);
  if (grant.kind === 'slot') return grant;
  const nowMs = clock.nowMs();
  const untilMs = ('untilMs' in grant ? grant.untilMs : undefined) ?? nowMs + limits.leaveRetrySeconds * 1000;
  const waitMs = Math.max(untilMs - nowMs, nowMs - lookedAtMs(entry), shortestWaitMs);
  return { inSeconds: Math.min(Math.ceil(waitMs / 1000), sqsMaxDelaySeconds) };
}

/** When something was last learned of the order, or asked. */
const lookedAtMs = ({ updatedAtMs, inquiries }: LedgerEntry) => Math.max(updatedAtMs, inquiries?.askedAtMs ?? 0);

/** Of an account only what ends an order says something; that a question is answered does not say that orders are taken. */
function signOfLook(evidence: Evidence, finding: Finding, { key, operation }: LedgerEntry, profile: Profile): SlotSign {
  const of = { order: key, isInquiry: true } as const;
  if (evidence.kind === 'not-sent') return { says: 'not-connected', ...of };
  if (evidence.kind === 'no-answer') return { says: 'no-answer', ...of };
  const { httpStatus, retryAfterSeconds } = evidence;
  if (httpStatus === 429)
    return { says: 'slow-down', ...(retryAfterSeconds !== undefined && { retryAfterSeconds }), ...of };
  if (httpStatus >= 500) return { says: 'server-error', ...(httpStatus === 503 && { isBusy: true }), ...of };
  if (finding.kind === 'credentials-refused') return { says: 'credentials', ...of };
  const code = finding.kind === 'declined' ? finding.failure.gatewayCode : undefined;
  const isOfAccount = code !== undefined && (profile.accountCodes[operation]?.includes(code) ?? false);
  return isOfAccount ? { says: 'account', code, ...of } : { says: 'answered', ...of };
}

/** No other account's word says anything about it, its "no such order" least of all. */
const sentElsewhere: Finding = { kind: 'unclear', reason: 'it was sent to an account that the secret no longer names' };

async function look(
  entry: LedgerEntry,
  credentials: MerchantCredentials,
  notAfterMs: number,
  ports: AskPorts,
  onSign: OnSign,
): Promise<Finding> {
  const { login, profile } = credentials;
  const signed = await signedRequest(
    {
      operation: statusRequest,
      endpointId: entry.endpointId,
      signatureMethod: profile.signatureMethod.status ?? statusRequest.signatureMethod,
      parameters: statusParameters(entry, login, profile),
    },
    credentials,
    sendingTime(ports),
  );
  if (signed.kind === 'unsignable') return { kind: 'unclear', reason: signed.failure.message };
  const order = { ...entry, earlierAttemptMayLive: earlierAttemptMayLive(entry) };
  const evidence = await ports.gateway.post({ ...signed.request, notAfterMs });
  const finding = judgeInquiry(evidence, order, profile);
  // What came too late to be sent says nothing of the gateway.
  if (evidence.kind !== 'not-sent' || ports.clock.nowMs() <= notAfterMs)
    onSign(signOfLook(evidence, finding, entry, profile));
  return isOfEarlier(finding, entry) ? earlierOnly : finding;
}

/**
 * Asked by our order id alone, the gateway may speak of an attempt before. That one of them was paid is the order's end;
 * that one ended unpaid, or has not ended, says nothing of the present one.
 */
function isOfEarlier(finding: Finding, { earlierAttempts = [], gatewayOrderId: present }: LedgerEntry): boolean {
  if (finding.kind === 'approved' || !('gatewayOrderId' in finding) || finding.gatewayOrderId === present) return false;
  return earlierAttempts.some(({ gatewayOrderId }) => gatewayOrderId === finding.gatewayOrderId);
}

const earlierOnly: Finding = { kind: 'unclear', reason: 'the answer is about an attempt before' };

// What making a check needs, and what is to become of it.

/** What inquiring needs. */
export interface InquirePorts extends AskPorts {
  readonly ledger: Ledger;
  readonly limits: Limits;
  readonly pacing: Pacing;
}

/** What is to become of a check. */
export interface CheckEnd {
  /** Told now; its mark in the ledger is taken away afterwards, or stays. */
  readonly result?: Result;
  /** The order as it stands. */
  readonly entry?: LedgerEntry;
  /** Sent before this check is acknowledged; should it get lost, the sweeper finds the order when it is due. */
  readonly next?: { readonly check: Check; readonly delaySeconds: number };
  /** Nothing was begun: the same message comes back. */
  readonly comesBack?: true;
  /** What the gateway said, where it was asked. */
  readonly finding?: Finding['kind'];
  /** A callback that was no plain news: dropped, or kept on the order; `contradicts` an end or the order's identity. */
  readonly surprise?: 'forged' | 'unknown-order' | 'recorded' | 'contradicts';
  /** Kept on the order once all the rest is done: from then on the callback's repeats are free. */
  readonly word?: string;
  /** The gateway ended the order, and that does not fit where it stands: for a person. */
  readonly contradicted?: true;
}

/** A check under way. */
export interface Asked {
  readonly check: Check;
  readonly ports: InquirePorts;
}
