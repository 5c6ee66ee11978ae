// Every writer adds its facts here. Their consequences are concluded only here: what time has brought, an end that is due, the stop, and
// the revision of the result. The write that raises the revision also marks it as unpublished.
import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { type Result, resultText } from '../message/result.ts';
import { drop } from './drop.ts';
import { type EndDue, endDue, endOf } from './ends.ts';
import { attemptsOf, type Facts, noFacts, ofAttempt } from './facts.ts';
import { fold, isCancelled } from './fold.ts';
import { join } from './join.ts';
import { isOnlyFiltered } from './living.ts';
import { nextVersionOf, type Order } from './order.ts';
import { type Contract, factsOfTime } from './time.ts';
import { viewOf, resultOf } from './projection.ts';
import { whereSet } from '../where-set.ts';

/** What a writer gives besides its facts. */
export interface Recording {
  readonly nowMs: number;
  /** Absent if the merchant's profile can't be read: then time adds no facts. */
  readonly contract?: Contract;
  /** A random id for the end, should one be due. */
  readonly endId: string;
  /** The end that the writer's job calls for if no attempt of the order lives. */
  readonly verdict?: EndDue;
}

/** The order with these facts, and with all that follows from them now. The same order if nothing is new. */
export function recorded(before: Order, added: Facts, recording: Recording): Order {
  const version = nextVersionOf(before);
  let facts = join(before.facts, added);
  if (recording.contract) facts = join(facts, factsOfTime(facts, recording.nowMs, recording.contract));
  facts = join(facts, endOfFilter(facts));
  facts = join(facts, endOfFacts(facts, version, recording));
  facts = drop(withStop(facts, version));
  if (isDeepStrictEqual(facts, before.facts)) return reworded(before);
  return withRevision({ ...before, version, facts, updatedAtMs: recording.nowMs }, before);
}

/** A filter's decline of the order's only attempt stays a decline, whatever is sent later. */
const endOfFilter = (facts: Facts): Facts =>
  attemptsOf(facts)
    .filter((it) => isOnlyFiltered(it, facts))
    .map((it) => ofAttempt({ ...it, reports: ['declined'] }))
    .reduce(join, noFacts);

function endOfFacts(facts: Facts, number: number, recording: Recording): Facts {
  const due = endDue(facts, recording);
  if (!due) return noFacts;
  const { endId: id, nowMs } = recording;
  return { ...noFacts, ends: { [id]: endOf(facts, { id, number, ...due }, nowMs) } };
}

/** Raises `stoppedAt` if the order is in doubt, held, accepted or over: from then on only the id of its end sends it again. */
function withStop(facts: Facts, version: number): Facts {
  if (['new', 'sending', 'verifying', 'ready'].includes(fold(facts).kind)) return facts;
  const isStopped = facts.stoppedAt > 0 && attemptsOf(facts).every(({ number }) => number <= facts.stoppedAt);
  return isStopped ? facts : { ...facts, stoppedAt: version };
}

/** The order with the revision that its result needs now. A new one is marked as `unpublished`; publish.ts publishes it. */
export function withRevision(next: Order, before: Order): Order {
  const { unpublished, dueAtMs: _due, ...rest } = next;
  const digest = digestOf(next);
  if (digest === undefined || digest === before.published.digest) {
    // While the status stays the same, the next inquiry is due when it was.
    const isMoved = fold(before.facts).kind !== fold(next.facts).kind;
    return isMoved ? whereSet<Order>({ ...rest, unpublished }) : next;
  }
  const revision = { revision: before.published.revision + 1, digest, atMs: next.updatedAtMs };
  return { ...rest, published: revision, unpublished: true };
}

/**
 * If this version of the worker words the order's result differently, the new text becomes the next revision. Otherwise the result could
 * never be published again.
 */
export function reworded(order: Order): Order {
  const digest = order.published.digest === '' ? undefined : digestOf(order);
  if (digest === undefined || digest === order.published.digest) return order;
  return withRevision({ ...order, version: nextVersionOf(order) }, order);
}

/** The result of the last revision; undefined if there is none, or if the order has another state by now. */
export function lastResult(order: Order): Result | undefined {
  const { revision, digest } = order.published;
  return revision > 0 && digestOf(order) === digest ? resultOf(viewOf(order)) : undefined;
}

/** The result that the order is marked to publish; undefined if it is not marked, or has another state by now. */
export const resultDue = (order: Order): Result | undefined => (order.unpublished ? lastResult(order) : undefined);

/** The digest of an order's result without its revision and time; undefined while there is nothing to publish. */
function digestOf(order: Order): string | undefined {
  // An order that is known by name alone has no reader of results, unless a person cancelled it.
  if (!order.content && !isCancelled(order.facts)) return undefined;
  const result = resultOf({ ...viewOf(order), revision: 0, updatedAtMs: 0 });
  return result && createHash('sha256').update(resultText(result)).digest('base64url').slice(0, 16);
}
