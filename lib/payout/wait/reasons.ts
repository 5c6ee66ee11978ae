// REASONS: every reason for which a job waits, one line each: how long at first, how it grows, how long at most, and the person or answer
// that ends the wait. A wait is a parked job. Waits that an outage of AWS causes are five minutes long at most.
import { defaultLimits, type Limits } from '../limits.ts';

interface Reason {
  /** The person or answer that ends it. */
  readonly endedBy: string;
  /**
   * The job is in the line of its lane, ordered by its first sending, and goes when the lane's pace allows. It has no moment of its own.
   */
  readonly inLine?: true;
  /** Nothing goes on before a person has done something. */
  readonly needsPerson?: true;
  /** The wait in seconds: `growth` times the job's age, but at least `first` and at most `longest`. */
  readonly first?: number;
  readonly growth?: number;
  readonly longest?: number;
}

const outage = { first: 15, growth: 1, longest: 300 } as const;
const lane = { inLine: true } as const;

const reasons = {
  /** More jobs than the lane lets through. */
  pace: { ...lane, endedBy: 'the gateway, as fast as it takes them' },
  'lane-slow': { ...lane, endedBy: 'the gateway, as fast as it takes them' },
  'lane-closed': { ...lane, endedBy: 'a probe that the gateway answers, or a person' },
  /** A person has paused this lane; `paused`: its merchant, or all of them. */
  'lane-paused': { ...lane, needsPerson: true, endedBy: 'a person' },
  paused: { ...lane, needsPerson: true, endedBy: 'a person' },
  'lane-unknown': { ...outage, endedBy: 'the table of controls' },
  'controls-unknown': { ...outage, endedBy: 'the table of controls' },
  'approval-unknown': { ...outage, endedBy: 'the table of batches' },
  'not-before': { endedBy: 'time' },
  rests: { endedBy: 'time' },
  /** Its merchant has more money in doubt than its limit: the leader releases none. */
  doubt: { ...lane, endedBy: 'the gateway, or a person' },
  /** Above a cap; looked at again now and then, as the cap may be raised. */
  cap: { first: 300, growth: 1, longest: 3_600, needsPerson: true, endedBy: 'the next day, a raised cap, or a person' },
  /** It was proven before. */
  'approval-lost': { ...outage, needsPerson: true, endedBy: 'a person, who puts its approval back' },
  'key-lost': { ...outage, needsPerson: true, endedBy: 'a person, who puts the key of its seal back' },
  /** The secret is missing, or can't sign this job. */
  secret: { ...outage, needsPerson: true, endedBy: 'a person, who corrects the secret' },
  'account-unknown': { ...outage, needsPerson: true, endedBy: 'an approver, who registers its account' },
  /** An unexpected error. */
  failed: { ...outage, endedBy: 'the next delivery' },
  /** The ledger does not answer. */
  ledger: { ...outage, endedBy: 'the ledger, or the end of its restore' },
  /** Another worker is sending its order, or the job is not proven, and nothing but a name is known of its order. */
  busy: { first: 15, growth: 1, longest: 300, endedBy: 'the other message of the order' },
  /** The order is proven not sent, or was refused, and is asked about before it is sent again. */
  unsent: { first: 15, growth: 2, longest: 900, endedBy: 'the gateway' },
  /** The gateway was asked too often: the lane says when to go on. */
  'too-fast': { ...lane, endedBy: 'the gateway, as fast as it takes them' },
  /** The order may have been taken: it is in doubt or held. Its end brings the job forward. */
  undecided: { first: 86_400, growth: 0, longest: 86_400, endedBy: 'the gateway, or a person' },
  'no-time': { first: 1, growth: 1, longest: 300, endedBy: 'the next invocation' },
  /** The attempt's answer could not be written: it goes over the worker's own queue. */
  answer: { ...outage, endedBy: "the worker's own queue" },
  /** Its result, or its dead letter, could not be sent. */
  unpublished: { ...outage, endedBy: 'the queues' },
  /** Its body can't be opened. */
  unopened: { ...outage, endedBy: 'the key of the waiting jobs' },
  /** Its message came a second time, or its order has changed. */
  again: { first: 0, growth: 0, longest: 0, endedBy: 'the leader' },
} as const satisfies Readonly<Record<string, Reason>>;

/** The reasons of a wait. */
export type WaitName = keyof typeof reasons;

const unknownReason: Reason = { ...outage, endedBy: 'what this version does not know' };

/** The row of a reason; of an unknown one too. */
const reasonOf = (because: string): Reason =>
  Object.hasOwn(reasons, because) ? reasons[because as WaitName] : unknownReason;

/** True if nothing goes on before a person has done something. */
export const needsPerson = (because: string): boolean => reasonOf(because).needsPerson === true;

/** The person or answer that ends the wait, as a text. */
export const endedBy = (because: string): string => reasonOf(because).endedBy;

/** True if the job is in the line of its lane. */
export const waitsInLine = (because: string): boolean => reasonOf(because).inLine === true;

/** The times that a wait is made of. */
export interface WaitTimes {
  readonly nowMs: number;
  /** Since when the job waits. */
  readonly sinceMs: number;
  /** Nothing earlier is of use: a lease, a rest, the gateway's Retry-After. */
  readonly notBeforeMs?: number;
  /** The wait ends by itself then at the latest. */
  readonly untilMs?: number;
  /** In [0, 1): spreads jobs that failed together. */
  readonly chance: number;
}

/** The settings that the waits of the table are in proportion to. */
type WaitScale = Pick<Limits, 'retryFirstDelaySeconds' | 'retryMaxDelaySeconds'>;

/** The moment from which a job that waits for this reason may go (epoch ms). */
export function waitUntilMs(because: WaitName, times: WaitTimes, scale: WaitScale): number {
  const { inLine, first = 0, growth = 0, longest = 0 } = reasonOf(because);
  if (inLine) return times.sinceMs;
  const factor = scale.retryFirstDelaySeconds / defaultLimits.retryFirstDelaySeconds;
  const atMost = longest > defaultLimits.retryMaxDelaySeconds ? longest : Math.min(longest, scale.retryMaxDelaySeconds);
  const ageSeconds = Math.max(times.nowMs - times.sinceMs, 0) / 1000;
  const seconds = Math.min(Math.max(first * factor, growth * ageSeconds), atMost) * (0.75 + times.chance / 4);
  const atMs = Math.max(times.nowMs + Math.ceil(seconds * 1000), times.notBeforeMs ?? 0);
  return times.untilMs === undefined ? atMs : Math.min(atMs, Math.max(times.untilMs, times.nowMs));
}
