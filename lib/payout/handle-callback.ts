// A callback from the gateway: authentic or not, then a look now, or the outcome itself where nobody can be asked.
// Answered quickly; what could not be done now is answered so that the gateway calls again.
import { findingOf, isAuthentic, readCallback } from '../gateway/callback.ts';
import { afterInquiry } from './inquiry-step.ts';
import { withMark } from './due-work.ts';
import type { Limits } from './limits.ts';
import type { LedgerEntry } from './ledger.ts';
import { resultOf } from './result.ts';
import type { ChecksQueue, IncomingCallback } from './inquiry-ports.ts';
import { orderFields } from './log-lines.ts';
import type { MerchantCredentials } from '../gateway/ports.ts';
import type { Clock, Credentials, Ledger, Log, Metrics, Results } from './ports.ts';
import { countedLedger, createMetricsRecorder, type MetricsRecorder } from './metrics-recorder.ts';

/** What taking a callback needs. */
export interface CallbackPorts {
  readonly credentials: Credentials;
  readonly checksQueue: ChecksQueue;
  readonly ledger: Ledger;
  readonly results: Results;
  readonly clock: Clock;
  readonly log: Log;
  readonly limits: Limits;
  readonly metrics: Metrics;
}

/** The HTTP status that the gateway gets: 200 ends its repeating, 503 asks it to call again. */
export type CallbackStatus = 200 | 400 | 403 | 503;

/** Takes one callback. Never rejects. */
export async function handleCallback(incoming: IncomingCallback, ports: CallbackPorts): Promise<CallbackStatus> {
  const tally = createMetricsRecorder();
  const status = await take(incoming, { ...ports, ledger: countedLedger(ports.ledger, tally), tally });
  ports.metrics.publish(tally.taken());
  return status;
}

type CountedPorts = CallbackPorts & { readonly tally: MetricsRecorder };

async function take(incoming: IncomingCallback, ports: CountedPorts): Promise<CallbackStatus> {
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
  const { status, entry } = credentials.profile.statusInquiry
    ? { status: await askNow(orderKey, signedParameters(incoming), ports) }
    : await takeOutcome(orderKey, credentials, (stands) => findingOf(callback, stands), ports);
  const moved = entry && orderFields(entry, resultOf(entry), entry.failure);
  ports.log.write('info', 'callback', { merchant, orderId: callback.orderId, ...moved });
  return status;
}

/** The answer, and the order where the callback has moved it. */
interface Taken {
  readonly status: CallbackStatus;
  readonly entry?: LedgerEntry;
}

/** As in a job. */
const merchantShape = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

function forged(merchant: string, { log, tally }: CountedPorts): CallbackStatus {
  tally.add('callbacksForged');
  // A name from outside is logged only where it could be a merchant's.
  log.write('warn', 'callback-forged', merchantShape.test(merchant) ? { merchant } : {});
  return 403;
}

/** What is looked at of a callback; nothing else of what strangers may send goes on. */
const signed = ['status', 'type', 'orderid', 'client_orderid', 'merchant_order', 'control', 'amount', 'currency'];
const longestParameter = 128;

function signedParameters({ parameters }: IncomingCallback): Readonly<Record<string, string>> {
  const pairs = signed.map((name): [string, string] => [name, parameters.get(name) ?? '']);
  return Object.fromEntries(pairs.filter(([, value]) => value !== '' && value.length <= longestParameter));
}

async function askNow(
  orderKey: string,
  callback: Readonly<Record<string, string>>,
  { checksQueue }: CallbackPorts,
): Promise<CallbackStatus> {
  try {
    const check = { orderKey, inquiries: 0, now: true, callback } as const;
    const notTaken = await checksQueue.send([{ check, delaySeconds: 0 }]);
    return notTaken.size === 0 ? 200 : 503;
  } catch {
    return 503;
  }
}

async function takeOutcome(
  orderKey: string,
  { profile }: MerchantCredentials,
  findingFor: (entry: LedgerEntry) => ReturnType<typeof findingOf>,
  ports: CallbackPorts,
): Promise<Taken> {
  try {
    const found = await ports.ledger.read(orderKey);
    if (!found) return { status: 200 };
    // Newer code can take it when the gateway calls again.
    if (found.kind === 'unreadable') return { status: 503 };
    const { entry } = found;
    // The answer to the POST is still on its way into the ledger; the gateway calls again.
    if (entry.state === 'submitting') return { status: 503 };
    const finding = findingFor(entry);
    if (finding.kind !== 'approved' && finding.kind !== 'declined') return { status: 200 };
    const { next } = afterInquiry(entry, finding, { nowMs: ports.clock.nowMs(), profile, rhythm: ports.limits });
    if (next === entry) return { status: 200 };
    const written = withMark(next, true);
    const write = await ports.ledger.advance(entry, written);
    if (write.kind !== 'advanced') return { status: 503 };
    await tell(written, ports);
    return { status: 200, entry: written };
  } catch {
    return { status: 503 };
  }
}

/** The mark is in the ledger already: should this fail, the sweeper tells the result. */
async function tell(entry: LedgerEntry, { results, ledger }: CallbackPorts): Promise<void> {
  const result = resultOf(entry);
  if (!result) return;
  try {
    const notTaken = await results.send([result]);
    if (notTaken.size === 0) await ledger.markUnpublished(entry, false);
  } catch {
    // Told by the sweeper.
  }
}
