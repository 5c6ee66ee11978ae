// Every writer adds facts here, and the consequences are concluded here alone: an end that is due, a new revision of the result,
// and whether somebody else must publish it.
import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { Profile } from '../../gateway/profile.ts';
import { type Result, resultOf, resultText } from '../message/result.ts';
import { drop, type Facts, join, noFacts } from './facts.ts';
import { fold } from './fold.ts';
import { type Contract, type EndDue, endDue, endOf, factsOfTime } from './next.ts';
import type { Order } from './order.ts';
import { viewOf } from './view.ts';

/** The profile's contract about time. */
export const contractOf = ({
  quietPeriodSeconds,
  doubtHorizonSeconds,
  acceptedHorizonSeconds,
  usualEndSeconds,
  resubmitUnknownOrders,
}: Profile): Contract => ({
  quietPeriodMs: quietPeriodSeconds * 1000,
  horizonMs: doubtHorizonSeconds * 1000,
  acceptedHorizonMs: acceptedHorizonSeconds * 1000,
  ...(usualEndSeconds !== undefined && { usualEndMs: usualEndSeconds * 1000 }),
  endsDenied: resubmitUnknownOrders,
});

/** The writer's part of a record. */
export interface Recording {
  readonly nowMs: number;
  /** Absent where the merchant's profile can't be read: then time adds no facts. */
  readonly contract?: Contract;
  /** A random name for the end, should one be due. */
  readonly endId: string;
  /** A verdict, or a person's decision, that ends the order where no attempt of it lives. */
  readonly verdict?: EndDue;
  /** The writer publishes the result itself; else the order is marked, and the chain or the sweeper publishes. */
  readonly publishes?: boolean;
}

/**
 * The order with these facts, and with all that follows from them now. The very same order where nothing is new.
 */
export function recorded(before: Order, added: Facts, it: Recording): Order {
  let facts = join(before.facts, added);
  if (it.contract) facts = join(facts, factsOfTime(facts, it.nowMs, it.contract));
  const version = before.version + 1;
  facts = join(facts, endOfFacts(facts, version, it));
  facts = drop(facts);
  if (isDeepStrictEqual(facts, before.facts)) return before;
  return published({ ...before, version, facts, updatedAtMs: it.nowMs }, before, it);
}

function endOfFacts(facts: Facts, number: number, { nowMs, contract, endId, verdict }: Recording): Facts {
  const due = endDue(facts, contract ?? { endsDenied: false }) ?? (verdict && isEndable(facts) ? verdict : undefined);
  if (!due) return noFacts;
  return { ...noFacts, ends: { [endId]: endOf(facts, { id: endId, number, ...due }, nowMs) } };
}

/** True where no attempt of the order lives, and it has not ended: a verdict may end it. */
function isEndable(facts: Facts): boolean {
  const status = fold(facts);
  switch (status.kind) {
    case 'new':
    case 'ready':
      return true;
    case 'held':
      return ['card-data', 'too-many'].includes(status.reason);
    case 'submitting':
    case 'ending':
    case 'accepted':
    case 'approved':
    case 'in-doubt':
    case 'declined':
    case 'failed':
    case 'cancelled':
      return false;
    default:
      return status satisfies never;
  }
}

/** The order with the revision and the mark that its result needs now. */
export function published(
  next: Order,
  before: Order,
  { nowMs, publishes = false }: Pick<Recording, 'nowMs' | 'publishes'>,
): Order {
  const { unpublished, dueAtMs: _due, ...rest } = next;
  const digest = digestOf(next);
  if (digest === undefined || digest === before.published.digest) {
    // While the order's status stays the same, the next look is due when it was.
    const isMoved = fold(before.facts).kind !== fold(next.facts).kind;
    return isMoved ? { ...rest, ...(unpublished && { unpublished }) } : next;
  }
  const revision = { revision: before.published.revision + 1, digest, atMs: nowMs };
  return { ...rest, published: revision, ...(!publishes && { unpublished: true as const }) };
}

/** The result of the last revision; undefined where none was published, or the order has another state by now. */
export function resultToTell(order: Order): Result | undefined {
  const { revision, digest } = order.published;
  return revision > 0 && digestOf(order) === digest ? resultOf(viewOf(order)) : undefined;
}

/** The result that the order is marked to publish; undefined where it is not marked, or has another state by now. */
export const resultDue = (order: Order): Result | undefined => (order.unpublished ? resultToTell(order) : undefined);

/** The digest of an order's result without its revision and time; undefined while there is nothing to publish. */
function digestOf(order: Order): string | undefined {
  // Of an order that is known by name alone nobody asked for a result; a person who cancelled it did.
  if (!order.content && fold(order.facts).kind !== 'cancelled') return undefined;
  const result = resultOf({ ...viewOf(order), revision: 0, updatedAtMs: 0 });
  return result && createHash('sha256').update(resultText(result)).digest('base64url').slice(0, 16);
}
