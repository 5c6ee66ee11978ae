// THE JOURNEY of a callback: proof → order → facts → one write under the version → `stored`. Only then the door answers 200; after
// anything else the gateway calls again. A result that changes is marked in the same write: the leader finds the order due, and its
// check publishes.
import { createSecretKey } from 'node:crypto';
import type { Callback, CallbackDialect, ControlKey, Credentials, MerchantAccess } from '../../gateway/ports.ts';
import { errorFields } from '../log-fields.ts';
import { countedOrders, createMetricsRecorder, type MetricsRecorder } from '../metrics-recorder.ts';
import { join } from '../order/join.ts';
import { orderToWrite } from '../order/lost.ts';
import { noFacts } from '../order/facts.ts';
import { recorded } from '../order/record.ts';
import { contractOf, questionsFirst } from '../order/time.ts';
import { type Order, orderKey } from '../order/order.ts';
import type { Orders } from '../order/orders.ts';
import { viewOf } from '../order/projection.ts';
import type { Clock, Log, Metrics, Random } from '../ports.ts';
import { type CallbackFacts, factsOfCallback } from './callback-facts.ts';

/** The control keys of all merchants whose callbacks are accepted, so that an unknown name costs no further call. */
export interface ControlKeys {
  /** The keys of each merchant: of its present account, and of those before. Rejects if they can't be read. */
  all(): Promise<ReadonlyMap<string, readonly ControlKey[]>>;
}

/** The ports of taking a callback. */
export interface CallbackPorts {
  readonly callbacks: CallbackDialect;
  readonly controlKeys: ControlKeys;
  readonly credentials: Credentials;
  readonly orders: Orders;
  readonly clock: Pick<Clock, 'nowMs'>;
  readonly random: Random;
  readonly log: Log;
  readonly metrics: Metrics;
}

/** A callback as it came in. */
export interface IncomingCallback {
  readonly merchant: string;
  readonly parameters: ReadonlyMap<string, string>;
}

/** The answer: `stored` and `nothing-to-store` end the gateway's repeating; `refused` asks it to call again. */
export type CallbackAnswer = 'stored' | 'nothing-to-store' | 'refused';

/** Takes one callback. Never rejects. */
export async function handleCallback(incoming: IncomingCallback, ports: CallbackPorts): Promise<CallbackAnswer> {
  const recorder = createMetricsRecorder();
  const counted = { ...ports, recorder, orders: countedOrders(ports.orders, recorder) };
  const answer = await take(incoming, counted).catch((error: unknown) => {
    ports.log.write('error', 'callback-failed', errorFields(error));
    return 'refused' as const;
  });
  ports.metrics.publish(recorder.taken());
  return answer;
}

type CountedPorts = CallbackPorts & { readonly recorder: MetricsRecorder };

async function take({ merchant, parameters }: IncomingCallback, ports: CountedPorts): Promise<CallbackAnswer> {
  const callback = ports.callbacks.read(parameters);
  const own = (await ports.controlKeys.all()).get(merchant);
  if (!callback || !isSignedBy(own ?? [], callback, ports)) return forged(own && merchant, ports);
  const secret = await ports.credentials.of(merchant);
  if (secret.kind !== 'credentials') throw new Error(`${secret.failure.code}: ${secret.failure.message}`);
  return write(callback, merchant, secret.credentials, ports);
}

/** Makes the same number of comparisons for every name, against a key that can't match if there is no other: the time reveals nothing. */
function isSignedBy(keys: readonly ControlKey[], callback: Callback, { callbacks }: CountedPorts): boolean {
  const compared = Array.from({ length: controlKeysAtMost }, (_, n) => {
    const key = keys[n];
    const isRight = callbacks.isAuthentic(callback, key ?? decoyKey);
    return key !== undefined && isRight;
  });
  return compared.includes(true);
}

/** Keys of a merchant: its present account, and the eight before it that a secret may name. */
export const controlKeysAtMost = 9;
const decoyKey = createSecretKey('decoy', 'utf8');

/**
 * Counts and refuses a callback that is not proven. Its name is logged only if it is a merchant's: no line holds what a stranger writes.
 */
function forged(merchant: string | undefined, { recorder, log }: CountedPorts): CallbackAnswer {
  recorder.add('callbacksForged');
  log.write('warn', 'callback-forged', merchant === undefined ? {} : { merchant });
  return 'refused';
}

/** Races between writers end in two or three rounds. */
const roundsAtMost = 6;

async function write(
  callback: Callback,
  merchant: string,
  known: MerchantAccess,
  ports: CountedPorts,
): Promise<CallbackAnswer> {
  const { orders, credentials, clock, random } = ports;
  const key = orderKey({ merchant, orderId: callback.orderId });
  let access = known;
  let read = await orders.read(key);
  let reported: CallbackFacts['surprise'];
  for (let round = 0; round < roundsAtMost; round += 1) {
    const nowMs = clock.nowMs();
    if (read.kind === 'unreadable') throw new Error(read.reason);
    // No message says when an absent order was sent.
    const { order, lost } = await orderToWrite(read, key, { nowMs }, ports);
    let judged = factsOfCallback(callback, order, access, nowMs);
    // The process may have cached the secret for minutes, and the merchant may have moved to another account since: the secret is read
    // anew, once.
    if (access === known && (!judged || (judged.surprise && judged.facts !== noFacts))) {
      const fresh = await credentials.refresh(merchant, access);
      if (fresh.kind === 'credentials') access = { ...fresh.credentials };
      judged = factsOfCallback(callback, order, access, nowMs);
    }
    if (!judged) return forged(merchant, ports);
    const contract = contractOf(access.profile);
    const facts = lost && judged.facts !== noFacts ? join(judged.facts, lost) : judged.facts;
    const next = dueNow(recorded(order, facts, { nowMs, contract, endId: random.id() }), order, judged, nowMs);
    if (next === order) {
      if (order.version === 0) report(judged, order, ports);
      return 'nothing-to-store';
    }
    // A surprise is reported before the write, and once: after a lost answer the repeated callback finds nothing new.
    if (judged.surprise && judged.surprise !== reported) {
      report(judged, next, ports);
      reported = judged.surprise;
    }
    const written = await orders.write(order, next);
    if (written.kind === 'written') {
      if (!reported) report(judged, next, ports);
      return 'stored';
    }
    read = written;
  }
  throw new Error('others wrote first, again and again');
}

/** The order, due at once if its result must be published or the gateway asked. */
function dueNow(next: Order, before: Order, { asks }: CallbackFacts, nowMs: number): Order {
  const questions = asks ? questionsFirst(next.facts) : [];
  const isAsked = questions.length > 0;
  const asking = isAsked ? { ...next, version: before.version + 1, asks: questions } : next;
  return asking !== before && (asking.unpublished || isAsked) ? { ...asking, dueAtMs: nowMs } : asking;
}

/** Logs and counts the callback. A contradiction may prove a double payment, and wakes a person. */
function report({ surprise }: CallbackFacts, order: Order, { log, recorder }: CountedPorts): void {
  const { merchant, orderId } = order;
  if (surprise === undefined) return log.write('info', 'callback', { merchant, orderId });
  recorder.add(surprise === 'contradicts' ? 'callbackContradictions' : 'callbackSurprises');
  const level = surprise === 'contradicts' ? 'error' : 'warn';
  log.write(level, 'callback-surprise', { merchant, orderId, finding: surprise, standing: viewOf(order).standing });
}
