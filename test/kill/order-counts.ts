// What each order costs while everything fails: deliveries, POSTs, inquiries and log lines per order and hour, counted
// between the workers and their world, and not by the workers themselves (their log lines aside).
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { EmbeddedAws } from '../../lib/local/embedded-aws.ts';
import type { Call } from './unkind-proxy.ts';

/** The stated bounds, per order and hour: promise 7 in numbers. An eligibility check may be asked again. */
export const bounds = { deliveries: 20, posts: 2, checks: 12, inquiries: 12, logLines: 40 } as const;

/** What is counted. */
export type Counted = keyof typeof bounds;

/** The most that one order met in one hour, and which order it was. */
export interface Most {
  readonly most: number;
  readonly order: string;
}

/** Running counts. */
export interface Counts {
  sqs(call: Call, answer: string): void;
  gateway(call: Call): void;
  /** The most of each; `hourMs` is how long an hour takes in this run, `logDirectory` holds the workers' logs. */
  mostPerHour(hourMs: number, logDirectory: string): Promise<Readonly<Record<Counted, Most>>>;
}

interface Letter {
  readonly Body?: string;
  readonly MessageId?: string;
  readonly MessageAttributes?: Readonly<Record<string, { readonly StringValue?: string }>>;
}

/** Nothing seen yet. */
export function createCounts({ jobs, batchJobs, checks }: EmbeddedAws['queueUrls']): Counts {
  const times: Record<Counted, Map<string, number[]>> = {
    deliveries: new Map(),
    posts: new Map(),
    checks: new Map(),
    inquiries: new Map(),
    logLines: new Map(),
  };
  const count = (what: Counted, order: string, atMs = Date.now()) => {
    const seen = times[what].get(order);
    if (seen) seen.push(atMs);
    else times[what].set(order, [atMs]);
  };
  const counted = new Set([jobs, batchJobs, checks].map((url) => new URL(url).pathname));
  return {
    sqs({ target, body }, answer) {
      if (!target.endsWith('.ReceiveMessage') || !answer.includes('"Messages"')) return;
      const { QueueUrl = '' } = JSON.parse(body) as { QueueUrl?: string };
      if (!counted.has(new URL(QueueUrl).pathname)) return;
      const { Messages = [] } = JSON.parse(answer) as { Messages?: readonly Letter[] };
      for (const letter of Messages) count('deliveries', subjectOf(letter));
    },
    gateway({ path, body }) {
      const parameters = new URLSearchParams(body);
      const order = parameters.get('client_orderid') ?? parameters.get('client-order-id') ?? '?';
      count(path.includes('status') ? 'inquiries' : path.includes('eligibility') ? 'checks' : 'posts', order);
    },
    async mostPerHour(hourMs, logDirectory) {
      for (const file of await readdir(logDirectory))
        for (const line of (await readFile(join(logDirectory, file), 'utf8')).split('\n')) {
          const { orderId, time } = loggedIn(line);
          if (orderId !== undefined) count('logLines', orderId, Date.parse(time ?? ''));
        }
      const most = (what: Counted) => mostWithin(times[what], hourMs);
      return {
        deliveries: most('deliveries'),
        posts: most('posts'),
        checks: most('checks'),
        inquiries: most('inquiries'),
        logLines: most('logLines'),
      };
    },
  };
}

/** What its sender sent, whose copies are the same; a word of the worker's own is about its order. Twice sent is twice asked for. */
function subjectOf({ Body = '', MessageId = '' }: Letter): string {
  const { key, orderId } = JSON.parse(Body) as { key?: string; orderId?: string };
  return key ?? `${orderId} (${MessageId})`;
}

/** A killed worker leaves half a line. */
function loggedIn(line: string): { readonly orderId?: string; readonly time?: string } {
  try {
    return JSON.parse(line) as { orderId?: string; time?: string };
  } catch {
    return {};
  }
}

function mostWithin(times: ReadonlyMap<string, readonly number[]>, hourMs: number): Most {
  let found: Most = { most: 0, order: '' };
  for (const [order, seen] of times) {
    const inOrder = seen.toSorted((a, b) => a - b);
    for (let first = 0, last = 0; last < inOrder.length; last += 1) {
      while ((inOrder[last] ?? 0) - (inOrder[first] ?? 0) > hourMs) first += 1;
      if (last - first + 1 > found.most) found = { most: last - first + 1, order };
    }
  }
  return found;
}
