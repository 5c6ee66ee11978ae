// What follows from one attempt: the gateway's outcome, and what the kernel itself decides before a byte leaves.
import * as v from 'valibot';
import { type GatewayOutcome, notProcessedReasons } from '../gateway/gateway-outcome.ts';
import { holdsCardData } from '../gateway/redact.ts';
import { type Failure, type FailureCode, isFailureCode } from './failures.ts';
import type { Sign } from './lane-brake.ts';
import type { Job } from './job.ts';
import type { LedgerEntry } from './ledger.ts';

/** What follows from one attempt. */
export type Outcome =
  | GatewayOutcome<FailureCode>
  /** Never sent for want of something that is ours to get: the same order may be sent again later. */
  | { readonly kind: 'retryable'; readonly failure: Failure }
  /** Never sent and not worth sending as it is: past its time, or against the merchant's contract. */
  | { readonly kind: 'unsendable'; readonly failure: Failure }
  /** Never sent, for a person to decide: above a cap. */
  | { readonly kind: 'capped'; readonly failure: Failure }
  /** Never sent, and never again as it is: its single-use card data is gone. For the sender, who has the card. */
  | { readonly kind: 'spent'; readonly failure: Failure };

/** What came of the attempt. */
export interface PostedAttempt {
  readonly outcome: Outcome;
  /** POSTs made for the order so far. */
  readonly attempts: number;
  readonly statusInquiry: boolean;
  /** The claim as it stands by now, where the attempt has written it anew. */
  readonly entry?: LedgerEntry;
}

// What serves one attempt alone. A CVV may not be kept once its order was sent (PCI DSS 3.3.1), so the claim destroys the
// key that it is sealed under: whatever the attempt comes to, that message can't be sent again.

/** Why an order waits for its sender: never sent, and what would be needed to send it is gone. */
export function newCardDataNeeded(why: string): Failure {
  return { code: 'NEW_CARD_DATA_NEEDED', message: `${why}; seal the card data anew and send the order again` };
}

/** The outcome of an attempt that took single-use card data: what could be sent again without it no longer can. */
export function afterSingleUse(outcome: Outcome): Outcome {
  if (outcome.kind !== 'retryable' && outcome.kind !== 'not-processed') return outcome;
  const { code, gatewayCode, httpStatus } = outcome.failure;
  const said = { ...(gatewayCode !== undefined && { gatewayCode }), ...(httpStatus !== undefined && { httpStatus }) };
  return { kind: 'spent', failure: { ...newCardDataNeeded(code), ...said } };
}

/** Why nothing was sent under a claim that may stand. */
export const claimUnanswered = { code: 'NOT_SENT', message: 'the ledger did not answer the claim' } as const;

/** The claim may stand although its answer was lost; that nothing was sent under it is known to whoever claimed alone. */
export function neverSent({ sealedCode }: Pick<Job, 'sealedCode'>): Omit<PendingOutcome, 'owner'> {
  const outcome = { kind: 'retryable', failure: claimUnanswered } as const;
  return { attempts: 1, statusInquiry: false, outcome: sealedCode ? afterSingleUse(outcome) : outcome };
}

/** What an attempt says of the gateway, and of the account there. */
export function signOf(outcome: Outcome): Pick<Sign, 'says' | 'code' | 'retryAfterSeconds' | 'isBusy'> {
  switch (outcome.kind) {
    case 'accepted':
      return { says: 'accepted' };
    case 'declined':
      return { says: 'refused', code: outcome.failure.gatewayCode ?? outcome.failure.code };
    case 'not-processed':
      return notProcessed(outcome);
    case 'in-doubt':
    case 'check-unanswered': {
      const { httpStatus, code } = outcome.failure;
      // It has the order, whatever else it says of it.
      if ('gatewayOrderId' in outcome || 'gatewayAlias' in outcome) return { says: 'answered' };
      if (httpStatus === undefined || code === 'NO_ANSWER') return { says: 'no-answer' };
      return { says: httpStatus >= 500 ? 'server-error' : 'unclear', ...(httpStatus === 503 && { isBusy: true }) };
    }
    case 'retryable':
    case 'unsendable':
    case 'capped':
    case 'spent':
      return { says: 'nothing' };
  }
}

function notProcessed({ reason, failure, retryAfterSeconds }: Extract<Outcome, { kind: 'not-processed' }>) {
  switch (reason) {
    case 'rate-limited':
      return { says: 'slow-down', ...(retryAfterSeconds !== undefined && { retryAfterSeconds }) } as const;
    case 'not-sent':
      return { says: 'not-connected' } as const;
    case 'credentials-refused':
      return { says: 'credentials' } as const;
    case 'account':
      return { says: 'account', ...(failure.gatewayCode !== undefined && { code: failure.gatewayCode }) } as const;
    case 'address':
      return { says: 'address' } as const;
  }
}

// An answer that the ledger could not take rides on a copy of the job message until it can: two stores must fail at
// once before an answer is lost. The owner in it is known to the ledger and this message alone, so a stranger who can
// write to the queue still can't settle an order.

/** The outcome of an attempt and who made it. */
export interface PendingOutcome {
  readonly owner: string;
  readonly attempts: number;
  readonly statusInquiry: boolean;
  readonly outcome: Outcome;
  /** Where the attempt was sent to (gateway/signed-request.ts). */
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

/** As much of an answer as every version writes: who made it, and something that came of it. */
const ofAnyVersion = v.object({ owner: v.string(), attempts: v.number(), outcome: v.object({ kind: v.string() }) });

/** True for an answer that this version can't read: newer code wrote it, and takes it. */
export function isOfNewerCode(text: string | undefined): boolean {
  if (text === undefined || readPendingOutcome(text)) return false;
  try {
    return v.is(ofAnyVersion, JSON.parse(text));
  } catch {
    return false;
  }
}

/** The answer as it lies among dead letters; what is none stays behind, as strangers may write anything there. */
export function keptAnswer(text: string | undefined): string | undefined {
  const answer = readPendingOutcome(text);
  if (answer) return writePendingOutcome(answer);
  return text !== undefined && isOfNewerCode(text) && !holdsCardData(text) ? text : undefined;
}
