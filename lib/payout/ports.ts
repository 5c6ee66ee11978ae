// The ports of the journey, with the promises that every adapter must keep. The contract suites in test/contract hold each
// adapter to them. A changed promise here changes what "never paid twice" rests on.
import type { MetricName, MoneyMetricName } from './metrics.ts';
import type { FingerprintKeys } from './message/fingerprint.ts';
import type { Failure } from './message/failures.ts';
import type { Job } from './message/job.ts';
import type { LogEvent, LogFields } from './log-fields.ts';
import type { Result } from './message/result.ts';

/** The opener of card data that was sealed for one attempt alone. Never rejects. */
export interface SingleUseCode {
  /**
   * The job with its CVV in `params`; undefined if there is no key, or if it opens no CVV. Only the worker that holds the order's claim may
   * call: the call takes the key away, so that no other worker ever has it.
   */
  open(job: Job): Promise<Job | undefined>;
}

/** The keys for fingerprints. Rejects if there are none: then no order may be claimed. */
export interface Fingerprinting {
  keys(): Promise<FingerprintKeys>;
}

/** The indexes of the entries of a batch that the queue did not take. */
export type NotTaken = ReadonlySet<number>;

/** The results queue. At most ten results a call; rejects only if none was taken. */
export interface Results {
  send(results: readonly Result[]): Promise<NotTaken>;
}

/** A message on its way to the dead-letter queue, with the reason. */
export interface DeadLetter {
  readonly body: string;
  readonly reason: Failure;
  readonly originMessageId: string;
  /** When the job was first sent (epoch ms). */
  readonly firstSentAtMs?: number;
  /** The key of the parked job that it was. */
  readonly place?: { readonly key: string; readonly digest: string };
  /** How often it was redriven already; absent if never. */
  readonly redrives?: number;
  readonly groupId?: string;
}

/** The jobs queue and its dead-letter queue, as the worker writes to them. At most ten entries a call. */
export interface JobsQueue {
  /** Puts messages on the dead-letter queue. */
  sendDeadLetters(letters: readonly DeadLetter[]): Promise<NotTaken>;
}

/** The only source of time. */
export interface Clock {
  /** Epoch ms by the machine's clock, which may be set forwards and back. */
  nowMs(): number;
  /** Milliseconds by a monotonic clock of this process; it may pause while the machine sleeps. */
  uptimeMs(): number;
  sleep(ms: number): Promise<void>;
}

/** The only source of chance. */
export interface Random {
  /** At least 120 random bits as URL-safe text: nonces and owners. */
  id(): string;
  /** A number in [0, 1). */
  chance(): number;
}

/** Metrics of one invocation. */
export interface MetricValues {
  readonly values: Readonly<Partial<Record<MetricName, number>>>;
  readonly perCurrency: ReadonlyMap<string, Readonly<Partial<Record<MoneyMetricName, number>>>>;
}

/** Metrics for the people who run the worker. Never rejects, never throws. */
export interface Metrics {
  publish(figures: MetricValues): void;
}

/** The log. Its fields and events are those of log-fields.ts, never text from outside. Never rejects, never throws. */
export interface Log {
  write(level: 'info' | 'warn' | 'error', event: LogEvent, fields: LogFields): void;
}
