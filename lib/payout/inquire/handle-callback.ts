// The public function that the gateway calls back: it checks whether the callback is authentic, and puts it into the inbox
// of its order. Only then it answers 200. It reads no order and no merchant's secret, publishes nothing, and does for every name
// the same work. By its note the order is due: within a minute the sweeper sends its check (resume-due.ts), and that look verifies the
// proof again, judges the status (inbox.ts), and publishes what follows (inquire-order.ts).
import { createHash, createSecretKey } from 'node:crypto';
import type { Callback, CallbackDialect, ControlKey } from '../../gateway/ports.ts';
import { orderKey, type UnreadCallback } from '../order/order.ts';
import type { Orders } from '../order/orders.ts';
import { errorFields } from '../log-fields.ts';
import type { Clock, Log, Metrics } from '../ports.ts';
import { createMetricsRecorder, type MetricsRecorder } from '../metrics-recorder.ts';

/** The control keys of the merchants whose callbacks are let in; all that a stranger at this door could reach. */
export interface ControlKeys {
  /** The keys of a merchant: of its present account, and of those before. Rejects while they can't be read. */
  all(): Promise<ReadonlyMap<string, readonly ControlKey[]>>;
}

/** The ports of taking a callback. */
export interface CallbackPorts {
  readonly callbacks: CallbackDialect;
  readonly controlKeys: ControlKeys;
  readonly door: CallbackDoor;
  readonly orders: Pick<Orders, 'note'>;
  readonly callbacksQueue: CallbacksQueue;
  readonly clock: Pick<Clock, 'nowMs'>;
  readonly log: Log;
  readonly metrics: Metrics;
}

/** A callback as it came in. */
export interface IncomingCallback {
  readonly merchant: string;
  readonly parameters: ReadonlyMap<string, string>;
}

/** A callback and its order. */
export interface KeptCallback {
  /** The order's. */
  readonly key: string;
  /** In the order's inbox, by the proof: the same callback falls into the same place when it comes again. */
  readonly place: string;
  readonly callback: UnreadCallback;
}

/** Where callbacks wait (four days, then among dead letters) while the store of orders does not take them; run-callbacks.ts notes them. */
export interface CallbacksQueue {
  /** Rejects where it was not taken, or nobody knows. */
  send(kept: KeptCallback): Promise<void>;
}

/** The HTTP status that the gateway gets: 200 ends its repeating, 503 asks it to call again. */
export type CallbackStatus = 200 | 400 | 403 | 503;

/** Takes one callback. Never rejects. */
export async function handleCallback(incoming: IncomingCallback, ports: CallbackPorts): Promise<CallbackStatus> {
  const recorder = createMetricsRecorder();
  const status = await take(incoming, { ...ports, recorder });
  const forged = ports.door.forgedToCount();
  if (forged > 0) recorder.add('callbacksForged', forged);
  ports.metrics.publish(recorder.taken());
  return status;
}

type CountedPorts = CallbackPorts & { readonly recorder: MetricsRecorder };

async function take(incoming: IncomingCallback, ports: CountedPorts): Promise<CallbackStatus> {
  const callback = ports.callbacks.read(incoming.parameters);
  if (!callback) return 400;
  const keys = await ports.controlKeys.all().catch((error: unknown) => void sayUnreadable(error, ports));
  // The same for every name, whether or not there is such a merchant.
  if (!keys) return 503;
  const own = keys.get(incoming.merchant);
  if (!isSignedBy(own ?? [], callback, ports)) return forged(own && incoming.merchant, ports);
  return handOn(incoming.merchant, callback, ports);
}

function sayUnreadable(error: unknown, { door, log }: CountedPorts): void {
  if (door.mayLog()) log.write('error', 'callback-keys-unreadable', errorFields(error));
}

/** The check makes as many comparisons for every name, with a key that can't match where there is none: its time reveals nothing. */
function isSignedBy(keys: readonly ControlKey[], callback: Callback, { callbacks }: CountedPorts): boolean {
  const compared = Array.from({ length: controlKeysAtMost }, (_, n) => {
    const key = keys[n];
    const isRight = callbacks.isAuthentic(callback, key ?? nobodysKey);
    return key !== undefined && isRight;
  });
  return compared.includes(true);
}

/** Keys of a merchant: its present account, and the eight before it that a secret may name. */
export const controlKeysAtMost = 9;
const nobodysKey = createSecretKey('nobody', 'utf8');

/** A name is logged only where it is a merchant's: no line holds what a stranger writes. */
function forged(merchant: string | undefined, { door, log }: CountedPorts): CallbackStatus {
  door.forged();
  if (door.mayLog()) log.write('warn', 'callback-forged', merchant === undefined ? {} : { merchant });
  return 403;
}

const longestPart = 128;

/** 503 where nothing took it, or there were too many of this merchant within the minute. */
async function handOn(
  merchant: string,
  callback: Callback,
  { door, orders, callbacks, callbacksQueue, clock, log }: CountedPorts,
): Promise<CallbackStatus> {
  const parts = keptParts(callback);
  const key = orderKey({ merchant, orderId: callback.orderId });
  const callbackDigest = digest(JSON.stringify([key, parts]));
  if (door.hasTaken(callbackDigest)) return 200;
  const { proof } = callback;
  const place = digest(callbacks.replayKey({ proof, ...(parts['type'] && { type: parts['type'] }) })).slice(0, 12);
  const isTaken =
    door.hasRoom(merchant) &&
    ((await isDone(orders.note(key, place, parts, clock.nowMs()))) ||
      (await isDone(callbacksQueue.send({ key, place, callback: parts }))));
  if (isTaken) door.taken(callbackDigest);
  // Whoever has one genuine callback can send it without end under other amounts: what is turned away says so a few times a minute.
  if (isTaken || door.mayLog())
    log.write(isTaken ? 'info' : 'warn', 'callback', { merchant, orderId: callback.orderId });
  return isTaken ? 200 : 503;
}

/**
 * The parts of a callback that are looked at, always in one order; nothing else of what strangers may send goes on. The parts
 * that `control` covers are kept as they came, empty too: without them nobody could verify the callback again.
 */
function keptParts({ status, type, gatewayOrderId, orderId, proof, amount, currency }: Callback): UnreadCallback {
  const parts = Object.entries({ status, type, gatewayOrderId, orderId, proof, amount, currency });
  const beside = new Set(['type', 'amount', 'currency']);
  const isKept = (part: [string, string | undefined]): part is [string, string] =>
    part[1] !== undefined && (!beside.has(part[0]) || (part[1] !== '' && part[1].length <= longestPart));
  return Object.fromEntries(parts.filter(isKept));
}

const digest = (text: string) => createHash('sha256').update(text).digest('base64url');

const isDone = (call: Promise<void>): Promise<boolean> => call.then(() => true).catch(() => false);

// The memory of a process of this door, so that a caller who repeats costs nothing: callbacks that were taken, and how many of
// each merchant within the minute. All of it bounded; another process has a memory of its own.

/** The memory of one process. */
interface CallbackDoor {
  /** True where this very callback was taken within the last minute, into its inbox or onto the queue. */
  hasTaken(callbackDigest: string): boolean;
  /** Notes that it is taken. */
  taken(callbackDigest: string): void;
  /** Counts one more of this merchant; false from {@link callbacksPerMinute} on. */
  hasRoom(merchant: string): boolean;
  /** Counts a forged one. */
  forged(): void;
  /** The count to publish now: the first at once, the others together, once a second; 0 where there are none. */
  forgedToCount(): number;
  /** True for the first lines of a minute about callbacks that were not taken; forged ones are a metric anyway. */
  mayLog(): boolean;
}

/** For one merchant and process: a hundred a second. Further callers are asked to come again. */
export const callbacksPerMinute = 6_000;
/** Callbacks remembered at once; the oldest goes first. */
const callbacksKept = 10_000;
const linesPerMinute = 60;
/**
 * Forged callbacks are counted together, as a figure is a line of the log too: strangers decide how many come, and not how many
 * lines are written.
 */
const forgedEveryMs = 1_000;
const minuteMs = 60_000;

/** A memory without callbacks. */
export function createCallbackDoor({ nowMs }: Pick<Clock, 'nowMs'>): CallbackDoor {
  const takenAtMs = new Map<string, number>();
  let counts = new Map<string, number>();
  let minute = 0;
  let lines = 0;
  let [uncounted, countedAtMs] = [0, -Infinity];

  function begin(): void {
    const now = Math.floor(nowMs() / minuteMs);
    if (now === minute) return;
    [minute, counts, lines] = [now, new Map<string, number>(), 0];
  }

  return {
    hasTaken: (callbackDigest) => (takenAtMs.get(callbackDigest) ?? -Infinity) > nowMs() - minuteMs,
    taken(callbackDigest) {
      takenAtMs.delete(callbackDigest);
      takenAtMs.set(callbackDigest, nowMs());
      const [oldest] = takenAtMs.keys();
      if (takenAtMs.size > callbacksKept && oldest !== undefined) takenAtMs.delete(oldest);
    },
    hasRoom(merchant) {
      begin();
      const count = (counts.get(merchant) ?? 0) + 1;
      counts.set(merchant, count);
      return count <= callbacksPerMinute;
    },
    forged: () => void (uncounted += 1),
    forgedToCount() {
      if (uncounted === 0 || nowMs() - countedAtMs < forgedEveryMs) return 0;
      const count = uncounted;
      [uncounted, countedAtMs] = [0, nowMs()];
      return count;
    },
    mayLog() {
      begin();
      lines += 1;
      return lines <= linesPerMinute;
    },
  };
}
