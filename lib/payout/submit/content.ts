// The content that the first job of an order fixes, and whether another job asks for the same.
import { comparedWith, keyIdOf } from '../message/fingerprint.ts';
import type { Job } from '../message/job.ts';
import { maskedPayee } from '../message/payee.ts';
import { contentDigest } from '../message/plain-digest.ts';
import { isCancelled } from '../order/fold.ts';
import { type Content, looksSame, type Order } from '../order/order.ts';
import { reworded, withRevision } from '../order/record.ts';
import { whereSet } from '../where-set.ts';

/**
 * Whether a job asks for the content of its order. An order without content takes that of any job. If the seal of one of them was closed,
 * the visible fields are compared; should the seal hold other content, the claim opens it and refuses it.
 */
export function contentComparedWith(
  content: Content | undefined,
  job: Job,
  prints: readonly string[],
): ReturnType<typeof comparedWith> {
  if (!content) return 'same';
  const { fingerprint } = content;
  const isOpen = fingerprint !== '' && job.sealedParams === undefined;
  if (isOpen || (fingerprint !== '' && !prints.some((it) => keyIdOf(it) === keyIdOf(fingerprint))))
    return comparedWith(fingerprint, prints);
  return isVisiblySame(content, job) ? 'same' : 'other';
}

/** True if the job asks for the content, as far as both show it. */
export const isVisiblySame = (content: Content, job: Job): boolean =>
  content.operation === job.operation &&
  content.endpointId === job.endpointId &&
  looksSame(content, { money: job.money, digest: contentDigest(job) });

/**
 * Why a job leaves its order alone: the order has other content, or content that can't be compared. An order that was called off is not
 * sent, whatever its content.
 */
export function whyLeftAlone(
  { content, facts }: Order,
  job: Job,
  prints: readonly string[],
): { readonly kind: 'reused' } | { readonly kind: 'unreadable'; readonly reason: string } | undefined {
  const compared = contentComparedWith(content, job, prints);
  if (compared === 'other') return { kind: 'reused' };
  if (compared === 'same' || isCancelled(facts)) return undefined;
  return { kind: 'unreadable', reason: 'its fingerprint was made under a key that is not among the keys' };
}

/**
 * The order with the content of its first job. A callback, a restore, or a person who cancelled it before any job came knew neither its
 * amount nor its sender's context. The first job adds them, once: from then on its result is published, and reports, exports and batches
 * have the sum that was asked for.
 */
export function withFirstContent(
  order: Order,
  job: Job,
  {
    fingerprints: [fingerprint],
    nowMs,
  }: { readonly fingerprints: readonly [string, ...string[]]; readonly nowMs: number },
): Order {
  if (order.content) return reworded(order);
  const next = { ...order, version: order.version + 1, content: visibleContent(job, fingerprint), updatedAtMs: nowMs };
  return withRevision(next, order);
}

/** The order as a payout of the job's batch. The job does not open the order's end any more, so the batch takes that end. */
export function bearingBatch(order: Order, { batchId }: Job, nowMs: number): Order {
  if (batchId === undefined || !order.content || order.content.batchId === batchId) return order;
  const next = { ...order, version: order.version + 1, content: { ...order.content, batchId }, updatedAtMs: nowMs };
  return withRevision(next, order);
}

/** The content that a job fixes for its order; only the visible part if its seal is closed. */
export const visibleContent = (job: Job, fingerprint: string): Content =>
  firstContent(job, job.sealedParams === undefined ? fingerprint : '');

/** The content that a job fixes for its order. */
export const firstContent = (job: Job, fingerprint: string): Content =>
  whereSet<Content>({
    operation: job.operation,
    endpointId: job.endpointId,
    fingerprint,
    digest: contentDigest(job),
    money: job.money,
    payee: maskedPayee(job),
    batchId: job.batchId,
    context: job.context,
  });
