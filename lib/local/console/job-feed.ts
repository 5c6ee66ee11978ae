// The worker's doings, read off its own log: the console takes no message away from anybody. Line by line as it grows.
import { open } from 'node:fs/promises';

/** One job, as the worker's log has it. */
interface JobSeen {
  readonly atMs: number;
  readonly order: string;
  readonly operation: string;
  readonly state: string;
  readonly reason: string;
  /** What it waits for, where it waits and no person is asked. */
  readonly waitsFor?: string;
  /** The message that was refused, by the id of its first sending; undefined where an order was worked on. */
  readonly rejected?: string;
  readonly attempts: number;
  readonly durationMs: number;
}

const recentKept = 40;
const secondsKept = 120;
const stepMs = 1_000;

/** Follows a log file; one that is not there yet is empty. */
export function followJobs(file: string) {
  let offset = 0;
  let rest = '';
  const recent: JobSeen[] = [];
  const seconds = new Map<number, Record<string, number>>();
  const stateOf = new Map<string, string>();
  const reasons = new Map<string, string>();
  const waitsFor = new Map<string, string>();

  function take(line: string): void {
    const job = jobSeenIn(line);
    if (!job) return;
    recent.unshift(job);
    recent.length = Math.min(recent.length, recentKept);
    stateOf.set(job.order, job.state);
    reasons.set(job.order, job.reason);
    if (job.waitsFor === undefined) waitsFor.delete(job.order);
    else waitsFor.set(job.order, job.waitsFor);
    const second = Math.floor(job.atMs / stepMs) * stepMs;
    const states = seconds.get(second) ?? {};
    states[job.state] = (states[job.state] ?? 0) + 1;
    seconds.set(second, states);
    for (const [old] of seconds) if (seconds.size > secondsKept) seconds.delete(old);
  }

  return {
    /** Reads on from where it stood. */
    async look(): Promise<void> {
      const text = await textFrom(file, offset);
      offset += Buffer.byteLength(text);
      const lines = (rest + text).split('\n');
      rest = lines.pop() ?? '';
      lines.forEach(take);
    },
    /** The newest first. */
    recent: (): readonly JobSeen[] => recent,
    /** How many orders were seen. */
    seen: () => stateOf.size,
    /** The failure code that an order was seen with last; undefined where it was not seen, or had none. */
    reasonOf: (order: string) => reasons.get(order) || undefined,
    /** What most of the orders that wait were seen to wait for; undefined where none does. */
    commonestWait(): string | undefined {
      const counts = new Map<string, number>();
      for (const reason of waitsFor.values()) counts.set(reason, (counts.get(reason) ?? 0) + 1);
      return [...counts].toSorted(([, one], [, two]) => two - one)[0]?.[0];
    },
    /** The jobs of each of the last two minutes' seconds, by state. */
    seconds: () => [...seconds].map(([atMs, states]) => ({ atMs, states })).toSorted((one, two) => one.atMs - two.atMs),
    /** Each order once, by the state that it was seen in last. */
    orders(): Readonly<Record<string, number>> {
      const counts: Record<string, number> = {};
      for (const state of stateOf.values()) counts[state] = (counts[state] ?? 0) + 1;
      return counts;
    },
  };
}

async function textFrom(file: string, offset: number): Promise<string> {
  const handle = await open(file).catch(() => undefined);
  if (!handle) return '';
  try {
    const { size } = await handle.stat();
    const bytes = Buffer.alloc(Math.max(0, size - offset));
    await handle.read(bytes, 0, bytes.length, offset);
    // A character that is cut at the end is read whole the next time.
    return bytes.subarray(0, bytes.lastIndexOf(0x0a) + 1).toString('utf8');
  } finally {
    await handle.close();
  }
}

/** The event that a line of the worker's log is for a job; undefined for every other line. */
export function jobSeenIn(line: string): JobSeen | undefined {
  let fields: Readonly<Record<string, unknown>>;
  try {
    fields = JSON.parse(line) as Readonly<Record<string, unknown>>;
  } catch {
    return undefined;
  }
  const { time, event, merchant, orderId, operation, state, disposition, failureCode, attempts, durationMs } = fields;
  const { because } = fields;
  const isWaiting = disposition === 'wait' && because !== undefined && because !== 'undecided';
  const [, rejected] = /^rejected\/([^/]+)/.exec(String(fields['resultId'])) ?? [];
  if (event !== 'job' && event !== 'check') return undefined;
  if (typeof merchant !== 'string' || typeof orderId !== 'string') return undefined;
  return {
    atMs: Date.parse(String(time)),
    order: `${merchant}/${orderId}`,
    operation: String(operation ?? ''),
    state: String(state ?? disposition ?? ''),
    reason: String(failureCode ?? ''),
    ...(isWaiting && { waitsFor: [because, failureCode].filter((it) => it !== undefined).join(', ') }),
    ...(rejected !== undefined && { rejected }),
    attempts: Number(attempts ?? 0),
    durationMs: Number(durationMs ?? 0),
  };
}
