// What the index of a batch shows of an order, as one short text: the shorter it is, the more orders one read unit covers.
import type { Money } from '../../gateway/money.ts';
import type { Order } from './order.ts';
import { viewOf } from './projection.ts';
import { type Standing, standingNames } from './standing.ts';

/** An order as the index of its batch shows it. */
export interface BatchEntry {
  readonly standing: Standing;
  readonly money?: Money;
  /** Why it was not paid. */
  readonly failure?: { readonly code: string; readonly gatewayCode?: string };
  /** The digest of its content. */
  readonly digest?: string;
}

/** Partitions of a batch in the index: the orders of one file are written to many. */
export const batchShards = 16;

/** The partitions of this batch. */
export const batchPartitions = (batchId: string): readonly string[] =>
  Array.from({ length: batchShards }, (_, shard) => partitionOf(batchId, shard));

const partitionOf = (batchId: string, shard: number) => `${batchId}#${shard}`;

/** The order's partition and text in the index; undefined for an order of no batch. */
export function batchEntryOf(
  order: Order,
  shard: number,
): { readonly partition: string; readonly text: string } | undefined {
  const { batchId, money, digest } = order.content ?? {};
  if (batchId === undefined) return undefined;
  const { standing, failure } = viewOf(order);
  const { code, gatewayCode } = failure ?? {};
  const fields = [standing, money?.minorUnits ?? none, money?.currency ?? none, digest ?? none, code, gatewayCode];
  return { partition: partitionOf(batchId, shard), text: fields.filter((it) => it !== undefined).join(' ') };
}

const none = '-';
const shape =
  /^(?<standing>\S+) (?<units>\d+|-) (?<currency>\S+) (?<digest>\S+)(?: (?<code>\S+)(?: (?<gatewayCode>.*))?)?$/s;

/** Reads the text. A standing that this code does not know gives `unreadable`. */
export function readBatchEntry(text: string): BatchEntry {
  const { standing: name, units = none, currency = none, digest, code, gatewayCode } = shape.exec(text)?.groups ?? {};
  const standing = standingNames.find((it) => it === name);
  if (!standing) return { standing: 'unreadable' };
  return {
    standing,
    money: units === none ? undefined : { currency, minorUnits: BigInt(units) },
    digest: digest === none ? undefined : digest,
    failure: code === undefined ? undefined : { code, gatewayCode },
  };
}
