// When a retryable job comes back. With the shipped limits: after about 15 s, 30 s, 1 min and 2 min; the fifth receive
// is the last. Each wait is drawn from its upper half, so that jobs which failed together do not return together.
import type { Limits } from './limits.ts';
import { sqsMaxDelaySeconds } from './limits.ts';

/** Seconds until the job is seen again. `receiveCount` counts from 1; `chance` is drawn from [0, 1) by the caller. */
export function retryDelaySeconds(
  it: { readonly receiveCount: number; readonly chance: number; readonly retryAfterSeconds?: number },
  limits: Pick<Limits, 'retryFirstDelaySeconds' | 'retryMaxDelaySeconds'>,
): number {
  const exponent = Math.min(Math.max(it.receiveCount - 1, 0), 30);
  const longest = Math.min(limits.retryFirstDelaySeconds * 2 ** exponent, limits.retryMaxDelaySeconds);
  const jittered = Math.ceil(longest * (0.5 + it.chance / 2));
  // The gateway's own word counts, up to what SQS can wait: coming earlier would only be refused again.
  return Math.min(Math.max(jittered, it.retryAfterSeconds ?? 0, 1), sqsMaxDelaySeconds);
}

/** True when SQS would not deliver the message again: this receive is the last that can tell the sender anything. */
export function isLastReceive(receiveCount: number, limits: Pick<Limits, 'maxReceiveCount'>): boolean {
  return receiveCount >= limits.maxReceiveCount;
}
