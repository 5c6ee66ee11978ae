// What became of the payments of a local run, by the ledger.
import type { Money } from '../gateway/money.ts';
import type { Payment } from '../operate/verdict.ts';
import { type Job, parseJob } from '../payout/message/job.ts';
import type { Result } from '../payout/message/result.ts';
import { orderKey } from '../payout/order/order.ts';
import type { OrderView } from '../payout/order/projection.ts';
import type { Standing } from '../payout/order/standing.ts';

/** One message that was put on the jobs queue. */
export interface SentMessage {
  /** Line in the jobs file, from 1. */
  readonly line: number;
  readonly messageId: string;
  readonly body: string;
}

/** Everything that was seen. */
export interface RunEvidence {
  readonly sent: readonly SentMessage[];
  readonly results: readonly Result[];
  readonly deadLetterMessageIds: readonly string[];
  /** The orders of the messages as the ledger has them, by key. */
  readonly orders: ReadonlyMap<string, OrderView>;
  /** Orders without an end that still have a message on a queue or in the table, by key, each with what is known of its wait. */
  readonly waiting?: ReadonlyMap<string, Pick<Payment, 'failure' | 'remedy'>>;
}

/** One payment of the run. */
interface RunPayment extends Payment {
  readonly money?: Money;
}

/** The job of a message; undefined if it is none. */
export function jobOf({ body }: Pick<SentMessage, 'body'>): Job | undefined {
  const parsed = parseJob(body);
  return parsed.kind === 'job' ? parsed.job : undefined;
}

/** One payment for each order, and one for each message that became none. */
export function runPayments({ sent, results, deadLetterMessageIds, orders, waiting }: RunEvidence): RunPayment[] {
  const refusals = new Map(
    results.filter((it) => !it.revision).map((it) => [it.resultId.split('/', 2).join('/'), it] as const),
  );
  const dead = new Set(deadLetterMessageIds);
  const payments = new Map<string, RunPayment>();
  for (const message of sent) {
    const job = jobOf(message);
    const refusal = refusals.get(`rejected/${message.messageId}`);
    const line = `line ${message.line}`;
    if (refusal || !job) {
      const { status, failure } = refusal ?? {};
      const standing = status === 'cancelled' ? status : refusal ? 'rejected' : missing(message, dead);
      payments.set(line, { standing, order: line, failure, money: job?.money });
      continue;
    }
    const key = orderKey(job);
    const order = orders.get(key);
    const { failure, remedy } = waiting?.get(key) ?? {};
    const known = { order: key, money: job.money, failure, remedy };
    if (order) payments.set(key, { ...known, standing: order.standing, failure: order.failure ?? failure });
    else if (!payments.has(key)) payments.set(key, { ...known, standing: missing(message, dead) });
  }
  return [...payments.values()];
}

const missing = ({ messageId }: SentMessage, dead: ReadonlySet<string>): Standing =>
  dead.has(messageId) ? 'dead-letter' : 'not-started';
