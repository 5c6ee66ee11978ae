// An order as a DynamoDB item. Short attribute names and packed facts keep the item of a usual order under 1 KB, so that each write
// costs one unit; test/aws/order-item.test.ts measures it.
import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import * as v from 'valibot';
import {
  attemptSchema,
  contentSchema,
  decisionSchema,
  endSchema,
  measuredSchema,
  packed,
  unknownSchema,
} from '../payout/order/fact-schemas.ts';
import { attemptsOf, type Facts, noFacts, unknownAt } from '../payout/order/facts.ts';
import { isMeasured } from '../payout/inquire/due-work.ts';
import { type Measured, measuredOf, openWorkOf, type OpenWorkKind } from '../payout/order/open-work.ts';
import { namesOfKey, type Order } from '../payout/order/order.ts';
import type { OrderAttribute } from './attribute-owners.ts';
import type { StoredOrder } from '../payout/order/orders.ts';

/** An item as the SDK takes and gives it. */
export type Item = Record<string, AttributeValue>;

/** The version of this layout; an item of a higher one was written by newer code and is left alone. */
export const layoutVersion = 1;

/**
 * The sparse index of open work: partition key `wk` (string), sort key `wa` (number). Beside them it holds the layout and the
 * measure of the order (`me`) and nothing else, so that a look costs it nothing.
 */
export const openWorkIndexName = 'open-work';

/** One letter a kind: each byte is paid for in the item and again in the index. */
const letters: Readonly<Record<OpenWorkKind, string>> = {
  submitting: 's',
  'in-doubt': 'd',
  accepted: 'a',
  overdue: 'o',
  held: 'h',
  unpublished: 'u',
};

/** The beginning of the partitions of this kind, and of no others. */
export const openWorkLetter = (kind: OpenWorkKind): string => letters[kind];

/** A partition of the open-work index. */
export const openWorkPartition = (kind: OpenWorkKind, shard: number): string => `${letters[kind]}${shard}`;

/** The shard of an order's open work. */
function shardOf(key: string, shards: number): number {
  let sum = 0;
  for (let at = 0; at < key.length; at += 1) sum = (sum * 31 + key.charCodeAt(at)) % 65_521;
  return sum % shards;
}

const S = (value: string | undefined) => (value === undefined ? undefined : { S: value });
const N = (value: number | undefined) => (value === undefined ? undefined : { N: String(value) });

const listed = <T>(records: readonly T[]) => (records.length === 0 ? undefined : { S: packed(records) });

/** All attributes of the order's item; undefined ones are absent. */
export function attributesOf(order: Order, shards = 4): Record<OrderAttribute, AttributeValue | undefined> {
  const { content, facts, published } = order;
  const work = openWorkOf(order);
  // Read where it is measured alone: a claim and an acceptance need no view of their order here.
  const measured = work && isMeasured(work.kind) ? measuredOf(order) : undefined;
  const { believed, proven } = facts.dropped;
  return {
    pk: { S: order.key },
    v: { N: String(layoutVersion) },
    ve: N(order.version),
    co: S(content && packed(content)),
    at: listed(attemptsOf(facts)),
    de: listed(Object.values(facts.decisions)),
    ud: listed(facts.unproven),
    en: listed(Object.values(facts.ends)),
    ut: listed(Object.values(facts.unknown)),
    st: N(facts.stoppedAt || undefined),
    su: listed(facts.surprises),
    dr: S(believed + proven > 0 ? packed(facts.dropped) : undefined),
    rv: N(published.revision),
    dg: S(published.digest || undefined),
    pa: N(published.atMs),
    un: order.unpublished ? { BOOL: true } : undefined,
    qu: order.asks ? { BOOL: true } : undefined,
    lo: N(order.looks || undefined),
    la: N(order.lookedAtMs),
    du: N(order.dueAtMs),
    re: N(order.restore),
    cd: S(order.countedOn),
    ca: N(order.createdAtMs),
    ua: N(order.updatedAtMs),
    wk: S(work && openWorkPartition(work.kind, shardOf(order.key, shards))),
    wa: N(work?.atMs),
    me: S(measured && packed(measured)),
  };
}

const text = v.pipe(
  v.object({ S: v.string() }),
  v.transform((it) => it.S),
);
const whole = v.pipe(
  v.object({ N: v.pipe(v.string(), v.regex(/^-?\d+$/)) }),
  v.transform((it) => Number(it.N)),
);
const json = v.pipe(text, v.parseJson());
const droppedSchema = v.strictObject({ believed: v.number(), proven: v.number() });

const itemSchema = v.object({
  pk: text,
  v: v.pipe(whole, v.maxValue(layoutVersion)),
  ve: whole,
  co: v.exactOptional(v.pipe(json, contentSchema)),
  at: v.exactOptional(v.pipe(json, v.array(attemptSchema))),
  de: v.exactOptional(v.pipe(json, v.array(decisionSchema))),
  ud: v.exactOptional(v.pipe(json, v.array(v.string()))),
  en: v.exactOptional(v.pipe(json, v.array(endSchema))),
  ut: v.exactOptional(v.pipe(json, v.array(unknownSchema))),
  st: v.exactOptional(whole),
  su: v.exactOptional(v.pipe(json, v.array(v.string()))),
  dr: v.exactOptional(v.pipe(json, droppedSchema)),
  rv: whole,
  dg: v.exactOptional(text),
  pa: whole,
  un: v.exactOptional(v.object({ BOOL: v.literal(true) })),
  qu: v.exactOptional(v.object({ BOOL: v.literal(true) })),
  lo: v.exactOptional(whole),
  la: v.exactOptional(whole),
  du: v.exactOptional(whole),
  re: v.exactOptional(whole),
  cd: v.exactOptional(text),
  ca: whole,
  ua: whole,
});

/** The index's view of an order. */
export type OpenPlace =
  | { readonly kind: 'newer' }
  | { readonly kind: 'place'; readonly atMs: number; readonly measured?: Measured };

const placeSchema = v.object({
  v: v.pipe(whole, v.maxValue(layoutVersion)),
  wa: whole,
  me: v.exactOptional(v.pipe(json, measuredSchema)),
});

/** Reads an entry of the index; one that this version can't read is newer code's. */
export function openPlaceOf(entry: Item): OpenPlace {
  const read = v.safeParse(placeSchema, entry);
  if (!read.success) return { kind: 'newer' };
  const { wa: atMs, me: measured } = read.output;
  return { kind: 'place', atMs, ...(measured && { measured }) };
}

const byId = <T extends { readonly id: string }>(records: readonly T[] = []): Readonly<Record<string, T>> =>
  Object.fromEntries(records.map((it) => [it.id, it]));

/** Reads an item. One that this version can't read whole is `unreadable`: guessing at a fact could pay twice. */
export function orderOf(item: Item): StoredOrder {
  const read = v.safeParse(itemSchema, item);
  if (!read.success) {
    const attributes = read.issues.map((issue) => String(issue.path?.[0]?.key ?? '?'));
    return { kind: 'unreadable', reason: `this version can't read the item's ${[...new Set(attributes)].join(', ')}` };
  }
  const it = read.output;
  const facts: Facts = {
    attempts: byId(it.at),
    decisions: byId(it.de),
    unproven: it.ud ?? [],
    ends: byId(it.en),
    unknown: Object.fromEntries((it.ut ?? []).map((one) => [unknownAt(one), one])),
    stoppedAt: it.st ?? 0,
    surprises: it.su ?? [],
    dropped: it.dr ?? noFacts.dropped,
  };
  const order: Order = {
    key: it.pk,
    ...namesOfKey(it.pk),
    version: it.ve,
    ...(it.co && { content: it.co }),
    facts,
    published: { revision: it.rv, digest: it.dg ?? '', atMs: it.pa },
    ...(it.un && { unpublished: true }),
    ...(it.qu && { asks: true }),
    looks: it.lo ?? 0,
    ...(it.la !== undefined && { lookedAtMs: it.la }),
    ...(it.du !== undefined && { dueAtMs: it.du }),
    ...(it.re !== undefined && { restore: it.re }),
    ...(it.cd !== undefined && { countedOn: it.cd }),
    createdAtMs: it.ca,
    updatedAtMs: it.ua,
  };
  return { kind: 'found', order };
}
