// An order as a DynamoDB item. Facts are packed as JSON, so that the item of a usual order stays under 1 KB and a write costs one unit;
// test/aws/order-item.test.ts measures it.
import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import * as v from 'valibot';
import {
  attemptSchema,
  contentSchema,
  decisionSchema,
  droppedSchema,
  endSchema,
  inquirySchema,
  measuredSchema,
  packed,
  unknownSchema,
} from '../payout/order/fact-schemas.ts';
import { attemptsOf, type Facts, noFacts, unknownAt } from '../payout/order/facts.ts';
import { isMeasured } from '../payout/inquire/due-work.ts';
import { batchEntryOf, batchShards } from '../payout/order/batch-entry.ts';
import { type Measured, measuredOf, openWorkOf, type OpenWorkKind } from '../payout/order/open-work.ts';
import { defaultLimits } from '../payout/limits.ts';
import { namesOfKey, type Order } from '../payout/order/order.ts';
import type { OrderAttribute } from './attribute-owners.ts';
import { whereSet } from '../payout/where-set.ts';
import { type Item, N, S, textAttribute as text, wholeAttribute as whole } from './dynamodb-table.ts';
import type { StoredOrder } from '../payout/order/orders.ts';

/** The version of this layout. An item with a higher one comes from newer code and is not written. */
export const layoutVersion = 1;

/** One letter per kind: each byte is paid for in the item and in the index. */
const letters: Readonly<Record<OpenWorkKind, string>> = {
  submitting: 's',
  'in-doubt': 'd',
  accepted: 'a',
  overdue: 'o',
  held: 'h',
  unpublished: 'u',
};

/** The beginning of the names of this kind's partitions. */
export const openWorkLetter = (kind: OpenWorkKind): string => letters[kind];

/** A partition of the open-work index. */
export const openWorkPartition = (kind: OpenWorkKind, shard: number): string => `${letters[kind]}${shard}`;

/** The shard of an order's open work. */
function shardOf(key: string, shards: number): number {
  let sum = 0;
  for (let at = 0; at < key.length; at += 1) sum = (sum * 31 + key.charCodeAt(at)) % 65_521;
  return sum % shards;
}

const listed = <T>(records: readonly T[]) => (records.length === 0 ? undefined : { S: packed(records) });

/** All attributes of the order's item; undefined ones are absent. */
export function attributesOf(
  order: Order,
  shards = defaultLimits.openWorkShards,
): Record<OrderAttribute, AttributeValue | undefined> {
  const { content, facts, published } = order;
  const work = openWorkOf(order);
  // Claims and acceptances are not measured: they save the view of the order.
  const measured = work && isMeasured(work.kind) ? measuredOf(order) : undefined;
  const { believed, proven, lost } = facts.dropped;
  return {
    pk: S(order.key),
    v: N(layoutVersion),
    version: N(order.version),
    content: S(content && packed(content)),
    attempts: listed(attemptsOf(facts)),
    decisions: listed(Object.values(facts.decisions)),
    unproven: listed(facts.unproven),
    ends: listed(Object.values(facts.ends)),
    unknown: listed(Object.values(facts.unknown)),
    stoppedAt: N(facts.stoppedAt || undefined),
    surprises: listed(facts.surprises),
    dropped: S(lost || believed + proven > 0 ? packed(facts.dropped) : undefined),
    revision: N(published.revision),
    digest: S(published.digest || undefined),
    publishedAt: N(published.atMs),
    unpublished: order.unpublished ? { BOOL: true } : undefined,
    asks: order.asks && listed(order.asks),
    looks: N(order.looks || undefined),
    lookedAt: N(order.lookedAtMs),
    dueAt: N(order.dueAtMs),
    countedOn: S(order.countedOn),
    createdAt: N(order.createdAtMs),
    updatedAt: N(order.updatedAtMs),
    openWork: S(work && openWorkPartition(work.kind, shardOf(order.key, shards))),
    openWorkAt: N(work?.atMs),
    measured: S(measured && packed(measured)),
    ...inBatchOf(order),
  };
}

/** The sparse index of batches: partition key `batchShard`. It also holds the order's key and `batchEntry`, and nothing else. */
export const batchIndexName = 'batch';

/** The attributes of the index of batches. */
export const batchAttributes = ['batchShard', 'batchEntry'] as const;

function inBatchOf(order: Order): Record<(typeof batchAttributes)[number], AttributeValue | undefined> {
  const entry = batchEntryOf(order, shardOf(order.key, batchShards));
  return { batchShard: S(entry?.partition), batchEntry: S(entry?.text) };
}

const json = v.pipe(text, v.parseJson());
const itemSchema = v.object({
  pk: text,
  v: v.pipe(whole, v.maxValue(layoutVersion)),
  version: whole,
  content: v.exactOptional(v.pipe(json, contentSchema)),
  attempts: v.exactOptional(v.pipe(json, v.array(attemptSchema))),
  decisions: v.exactOptional(v.pipe(json, v.array(decisionSchema))),
  unproven: v.exactOptional(v.pipe(json, v.array(v.string()))),
  ends: v.exactOptional(v.pipe(json, v.array(endSchema))),
  unknown: v.exactOptional(v.pipe(json, v.array(unknownSchema))),
  stoppedAt: v.exactOptional(whole),
  surprises: v.exactOptional(v.pipe(json, v.array(v.string()))),
  dropped: v.exactOptional(v.pipe(json, droppedSchema)),
  revision: whole,
  digest: v.exactOptional(text),
  publishedAt: whole,
  unpublished: v.exactOptional(v.object({ BOOL: v.literal(true) })),
  asks: v.exactOptional(v.pipe(json, v.array(inquirySchema))),
  looks: v.exactOptional(whole),
  lookedAt: v.exactOptional(whole),
  dueAt: v.exactOptional(whole),
  countedOn: v.exactOptional(text),
  createdAt: whole,
  updatedAt: whole,
});

const placeSchema = v.object({
  v: v.pipe(whole, v.maxValue(layoutVersion)),
  measured: v.exactOptional(v.pipe(json, measuredSchema)),
});

/** The measures in an entry of the open-work index; `newer` if this version cannot read them. */
export function measuresIn(entry: Item): Measured | 'newer' | undefined {
  const read = v.safeParse(placeSchema, entry);
  return read.success ? read.output.measured : 'newer';
}

const byId = <T extends { readonly id: string }>(records: readonly T[] = []): Readonly<Record<string, T>> =>
  Object.fromEntries(records.map((it) => [it.id, it]));

/** Reads an item; `unreadable` if this version cannot read all of it: a wrong guess could pay twice. */
export function orderOf(item: Item): StoredOrder {
  const read = v.safeParse(itemSchema, item);
  if (!read.success) {
    const attributes = read.issues.map((issue) => String(issue.path?.[0]?.key ?? '?'));
    return { kind: 'unreadable', reason: `this version can't read the item's ${[...new Set(attributes)].join(', ')}` };
  }
  const stored = read.output;
  const facts: Facts = {
    attempts: byId(stored.attempts),
    decisions: byId(stored.decisions),
    unproven: stored.unproven ?? [],
    ends: byId(stored.ends),
    unknown: Object.fromEntries((stored.unknown ?? []).map((one) => [unknownAt(one), one])),
    stoppedAt: stored.stoppedAt ?? 0,
    surprises: stored.surprises ?? [],
    dropped: stored.dropped ?? noFacts.dropped,
  };
  const order = whereSet<Order>({
    key: stored.pk,
    ...namesOfKey(stored.pk),
    version: stored.version,
    content: stored.content,
    facts,
    published: { revision: stored.revision, digest: stored.digest ?? '', atMs: stored.publishedAt },
    unpublished: stored.unpublished && true,
    asks: stored.asks,
    looks: stored.looks ?? 0,
    lookedAtMs: stored.lookedAt,
    dueAtMs: stored.dueAt,
    countedOn: stored.countedOn,
    createdAtMs: stored.createdAt,
    updatedAtMs: stored.updatedAt,
  });
  return { kind: 'found', order };
}
