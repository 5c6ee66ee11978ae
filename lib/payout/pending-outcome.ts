// An answer that the ledger could not take rides on a copy of the job message until it can: two stores must fail at
// once before an answer is lost. The owner in it is known to the ledger and this message alone, so a stranger who can
// write to the queue still can't settle an order.
import { type FailureCode, isFailureCode } from './failures.ts';
import * as v from 'valibot';
import { notProcessedReasons } from '../gateway/gateway-outcome.ts';
import type { Outcome } from './outcome.ts';

/** The outcome of an attempt and who made it. */
export interface PendingOutcome {
  readonly owner: string;
  readonly attempts: number;
  readonly statusInquiry: boolean;
  readonly outcome: Outcome;
  /** Where the attempt was sent to (gateway/account.ts). */
  readonly account?: string;
  /** The message that claimed it: one that is brought back has another id. */
  readonly messageId?: string;
}

const failure = v.object({
  code: v.custom<FailureCode>((code) => typeof code === 'string' && isFailureCode(code)),
  message: v.string(),
  gatewayCode: v.exactOptional(v.string()),
  httpStatus: v.exactOptional(v.number()),
});

const ids = { gatewayOrderId: v.exactOptional(v.string()), gatewayAlias: v.exactOptional(v.string()) };

/** Versions before this one wrote a refused signature so. */
const credentialsRefused = v.pipe(
  v.object({ kind: v.literal('credentials-refused'), failure }),
  v.transform((it) => ({ ...it, kind: 'not-processed' as const, reason: 'credentials-refused' as const })),
);

const outcome = v.variant('kind', [
  v.object({ kind: v.literal('accepted'), ...ids }),
  v.object({ kind: v.literal('declined'), failure }),
  v.object({
    kind: v.literal('not-processed'),
    reason: v.picklist(notProcessedReasons),
    failure,
    retryAfterSeconds: v.exactOptional(v.number()),
  }),
  credentialsRefused,
  v.object({ kind: v.literal('check-unanswered'), failure }),
  v.object({ kind: v.literal('retryable'), failure }),
  v.object({ kind: v.literal('unsendable'), failure }),
  v.object({ kind: v.literal('capped'), failure }),
  v.object({ kind: v.literal('spent'), failure }),
  v.object({ kind: v.literal('in-doubt'), failure, ...ids }),
]);

const schema = v.object({
  owner: v.string(),
  attempts: v.number(),
  statusInquiry: v.boolean(),
  outcome,
  account: v.exactOptional(v.string()),
  messageId: v.exactOptional(v.string()),
});

/** The answer as message text. */
export function writePendingOutcome(answer: PendingOutcome): string {
  return JSON.stringify(answer);
}

/** The answer out of message text; undefined when it can't be read, and the order is then judged by the ledger alone. */
export function readPendingOutcome(text: string | undefined): PendingOutcome | undefined {
  if (text === undefined) return undefined;
  try {
    const read = v.safeParse(schema, JSON.parse(text));
    return read.success ? read.output : undefined;
  } catch {
    return undefined;
  }
}
