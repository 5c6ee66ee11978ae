// The worker's own queue: questions that are due, released by the leader, and answers that could not be written. No sender and no callback's door may
// write there, so a message on it is trusted as the worker's own.
import * as v from 'valibot';
import { attemptSchema, contentSchema, endSchema, packed, type Read } from '../order/fact-schemas.ts';
import type { NotTaken } from '../ports.ts';
import { turnSchema } from '../wait/references.ts';

/** One thing to do: a question about an order, or an answer (AttemptAnswer). */
export type OwnTask = Read<typeof schema>;

/** The message as it is sent. */
export interface OwnMessage {
  readonly message: OwnTask;
  readonly delaySeconds: number;
}

/** The queue; at most ten messages a call. Losing a check only delays; an answer is also looked for by asking the gateway. */
export interface OwnQueue {
  send(messages: readonly OwnMessage[]): Promise<NotTaken>;
}

const key = v.pipe(v.string(), v.nonEmpty());
const verdict = v.omit(endSchema, ['id', 'number', 'atMs', 'saw']);
const schema = v.pipe(
  v.string(),
  v.parseJson(),
  v.variant('kind', [
    v.object({
      kind: v.literal('check'),
      key,
      /** The order's moment: if it has another one by then, the message is dropped. */
      leaseMs: v.number(),
      /** The turn to ask the gateway in; absent if something else is due. */
      turn: v.exactOptional(turnSchema),
    }),
    v.object({
      kind: v.literal('answer'),
      key,
      attempt: attemptSchema,
      content: v.exactOptional(contentSchema),
      verdict: v.exactOptional(verdict),
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
