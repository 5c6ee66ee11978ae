// When a job comes back. Each wait is drawn from its upper quarter, so that jobs which failed together do not return together,
// and grows so fast that waiting costs ten deliveries in the first hour and six in each after it (test/stories/outages.test.ts).
import { type Limits, longestWaitDays, sqsMaxDelaySeconds, sqsMaxVisibilitySeconds } from './limits.ts';

/** Seconds until the job is seen again. `receiveCount` counts from 1; `chance` is drawn from [0, 1) by the caller. */
export function retryDelaySeconds(
  it: { readonly receiveCount: number; readonly chance: number },
  limits: Pick<Limits, 'retryFirstDelaySeconds' | 'retryMaxDelaySeconds'>,
): number {
  const exponent = Math.min(Math.max(it.receiveCount - 1, 0), 30);
  const longest = Math.min(limits.retryFirstDelaySeconds * 3 ** exponent, limits.retryMaxDelaySeconds);
  return Math.min(jittered(longest, it.chance), sqsMaxDelaySeconds);
}

const jittered = (longest: number, chance: number) => Math.max(Math.ceil(longest * (0.75 + chance / 4)), 1);

/**
 * Seconds until a job that waits for the world is tried again: up to twice as long as it has waited, and a quarter of an
 * hour at most. So an outage is over for it soon after it is over, and costs a few tries an hour.
 */
export function growingDelaySeconds(
  it: { readonly ageSeconds: number; readonly chance: number; readonly retryAfterSeconds?: number },
  { retryFirstDelaySeconds, retryMaxDelaySeconds }: Pick<Limits, 'retryFirstDelaySeconds' | 'retryMaxDelaySeconds'>,
): number {
  const longest = Math.min(Math.max(2 * it.ageSeconds, retryFirstDelaySeconds), retryMaxDelaySeconds);
  // The gateway's Retry-After counts, up to what SQS can wait: coming earlier would only be refused again.
  return Math.min(Math.max(jittered(longest, it.chance), it.retryAfterSeconds ?? 0), sqsMaxDelaySeconds);
}

/** True when SQS would not deliver the message again: this receive is the last that can publish a result for the sender. */
export function isLastReceive(
  { waits, isKept }: { readonly waits: number; readonly isKept?: true },
  limits: Pick<Limits, 'maxReceiveCount'>,
): boolean {
  return !isKept && waits + 1 >= limits.maxReceiveCount;
}

// A message that came before waits where it is, by its visibility. Each end of such a wait counts as a receive, although
// nothing has failed; so SQS allows a thousand (its most), and what waits for long comes seldom enough for 14 days of it:
// 200 receives as often as the wait asks, and then 28 a day are 592. What really crashes is counted by itself.

/** From so many receives on a message comes every half an hour at most. */
const receivesInHaste = 200;
const patientSeconds = 1_800;
/** A result that could not be published is tried again so many times later each time. */
const waitGrowth = 4;

/** Seconds for which a message stays hidden, by its looks so far and the wait that is due. */
export function hiddenSeconds({
  waits,
  delaySeconds,
}: {
  readonly waits: number;
  readonly delaySeconds: number;
}): number {
  const patient = waits + 1 >= receivesInHaste ? Math.max(delaySeconds, patientSeconds) : delaySeconds;
  return Math.min(Math.max(Math.ceil(patient), 1), sqsMaxVisibilitySeconds);
}

/** Seconds until a result that could not be published is tried again: as shipped 15 s, 1, 4 and 15 minutes. */
export const unpublishedSeconds = (
  receiveCount: number,
  limits: Pick<Limits, 'retryFirstDelaySeconds' | 'retryMaxDelaySeconds'>,
): number => Math.min(limits.retryFirstDelaySeconds * waitGrowth ** (receiveCount - 1), limits.retryMaxDelaySeconds);

const lastLookSeconds = 3_600;
/** Seconds to the last look at a message, before SQS deletes it 14 days after it was put there; 0 or less at that look. */
export const lastLookInSeconds = (putAtMs: number, nowMs: number): number =>
  Math.floor((putAtMs - nowMs) / 1000) + longestWaitDays * 86_400 - lastLookSeconds;

/** From so many receives on the deliveries of a message are counted: the usual message costs no write more. */
export const countedReceives = 3;
/** So many of them in a row may crash before it is laid aside; from the first one on it is worked on alone. */
export const crashesAtMost = 5;
