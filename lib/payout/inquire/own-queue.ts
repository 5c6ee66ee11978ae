// The worker's own queue: checks that are due later, and answers that could not be written. No sender and no callback's door may
// write there, so a message on it is trusted as the worker's own.
import * as v from 'valibot';
import { attemptSchema, contentSchema, endSchema, packed } from '../order/fact-schemas.ts';
import { sqsMaxDelaySeconds } from '../limits.ts';
import type { Order } from '../order/order.ts';
import type { AttemptAnswer } from '../submit/write-answer.ts';
import type { Contract } from '../order/next.ts';
import type { NotTaken } from '../ports.ts';
import { type FirstLook, nextLookSeconds } from './rhythm.ts';

/** One thing to do. */
export type OwnTask =
  | {
      readonly kind: 'check';
      readonly key: string;
      /** Looks made when this one was sent: where the order has another number by then, it is dropped. */
      readonly number: number;
    }
  | ({ readonly kind: 'answer' } & AttemptAnswer);

/** The message as it is sent. */
export interface OwnMessage {
  readonly message: OwnTask;
  readonly delaySeconds: number;
}

/** The check of an order, so much later: by its number, which the next look of anybody changes. */
export const checkOf = ({ key, looks }: Pick<Order, 'key' | 'looks'>, delaySeconds: number): OwnMessage => ({
  message: { kind: 'check', key, number: looks },
  delaySeconds,
});

/** The same; undefined where a message can't wait so long: then the sweeper sends it when the order is due. */
export const checkIn = (order: Pick<Order, 'key' | 'looks'>, seconds: number): OwnMessage | undefined =>
  seconds <= sqsMaxDelaySeconds ? checkOf(order, seconds) : undefined;

/** The check that asks about the order next; undefined where nobody asks, or the sweeper is to. */
export function nextCheck(
  order: Order,
  nowMs: number,
  limits: FirstLook,
  contract?: Contract,
  atMostSeconds = Infinity,
): OwnMessage | undefined {
  const inSeconds = nextLookSeconds(order, nowMs, limits, contract);
  return inSeconds === undefined ? undefined : checkIn(order, Math.min(inSeconds, atMostSeconds));
}

/** The queue; at most ten messages a call. Losing a check only delays; an answer is also looked for by asking the gateway. */
export interface OwnQueue {
  send(messages: readonly OwnMessage[]): Promise<NotTaken>;
}

const whole = v.pipe(v.number(), v.integer());
const key = v.pipe(v.string(), v.nonEmpty());
const said = v.omit(endSchema, ['id', 'number', 'atMs', 'saw', 'sawUnattributed']);
const schema = v.pipe(
  v.string(),
  v.parseJson(),
  v.variant('kind', [
    v.object({ kind: v.literal('check'), key, number: whole }),
    v.object({
      kind: v.literal('answer'),
      key,
      attempt: attemptSchema,
      content: v.exactOptional(contentSchema),
      verdict: v.exactOptional(said),
    }),
  ]),
);

/** The message as text. */
export const writeOwnTask = (task: OwnTask): string => packed(task);

/** Reads a message; undefined for what this version can't read. */
export function readOwnTask(text: string): OwnTask | undefined {
  const read = v.safeParse(schema, text);
  return read.success ? read.output : undefined;
}
