// The worker's doings, read off its own log, line by line as it grows: no message is taken away from anybody.
import { open } from 'node:fs/promises';

/** One job, as the worker's log has it. */
interface JobSeen {
  readonly order: string;
  readonly reason: string;
  /** What it waits for, where it waits and no person is asked. */
  readonly waitsFor?: string;
}

/** Follows a log file; one that is not there yet is empty. */
export function followJobs(file: string) {
  let offset = 0;
  let rest = '';
  const reasons = new Map<string, string>();
  const waitsFor = new Map<string, string>();

  function take(line: string): void {
    const job = jobSeenIn(line);
    if (!job) return;
    reasons.set(job.order, job.reason);
    if (job.waitsFor === undefined) waitsFor.delete(job.order);
    else waitsFor.set(job.order, job.waitsFor);
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
    /** How many orders were seen. */
    seen: () => reasons.size,
    /** The failure code that an order was seen with last; undefined where it was not seen, or had none. */
    reasonOf: (order: string) => reasons.get(order) || undefined,
    /** What most of the orders that wait were seen to wait for; undefined where none does. */
    commonestWait(): string | undefined {
      const counts = new Map<string, number>();
      for (const reason of waitsFor.values()) counts.set(reason, (counts.get(reason) ?? 0) + 1);
      return [...counts].toSorted(([, one], [, two]) => two - one)[0]?.[0];
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
  const { event, merchant, orderId, disposition, failureCode, because } = fields;
  const isWaiting = disposition === 'wait' && because !== undefined && because !== 'undecided';
  if (event !== 'job' && event !== 'check') return undefined;
  if (typeof merchant !== 'string' || typeof orderId !== 'string') return undefined;
  return {
    order: `${merchant}/${orderId}`,
    reason: String(failureCode ?? ''),
    ...(isWaiting && { waitsFor: [because, failureCode].filter((it) => it !== undefined).join(', ') }),
  };
}
