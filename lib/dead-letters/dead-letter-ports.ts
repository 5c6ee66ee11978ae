// The dead-letter queue as its operator uses it. Nothing is lost by looking: what was taken is hidden from
// others for a while and then seen again, whatever becomes of the one who looked.
import type { NotTaken } from '../payout/ports.ts';

/** A message attribute as SQS keeps it. */
export interface MessageAttribute {
  readonly dataType: string;
  readonly text?: string;
  readonly bytes?: Uint8Array;
}

/** One message on the dead-letter queue. */
export interface DeadMessage {
  readonly messageId: string;
  /** The receipt of this receive alone. */
  readonly handle: string;
  readonly body: string;
  readonly attributes: ReadonlyMap<string, MessageAttribute>;
  /** By the worker to the dead-letter queue; by its sender to the jobs queue, where SQS itself moved it. */
  readonly sentAtMs: number;
  /** SQS moved it here, its receives used up; false where nothing says so. */
  readonly movedBySqs: boolean;
  readonly groupId?: string;
}

/** A message on its way back: a row of a batch to the queue of rows, any other to the jobs queue. */
export type RedrivenMessage = Pick<DeadMessage, 'body' | 'attributes' | 'groupId'> & { readonly batchId?: string };

/** The dead-letter queue, and the queues that its letters come from. At most ten a call, except to give back. */
export interface DeadLetters {
  /** Takes up to ten and hides them for `deadLetterHiddenSeconds`. Empty when none was there within a second. */
  take(): Promise<readonly DeadMessage[]>;
  /** Shows them again at once. Best effort: what could not be shown is seen when its time is over. */
  giveBack(messages: readonly DeadMessage[]): Promise<void>;
  /** Puts new messages on the queues that they belong to; the letters stay where they are. Rejects when none was taken. */
  send(messages: readonly RedrivenMessage[]): Promise<NotTaken>;
  /** Deletes letters for good. A deletion that fails leaves the letter there, which is harmless. */
  remove(messages: readonly DeadMessage[]): Promise<NotTaken>;
  /** How many there are, those that somebody looks at included; approximate, as SQS counts. */
  depth(): Promise<number>;
}
