// One look at an order at the gateway: signed request, POST, finding. Moves no money, so it may be repeated at will.
import type { Finding } from '../gateway/finding.ts';
import { judgeInquiry, statusParameters, statusRequest } from '../gateway/inquiry.ts';
import type { Gateway, MerchantCredentials } from '../gateway/ports.ts';
import { matchAccount, sendingTime, signedRequest } from '../gateway/signed-request.ts';
import type { EndTimes } from './accepted-rhythm.ts';
import type { Check } from './due-work.ts';
import type { LedgerEntry } from './ledger.ts';
import type { Limits } from './limits.ts';
import { earlierAttemptMayLive } from './order-history.ts';
import type { Clock, Credentials, Ledger, Random } from './ports.ts';
import type { Result } from './result.ts';

/** What asking needs. */
export interface AskPorts {
  readonly credentials: Credentials;
  readonly gateway: Gateway;
  readonly clock: Clock;
  readonly random: Random;
}

/** Asks the account that the order was sent to how it stands; once more with fresh credentials where the gateway refuses the signature. */
export async function askGateway(
  entry: LedgerEntry,
  credentials: MerchantCredentials,
  notAfterMs: number,
  ports: AskPorts,
): Promise<Finding> {
  const match = matchAccount(entry, credentials);
  if (match.kind === 'unknown') return sentElsewhere;
  const first = await look(entry, match.credentials, notAfterMs, ports);
  if (first.kind !== 'credentials-refused') return first;
  const fresh = await ports.credentials.refresh(entry.merchant, credentials);
  const again = fresh.kind === 'credentials' ? matchAccount(entry, fresh.credentials) : fresh;
  return 'credentials' in again ? look(entry, again.credentials, notAfterMs, ports) : first;
}

/** No other account's word says anything about it, its "no such order" least of all. */
const sentElsewhere: Finding = { kind: 'unclear', reason: 'it was sent to an account that the secret no longer names' };

async function look(
  entry: LedgerEntry,
  credentials: MerchantCredentials,
  notAfterMs: number,
  ports: AskPorts,
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
  const finding = judgeInquiry(await ports.gateway.post({ ...signed.request, notAfterMs }), order, profile);
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
  readonly endTimes: EndTimes;
  readonly limits: Limits;
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
