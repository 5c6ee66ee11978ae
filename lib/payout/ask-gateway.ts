// One look at an order at the gateway: signed request, POST, finding. Moves no money, so it may be repeated at will.
import { mayHaveBeenSent } from './order-history.ts';
import { sendingTime } from './sending-time.ts';
import type { AskedOrder, Finding } from '../gateway/finding.ts';
import { judgeInquiry, statusParameters, statusRequest } from '../gateway/inquiry.ts';
import type { LedgerEntry } from './ledger.ts';
import type { Gateway, MerchantCredentials } from '../gateway/ports.ts';
import type { Clock, Credentials, Random } from './ports.ts';
import { signedRequest } from '../gateway/signed-request.ts';

/** What asking needs. */
export interface AskPorts {
  readonly credentials: Credentials;
  readonly gateway: Gateway;
  readonly clock: Clock;
  readonly random: Random;
}

/** Asks how the order stands; once more with fresh credentials where the gateway refuses the signature. */
export async function askGateway(
  entry: LedgerEntry,
  credentials: MerchantCredentials,
  notAfterMs: number,
  ports: AskPorts,
): Promise<Finding> {
  const first = await look(entry, credentials, notAfterMs, ports);
  if (first.kind !== 'credentials-refused') return first;
  const fresh = await ports.credentials.refresh(entry.merchant, credentials);
  return fresh.kind === 'credentials' ? look(entry, fresh.credentials, notAfterMs, ports) : first;
}

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
  return judgeInquiry(await ports.gateway.post({ ...signed.request, notAfterMs }), askedOrder(entry), profile);
}

/** What a gateway says of this attempt may be about an earlier one, where that may have been processed. */
function askedOrder(entry: LedgerEntry): AskedOrder {
  const earlier = entry.history.filter(({ attempts }) => attempts < entry.attempts);
  return { ...entry, earlierAttemptMayLive: mayHaveBeenSent({ history: earlier }) };
}
