// One look at an order at the gateway: signed request, POST, finding. Moves no money, so it may be repeated at will.
import { earlierAttemptMayLive } from './attempts.ts';
import { sendingTime } from './sending-time.ts';
import type { Finding } from '../gateway/finding.ts';
import { judgeInquiry, statusParameters, statusRequest } from '../gateway/inquiry.ts';
import type { LedgerEntry } from './ledger.ts';
import type { Gateway, MerchantCredentials } from '../gateway/ports.ts';
import type { Clock, Credentials, Random } from './ports.ts';
import { matchAccount, signedRequest } from '../gateway/signed-request.ts';

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
