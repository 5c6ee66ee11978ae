// REFERENCES: the leader's messages to `submit`; each names one parked job and its lease. Once the job has another moment the reference is
// void, so a doubled or late one does nothing. If one is lost, the job comes again when its lease is over. No sender may write to this
// queue.
import * as v from 'valibot';
import type { NotTaken } from '../ports.ts';

const text = v.pipe(v.string(), v.nonEmpty());
/** A turn in a message. */
export const turnSchema = v.object({
  atMs: v.number(),
  ratePerSecond: v.number(),
  pressed: v.boolean(),
  probe: v.exactOptional(v.literal(true)),
  isInquiry: v.exactOptional(v.literal(true)),
});
const schema = v.pipe(
  v.string(),
  v.parseJson(),
  v.object({
    key: text,
    digest: text,
    /** The job's moment, which is the lease of the worker that begins it. */
    leaseMs: v.number(),
    class: v.picklist(['urgent', 'row']),
    /** When the job's message was sent. */
    sinceMs: v.number(),
    lane: v.exactOptional(v.object({ merchant: text, endpointId: text })),
    /** The turn that was taken for it. */
    turn: v.exactOptional(turnSchema),
  }),
);

/** One parked job that was released. */
export type Reference = v.InferOutput<typeof schema>;

/** The message as it is sent. */
export interface ReferenceMessage {
  readonly reference: Reference;
  readonly delaySeconds: number;
}

/** The queue; at most ten messages a call. */
export interface References {
  send(messages: readonly ReferenceMessage[]): Promise<NotTaken>;
}

/** The message as text. */
export const writeReference = (reference: Reference): string => JSON.stringify(reference);

/** Reads a message; undefined for what this version can't read. */
export function readReference(body: string): Reference | undefined {
  const read = v.safeParse(schema, body);
  return read.success ? read.output : undefined;
}
