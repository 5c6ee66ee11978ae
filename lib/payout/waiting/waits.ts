// WAITS: every reason for which a job waits, one row each: who may end it, and what the line and people make of it. The place of
// a wait follows from its length: a short one is on SQS by its visibility time-out, a longer one in the table `waiting`. A job of
// a line is in it from its first moment on, and its lane pulls it. How long each wait is, submit/disposition.ts says.

/** One reason. */
interface Wait {
  /** The person or answer that ends it before its time. */
  readonly endedBy: string;
  /** Until its lane comes to it. */
  readonly inLine?: true;
  /** Nothing goes on before a person has done something. */
  readonly needsPerson?: true;
  /** There is an order, and its refusal may wait for its look. */
  readonly mayWaitForLook?: true;
}

/** The table of waits. */
const waits = {
  /** More jobs than the lane lets through. */
  pace: { inLine: true, endedBy: 'the gateway, as fast as it takes them' },
  'lane-slow': { inLine: true, endedBy: 'the gateway, as fast as it takes them' },
  'lane-closed': { inLine: true, endedBy: 'a probe that the gateway answers, or a person' },
  'lane-paused': { inLine: true, needsPerson: true, endedBy: 'a person' },
  'lane-unknown': { endedBy: 'the table of controls' },
  'not-before': { endedBy: 'time' },
  paused: { needsPerson: true, endedBy: 'a person' },
  doubt: { endedBy: 'the gateway, or a person' },
  'controls-unknown': { endedBy: 'the table of controls' },
  'approval-unknown': { endedBy: 'the table of batches' },
  /** A secret that is missing, or can't sign this. */
  secret: { needsPerson: true, endedBy: 'a person, who mends the secret' },
  /** An error that nobody foresaw. */
  failed: { endedBy: 'the next delivery' },
  /** The ledger does not answer, or may have lost the order. */
  ledger: { endedBy: 'the ledger, or the end of its restore' },
  /** Another worker is at its order. */
  busy: { mayWaitForLook: true, endedBy: 'the other message of the order' },
  rests: { endedBy: 'time' },
  /** The order is proven not sent. */
  unsent: { mayWaitForLook: true, endedBy: 'the gateway' },
  /** Nobody knows whether it was taken. */
  kept: { endedBy: 'the gateway, or a person' },
  'no-time': { endedBy: 'the next invocation' },
  /** The answer goes another way. */
  answer: { endedBy: "the worker's own queue" },
  /** The row can't be opened, or ended. */
  unopened: { endedBy: 'the key of what waits, or its table' },
  unnoted: { endedBy: 'the ledger' },
} as const satisfies Readonly<Record<string, Wait>>;

/** The reasons of a wait. */
export type WaitName = keyof typeof waits;

const unknownWait: Wait = { endedBy: 'what this version does not know' };

/** The row of a reason; also of one that this version does not know. */
const rowOf = (because: string): Wait => (Object.hasOwn(waits, because) ? waits[because as WaitName] : unknownWait);

/** True where the order may say that nothing may be sent yet. */
export const mayWaitForLook = (because: string): boolean => rowOf(because).mayWaitForLook === true;

/** True where nothing goes on before a person has done something. */
export const needsPerson = (because: string): boolean => rowOf(because).needsPerson === true;

/** The person or answer that ends the wait, as a text. */
export const endedBy = (because: string): string => rowOf(because).endedBy;

/** So long a message stays on SQS by its visibility time-out; a longer wait becomes a row. */
export const shortWaitSeconds = { urgent: 20, row: 10 } as const;

/** True where the job is in its line at once, and nobody else decides when it goes. */
export const waitsInLine = (because: WaitName): boolean => rowOf(because).inLine === true;
