// The queue of lines, which drives submit: one message per lane that has a line, and rows that are to be ended. No sender may write there.
import * as v from 'valibot';
import type { LaneName } from '../lanes/lane.ts';
import { sqsMaxDelaySeconds } from '../limits.ts';
import type { NotTaken } from '../ports.ts';
import type { DrainRight } from './drain-right.ts';

const lane = v.object({ merchant: v.string(), endpointId: v.string() });
const schema = v.pipe(
  v.string(),
  v.parseJson(),
  v.variant('kind', [
    /** A worker is to drain the line; the number is that of the right when it was sent (0: none). */
    v.object({ kind: v.literal('line'), lane, number: v.number() }),
    /** These rows are over (expired, called off, too old) or a person asks: each is submitted once, whatever its line does. */
    v.object({ kind: v.literal('rows'), rows: v.array(v.object({ key: v.string(), slot: v.number() })) }),
  ]),
);

/** One message. */
export type LineTask = v.InferOutput<typeof schema>;

/** The message as it is sent. */
export interface LineMessage {
  readonly message: LineTask;
  /** At most 900. */
  readonly delaySeconds: number;
}

/** The message by which a worker drains the line so much later, under the present right. */
export const lineMessage = (
  { merchant, endpointId }: LaneName,
  right: Pick<DrainRight, 'number'> | undefined,
  inMs: number,
): LineMessage => ({
  message: { kind: 'line', lane: { merchant, endpointId }, number: right?.number ?? 0 },
  delaySeconds: Math.min(Math.floor(inMs / 1000), sqsMaxDelaySeconds),
});

/** At most ten messages a call. Losing one costs a minute, until the sweeper finds what lapsed. */
export interface LinesQueue {
  send(messages: readonly LineMessage[]): Promise<NotTaken>;
}

/** The message as text. */
export const writeLineTask = (task: LineTask): string => JSON.stringify(task);

/** Reads a message; undefined for what this version can't read. */
export function readLineTask(text: string): LineTask | undefined {
  const read = v.safeParse(schema, text);
  return read.success ? read.output : undefined;
}
