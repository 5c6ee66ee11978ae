// A callback from the gateway: authentic or not, then a look now, or the outcome itself where nobody can be asked.
// Answered quickly; what could not be done now is answered so that the gateway calls again.
import { findingOf, isAuthentic, readCallback } from '../domain/callback.ts';
import { afterLook } from '../domain/inquiry-step.ts';
import { withMark } from '../domain/open-work.ts';
import type { Limits } from '../domain/limits.ts';
import { resultOf } from '../domain/result.ts';
import type { ChecksQueue, IncomingCallback } from './inquiry-ports.ts';
import type { Clock, Credentials, Ledger, Log, MerchantCredentials, Results } from './ports.ts';

/** What taking a callback needs. */
export interface CallbackPorts {
  readonly credentials: Credentials;
  readonly checksQueue: ChecksQueue;
  readonly ledger: Ledger;
  readonly results: Results;
  readonly clock: Clock;
  readonly log: Log;
  readonly limits: Limits;
}

/** The HTTP status that the gateway gets: 200 ends its repeating, 503 asks it to call again. */
export type CallbackStatus = 200 | 400 | 403 | 503;

/** Takes one callback. Never rejects. */
export async function takeCallback(incoming: IncomingCallback, ports: CallbackPorts): Promise<CallbackStatus> {
  const { merchant } = incoming;
  const callback = readCallback(incoming.parameters);
  if (!callback) return 400;
  // The path is anybody's: what can't be a merchant is not worth a question to the secrets service.
  if (!merchantShape.test(merchant)) return forged(merchant, ports);
  const answer = await ports.credentials.of(merchant);
  // Whether a merchant exists is nobody's business out there: an unknown one looks like a wrong control.
  if (answer.kind === 'unavailable') return answer.failure.code === 'MERCHANT_UNKNOWN' ? forged(merchant, ports) : 503;
  const { credentials } = answer;
  if (!credentials.controlKey || !isAuthentic(callback, credentials.controlKey)) return forged(merchant, ports);
  const orderKey = `${merchant}/${callback.orderId}`;
  ports.log.write('info', 'callback', { merchant, orderId: callback.orderId });
  if (credentials.profile.statusInquiry) return askNow(orderKey, ports);
  return takeOutcome(orderKey, credentials, (entry) => findingOf(callback, entry), ports);
}

/** As in a job. */
const merchantShape = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

function forged(merchant: string, { log }: CallbackPorts): CallbackStatus {
  // A name from outside is logged only where it could be a merchant's.
  log.write('warn', 'callback-forged', merchantShape.test(merchant) ? { merchant } : {});
  return 403;
}

async function askNow(orderKey: string, { checksQueue }: CallbackPorts): Promise<CallbackStatus> {
  try {
    const notTaken = await checksQueue.send([{ check: { orderKey, looks: 0, now: true }, delaySeconds: 0 }]);
    return notTaken.size === 0 ? 200 : 503;
  } catch {
    return 503;
  }
}

async function takeOutcome(
  orderKey: string,
  { profile }: MerchantCredentials,
  findingFor: (entry: Parameters<typeof findingOf>[1]) => ReturnType<typeof findingOf>,
  ports: CallbackPorts,
): Promise<CallbackStatus> {
  try {
    const found = await ports.ledger.read(orderKey);
    if (!found) return 200;
    // Newer code can take it when the gateway calls again.
    if (found.kind === 'unreadable') return 503;
    const { entry } = found;
    // The answer to the POST is still on its way into the ledger; the gateway calls again.
    if (entry.state === 'submitting') return 503;
    const finding = findingFor(entry);
    if (finding.kind !== 'approved' && finding.kind !== 'declined') return 200;
    const { next } = afterLook(entry, finding, { nowMs: ports.clock.nowMs(), profile, rhythm: ports.limits });
    if (next === entry) return 200;
    const written = withMark(next, true);
    const write = await ports.ledger.advance(entry, written);
    if (write.kind !== 'advanced') return 503;
    await tell(written, ports);
    return 200;
  } catch {
    return 503;
  }
}

/** The mark is in the ledger already: should this fail, the sweeper tells the result. */
async function tell(entry: Parameters<typeof resultOf>[0], { results, ledger }: CallbackPorts): Promise<void> {
  const result = resultOf(entry);
  if (!result) return;
  try {
    const notTaken = await results.send([result]);
    if (notTaken.size === 0) await ledger.markUnpublished(entry, false);
  } catch {
    // Told by the sweeper.
  }
}
