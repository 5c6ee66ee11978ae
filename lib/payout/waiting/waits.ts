// WAITS: every reason for which a job waits, one row each: how its wait grows, and who may end it. The place of a wait
// follows from its length: a short one is on SQS by its visibility time-out, a longer one in the table `waiting`. A job of a
// line is in it from its first moment on, and its lane pulls it.
import { defaultLimits, longestWaitDays, sqsMaxDelaySeconds } from '../limits.ts';

/**
 * `line`: until its lane comes to it. `moment`: until the moment that was named. `age`: as long again as it has waited.
 * `rounds`: three times as long at each look. The last two from a few seconds up to a quarter of an hour.
 */
type Growth = 'line' | 'moment' | 'age' | 'rounds';

/** One reason. */
interface Wait {
  readonly growth: Growth;
  /** The person or answer that ends it before its time. */
  readonly endedBy: string;
  /** The longest time between two looks. */
  readonly longestSeconds: number;
  /** In all, since its sender sent it; then it is a dead letter, or refused. */
  readonly givenUpSeconds: number;
}

const inAllSeconds = longestWaitDays * 86_400;
const shipped = { longestSeconds: sqsMaxDelaySeconds, givenUpSeconds: inAllSeconds };
const ofLine = { growth: 'line', longestSeconds: inAllSeconds, givenUpSeconds: inAllSeconds } as const;

/** The table of waits. */
const waits = {
  /** More jobs than the lane lets through. */
  pace: { ...ofLine, endedBy: 'the gateway, as fast as it takes them' },
  'lane-slow': { ...ofLine, endedBy: 'the gateway, as fast as it takes them' },
  'lane-closed': { ...ofLine, endedBy: 'a probe that the gateway answers, or a person' },
  'lane-paused': { ...ofLine, endedBy: 'a person' },
  'lane-unknown': { ...shipped, growth: 'age', endedBy: 'the table of controls' },
  'not-before': { ...shipped, growth: 'moment', longestSeconds: inAllSeconds, endedBy: 'time' },
  paused: { ...shipped, growth: 'age', endedBy: 'a person' },
  doubt: { ...shipped, growth: 'age', endedBy: 'the gateway, or a person' },
  'controls-unknown': { ...shipped, growth: 'age', endedBy: 'the table of controls' },
  'approval-unknown': { ...shipped, growth: 'age', endedBy: 'the table of batches' },
  /** A secret that is missing, or can't sign this. */
  secret: { ...shipped, growth: 'rounds', endedBy: 'a person, who mends the secret' },
  /** A merchant that nobody knows, or card data in the clear: not kept, so by visibility alone. */
  'not-kept': {
    ...shipped,
    growth: 'rounds',
    givenUpSeconds: defaultLimits.unknownMerchantWaitSeconds,
    endedBy: 'a person, who makes the secret',
  },
  /** The ledger does not answer, or may have lost the order. */
  ledger: { ...shipped, growth: 'rounds', endedBy: 'the ledger, or the end of its restore' },
  /** Another worker is at its order. */
  busy: { ...shipped, growth: 'rounds', endedBy: 'the other message of the order' },
  rests: { ...shipped, growth: 'moment', endedBy: 'time' },
  /** The order is proven not sent. */
  unsent: { ...shipped, growth: 'age', endedBy: 'the gateway' },
  /** Nobody knows whether it was taken. */
  kept: { ...shipped, growth: 'age', endedBy: 'the gateway, or a person' },
  'no-time': { ...shipped, growth: 'rounds', endedBy: 'the next invocation' },
  /** The answer goes another way. */
  answer: { ...shipped, growth: 'rounds', endedBy: "the worker's own queue" },
  /** The row can't be opened, or ended. */
  unopened: { ...shipped, growth: 'rounds', endedBy: 'the key of what waits, or its table' },
  unnoted: { ...shipped, growth: 'rounds', endedBy: 'the ledger' },
} as const satisfies Readonly<Record<string, Wait>>;

/** The reasons of a wait. */
export type WaitName = keyof typeof waits;

/** Reasons of a job whose order there is, and whose refusal may wait for its look. */
const ofOrders: ReadonlySet<string> = new Set<WaitName>(['unsent', 'busy']);

/** True where its order may say that nothing may be sent yet. */
export const mayWaitForLook = (because: string): boolean => ofOrders.has(because);

/** Reasons that a person alone ends. */
const ofPersons: ReadonlySet<string> = new Set<WaitName>(['lane-paused', 'paused', 'secret', 'not-kept']);

/** True where nothing goes on before a person has done something. */
export const needsPerson = (because: string): boolean => ofPersons.has(because);

/** The person or answer that ends the wait, as a text; also for a reason that this version does not know. */
export const endedBy = (because: string): string =>
  because in waits ? waits[because as WaitName].endedBy : 'what this version does not know';

/** So long a message stays on SQS by its visibility time-out; a longer wait becomes a row. */
export const shortWaitSeconds = { urgent: 20, row: 10 } as const;

/** True where the job is in its line at once, and nobody else decides when it goes. */
export const waitsInLine = (because: WaitName): boolean => waits[because].growth === 'line';
