// The public function that the gateway calls back: authentic or not, and then onto the checks queue, where its `control` is
// checked again and its word is weighed (take-callback.ts). It reads no ledger and no merchant's secret, tells no result,
// and does for every name the same work; what the queue does not take is answered so that the gateway calls again.
import { createHash, createSecretKey } from 'node:crypto';
import { type Callback, isAuthentic, readCallback } from '../gateway/callback.ts';
import type { ControlKey } from '../gateway/ports.ts';
import type { ChecksQueue, IncomingCallback } from './due-work.ts';
import { errorFields } from './log-fields.ts';
import type { Clock, Log, Metrics } from './ports.ts';
import { createMetricsRecorder, type MetricsRecorder } from './metrics-recorder.ts';

/** The control keys of the merchants whose callbacks are let in; all that a stranger at this door could reach. */
export interface ControlKeys {
  /** By merchant: of its present account, and of those before. Rejects while they can't be read. */
  all(): Promise<ReadonlyMap<string, readonly ControlKey[]>>;
}

/** What taking a callback needs. */
export interface CallbackPorts {
  readonly controlKeys: ControlKeys;
  readonly door: CallbackDoor;
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
  const forged = ports.door.forgedToCount();
  if (forged > 0) tally.add('callbacksForged', forged);
  ports.metrics.publish(tally.taken());
  return status;
}

type CountedPorts = CallbackPorts & { readonly tally: MetricsRecorder };

async function take(incoming: IncomingCallback, ports: CountedPorts): Promise<CallbackStatus> {
  const callback = readCallback(incoming.parameters);
  if (!callback) return 400;
  const keys = await ports.controlKeys.all().catch((error: unknown) => void sayUnreadable(error, ports));
  // The same for every name, whether or not there is such a merchant.
  if (!keys) return 503;
  const own = keys.get(incoming.merchant);
  if (!isSignedBy(own ?? [], callback)) return forged(own && incoming.merchant, ports);
  return handOn(`${incoming.merchant}/${callback.orderId}`, incoming, ports);
}

function sayUnreadable(error: unknown, { door, log }: CountedPorts): void {
  if (door.mayLog()) log.write('error', 'callback-keys-unreadable', errorFields(error));
}

/** As many comparisons for every name, with what can never be right where there is no key: its time tells nothing. */
function isSignedBy(keys: readonly ControlKey[], callback: Callback): boolean {
  const compared = Array.from({ length: controlKeysAtMost }, (_, n) => {
    const key = keys[n];
    const isRight = isAuthentic(callback, key ?? nobodysKey);
    return key !== undefined && isRight;
  });
  return compared.includes(true);
}

/** Of a merchant: its present account, and the eight before it that a secret may name. */
export const controlKeysAtMost = 9;
const nobodysKey = createSecretKey('nobody', 'utf8');

/** A name is logged only where it is a merchant's: what a stranger writes is in no line. */
function forged(merchant: string | undefined, { door, log }: CountedPorts): CallbackStatus {
  door.forged();
  if (door.mayLog()) log.write('warn', 'callback-forged', merchant === undefined ? {} : { merchant });
  return 403;
}

/** What is looked at of a callback; nothing else of what strangers may send goes on. */
const lookedAt = ['status', 'type', 'orderid', 'client_orderid', 'merchant_order', 'control', 'amount', 'currency'];
const longestParameter = 128;

/** 503 where the queue did not take it, or took too many of this merchant within the minute. */
async function handOn(
  orderKey: string,
  { merchant, parameters }: IncomingCallback,
  { door, checksQueue, log }: CountedPorts,
): Promise<CallbackStatus> {
  const pairs = lookedAt.map((name): [string, string] => [name, parameters.get(name) ?? '']);
  const callback = Object.fromEntries(pairs.filter(([, value]) => value !== '' && value.length <= longestParameter));
  const word = createHash('sha256')
    .update(JSON.stringify([orderKey, callback]))
    .digest('base64url');
  if (door.hasTaken(word)) return 200;
  const check = { orderKey, inquiries: 0, now: true, callback } as const;
  const sent =
    door.hasRoom(merchant) && checksQueue.send([{ check, delaySeconds: 0 }]).then((untaken) => untaken.size === 0);
  const taken = sent !== false && (await sent.catch(() => false));
  if (taken) door.taken(word);
  log.write(taken ? 'info' : 'warn', 'callback', { merchant, orderId: orderKey.slice(merchant.length + 1) });
  return taken ? 200 : 503;
}

// What a process of this door remembers, so that who knocks again and again costs nothing: words that the queue has taken,
// and how many of each merchant within the minute. All of it bounded; another process has a memory of its own.

/** The memory of one process. */
export interface CallbackDoor {
  /** Has the queue taken this very word within the last minute? */
  hasTaken(word: string): boolean;
  /** The queue has it. */
  taken(word: string): void;
  /** Counts one more of this merchant; false from {@link callbacksPerMinute} on. */
  hasRoom(merchant: string): boolean;
  /** Counts a forged one. */
  forged(): void;
  /** Those that are to be published now: the first at once, the others together, once a second; 0 where there are none. */
  forgedToCount(): number;
  /** True for the first lines of a minute about what was not let in; forged callbacks are a metric anyway. */
  mayLog(): boolean;
}

/** Of one merchant and process: a hundred a second. More are asked to come again. */
export const callbacksPerMinute = 6_000;
/** Words remembered at once; the oldest goes first. */
const wordsKept = 10_000;
const linesPerMinute = 60;
/** A figure of forged ones is a line of the log too: strangers decide how many come, and not how many lines are written. */
const forgedEveryMs = 1_000;
const minuteMs = 60_000;

/** Nothing was taken yet. */
export function createCallbackDoor({ nowMs }: Pick<Clock, 'nowMs'>): CallbackDoor {
  const words = new Map<string, number>();
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
    hasTaken: (word) => (words.get(word) ?? -Infinity) > nowMs() - minuteMs,
    taken(word) {
      words.delete(word);
      words.set(word, nowMs());
      const [oldest] = words.keys();
      if (words.size > wordsKept && oldest !== undefined) words.delete(oldest);
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
