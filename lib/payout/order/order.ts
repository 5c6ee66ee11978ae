// One order as its item holds it: its content, its facts, and what was published of them.
import type { contentSchema, Read } from './fact-schemas.ts';
import type { Facts, Inquiry } from './facts.ts';
import { factsAfter, numberAfter, type Restored } from './restored.ts';

/** The content of an order, which its first proven job has fixed. */
export type Content = Read<typeof contentSchema>;

/** True if both are one payment, as far as they show it. Of erased texts, and of a restored result, only the money is known. */
export const looksSame = (a: Pick<Content, 'money' | 'digest'>, b: Pick<Content, 'money' | 'digest'>): boolean =>
  a.money?.currency === b.money?.currency &&
  a.money?.minorUnits === b.money?.minorUnits &&
  (a.digest === undefined || b.digest === undefined || a.digest === b.digest);

/** The last publication: `<key>/<revision>` has one content for ever. */
interface Publication {
  /** 0 before the first. */
  readonly revision: number;
  /** The digest of the result that has the revision. */
  readonly digest: string;
  /** Epoch ms at which the revision came to be. */
  readonly atMs: number;
}

/** One order. Times are epoch milliseconds. */
export interface Order {
  readonly key: string;
  readonly merchant: string;
  readonly orderId: string;
  /** Raised by every write: a writer names the version that it decided on. */
  readonly version: number;
  /** Absent while only a person, a restore or a callback has named the order: nothing but a cancellation is published of it. */
  readonly content?: Content;
  readonly facts: Facts;
  readonly published: Publication;
  /** The result of the last revision is still to be published. */
  readonly unpublished?: true;
  /**
   * Questions to the gateway that were not answered yet, whatever the status is. A callback about a reversal, or a person who is to decide,
   * raises them.
   */
  readonly asks?: readonly Inquiry[];
  /** Inquiries made so far. */
  readonly looks: number;
  /**
   * When a person's act raised `asks`, or when the gateway answered the last of them (epoch ms). A decision needs an answer that is newer
   * than its question.
   */
  readonly lookedAtMs?: number;
  /** When the next inquiry is due (epoch ms), if one was scheduled; otherwise the status says when. */
  readonly dueAtMs?: number;
  /** The day (UTC) whose cap has counted it last. */
  readonly countedOn?: string;
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
}

/** The identity of an order, whatever its operation. "~" can't occur in a merchant's name, so no other item has the key of an order. */
export const orderKey = ({ merchant, orderId }: { readonly merchant: string; readonly orderId: string }): string =>
  `${merchant}/${orderId}`;

/** Merchant and order id of a key. */
export function namesOfKey(key: string): { readonly merchant: string; readonly orderId: string } {
  const slash = key.indexOf('/');
  return { merchant: key.slice(0, slash), orderId: key.slice(slash + 1) };
}

/** The version of the order's next write, and the number of an attempt that it adds: above all earlier ones, and above every revision. */
export const nextVersionOf = ({ version, published }: Pick<Order, 'version' | 'published'>): number =>
  Math.max(version, published.revision) + 1;

/** An order before anything happened, in a ledger that may have been restored; version 0 was never written. */
export function newOrder(key: string, nowMs: number, content?: Content, restored?: Restored): Order {
  return {
    key,
    ...namesOfKey(key),
    version: 0,
    ...(content && { content }),
    facts: factsAfter(restored, nowMs),
    published: { revision: restored ? numberAfter(restored) : 0, digest: '', atMs: nowMs },
    looks: 0,
    createdAtMs: nowMs,
    updatedAtMs: nowMs,
  };
}
