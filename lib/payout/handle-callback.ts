// The public function that the gateway calls back: authentic or not, and then onto the checks queue, where its `control` is
// checked again and its word is weighed (take-callback.ts). It reads no ledger and tells no result, so that a stranger at
// this door can reach neither; what the queue does not take is answered so that the gateway calls again.
import { readCallback, signersOf } from '../gateway/callback.ts';
import type { ChecksQueue, IncomingCallback } from './due-work.ts';
import type { Credentials, Log, Metrics } from './ports.ts';
import { createMetricsRecorder, type MetricsRecorder } from './metrics-recorder.ts';

/** What taking a callback needs. */
export interface CallbackPorts {
  readonly credentials: Credentials;
  readonly checksQueue: ChecksQueue;
  readonly log: Log;
  readonly metrics: Metrics;
}

/** The HTTP status that the gateway gets: 200 ends its repeating, 503 asks it to call again. */
export type CallbackStatus = 200 | 400 | 403 | 503;

/** Takes one callback. Never rejects. */
export async function handleCallback(incoming: IncomingCallback, ports: CallbackPorts): Promise<CallbackStatus> {
  const tally = createMetricsRecorder();
  const status = await take(incoming, { ...ports, tally });
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
  if (signersOf(callback, answer.credentials).length === 0) return forged(merchant, ports);
  const taken = await handOn(`${merchant}/${callback.orderId}`, incoming, ports);
  ports.log.write(taken ? 'info' : 'warn', 'callback', { merchant, orderId: callback.orderId });
  return taken ? 200 : 503;
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
const lookedAt = ['status', 'type', 'orderid', 'client_orderid', 'merchant_order', 'control', 'amount', 'currency'];
const longestParameter = 128;

/** False where the queue did not take it. */
async function handOn(orderKey: string, { parameters }: IncomingCallback, ports: CallbackPorts): Promise<boolean> {
  const pairs = lookedAt.map((name): [string, string] => [name, parameters.get(name) ?? '']);
  const callback = Object.fromEntries(pairs.filter(([, value]) => value !== '' && value.length <= longestParameter));
  const check = { orderKey, inquiries: 0, now: true, callback } as const;
  try {
    return (await ports.checksQueue.send([{ check, delaySeconds: 0 }])).size === 0;
  } catch {
    return false;
  }
}
