// The dead-letter queue for its operator, and how a dead letter is read: who put it on the queue and why, what it holds, and what it
// becomes when it is sent again. Reading loses nothing: a letter that was received is hidden for a while and then visible again.
import { withMember } from '../payout/message/json-text.ts';
import { readJob, type ReadJob } from '../payout/message/read-job.ts';
import { operations } from '../gateway/operations.ts';
import { redact, sensitiveValues, withoutCardData } from '../gateway/redact.ts';
import { orderKey } from '../payout/order/order.ts';
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
  /** By the worker to the dead-letter queue; by its sender to the jobs queue, if SQS itself moved it. */
  readonly sentAtMs: number;
  /** SQS moved it here, after its last receive; false if nothing says so. */
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
  /** How many there are, hidden ones included; SQS's count is approximate. */
  depth(): Promise<number>;
}

/** A dead letter without anything that must not be seen: no fields of the job, no card data. */
export interface DeadLetterView {
  readonly messageId: string;
  /** The message that the sender sent. */
  readonly originMessageId: string;
  /** The worker put it there with a reason, or SQS moved it there after its last receive. */
  readonly from: 'worker' | 'sqs';
  /** Why, if the worker put it there. */
  readonly code?: string;
  readonly reason?: string;
  readonly sentAtMs: number;
  /** How often it came back already. */
  readonly redrives: number;
  readonly operation?: string;
  readonly merchant?: string;
  /** The order's key in the ledger, or what can be read of it. */
  readonly order?: string;
  readonly batchId?: string;
}

/** Reads a letter for a person. Never throws: a letter that cannot be read is listed by its id, and hides no other. */
export function letterView(deadLetter: DeadMessage): DeadLetterView {
  try {
    return readLetter(deadLetter);
  } catch {
    const { messageId, sentAtMs } = deadLetter;
    return {
      messageId,
      originMessageId: messageId,
      from: 'sqs',
      reason: 'this version cannot read it',
      sentAtMs,
      redrives: 0,
    };
  }
}

function readLetter(deadLetter: DeadMessage): DeadLetterView {
  const { messageId, sentAtMs } = deadLetter;
  const read = readJob(deadLetter.body);
  const { operation, merchant, batchId } = read.kind === 'job' ? read.job : read.identity;
  const order = orderOf(read);
  const text = (name: string) => attributeText(deadLetter, name);
  const values = read.kind === 'job' ? sensitiveValues(read.job) : [];
  const [code, reason] = [text('reasonCode'), text('reason')];
  return {
    messageId,
    originMessageId: originOf(deadLetter),
    from: deadLetter.movedBySqs || code === undefined ? 'sqs' : 'worker',
    code: code && redact(code, values),
    reason: reason && redact(reason, values),
    sentAtMs,
    redrives: redrivesOf(deadLetter),
    operation,
    merchant,
    order,
    batchId,
  };
}

const shownAtMost = 2_000;

/** The body for a person who corrects or discards it: without card data, and without the value of any field that is never shown. */
export function shownBody({ body }: Pick<DeadMessage, 'body'>): string {
  return withoutCardData(withoutSensitive(body)).slice(0, shownAtMost);
}

const hiddenNames = new Set(
  Object.values(operations).flatMap(({ fields }) =>
    Object.entries(fields).flatMap(([name, it]) => (it?.sensitive ? [name] : [])),
  ),
);

/** The value of one of these names in a text: JSON that breaks off, or is a text in JSON, or a form. */
const namedValue = new RegExp(
  `((?:${[...hiddenNames].join('|')})[\\\\"'\\s]*[:=][\\\\"'\\s[{]*)[^\\\\"',;&}\\]]*`,
  'gi',
);
const hiddenIn = (text: string) => text.replaceAll(namedValue, '$1[hidden]');

function withoutSensitive(body: string): string {
  const hidden = (name: string, value: unknown) => {
    if (hiddenNames.has(name.toLowerCase())) return '[hidden]';
    return typeof value === 'string' ? hiddenIn(value) : value;
  };
  try {
    return JSON.stringify(JSON.parse(body, hidden));
  } catch {
    return hiddenIn(body);
  }
}

/** A message that can't be read may bear anything in the place of an order id. */
function orderOf(read: ReadJob): string | undefined {
  if (read.kind === 'job') return orderKey(read.job);
  const { merchant, orderId } = read.identity;
  return orderId === undefined ? undefined : `${merchant ?? '?'}/${redact(orderId, [])}`;
}

/** The message that the sender sent. Only the worker names another one than the letter itself: SQS moves what any sender wrote. */
export function originOf(deadLetter: DeadMessage): string {
  const { messageId, movedBySqs } = deadLetter;
  return (movedBySqs ? undefined : attributeText(deadLetter, 'originalMessageId')) ?? messageId;
}

/** How often a letter came back from the dead-letter queue already. */
function redrivesOf(deadLetter: Pick<DeadMessage, 'attributes'>): number {
  return Number(attributeText(deadLetter, 'redrives')) || 0;
}

/** The text of an attribute. */
export function attributeText({ attributes }: Pick<DeadMessage, 'attributes'>, name: string): string | undefined {
  return attributes.get(name)?.text;
}

const textOf = (number: number): MessageAttribute => ({ dataType: 'String', text: String(number) });

/** The attributes of the old delivery, which a new message does not bear. */
const leftBehind: ReadonlySet<string> = new Set(['reasonCode', 'reason', 'originalMessageId', 'sentAtMs', 'waits']);

/** When its message was first sent. A letter that SQS has moved bears what its sender wrote: no later time than its own. */
export function firstSentOf({ attributes, sentAtMs }: Pick<DeadMessage, 'attributes' | 'sentAtMs'>): number {
  const named = Number(attributeText({ attributes }, 'firstSentAtMs'));
  return named > 0 && named < sentAtMs ? named : sentAtMs;
}

/** The letter as it came, as a new message; if its order has ended, with the name of the end that a person saw. */
export function redrivenOf(
  { body: came, attributes, groupId, sentAtMs }: DeadMessage,
  resends?: string,
): RedrivenMessage {
  const body = resends === undefined ? came : withMember(came, 'resends', JSON.stringify(resends));
  const kept = [...attributes].filter(([name]) => !leftBehind.has(name));
  const read = readJob(body);
  const { batchId } = read.kind === 'job' ? read.job : read.identity;
  const firstSentAtMs = firstSentOf({ attributes, sentAtMs });
  const redrives = textOf(redrivesOf({ attributes }) + 1);
  return {
    body,
    attributes: new Map([...kept, ['firstSentAtMs', textOf(firstSentAtMs)], ['redrives', redrives]]),
    groupId,
    batchId,
  };
}
