// The keys of the open-work index in a ledger item: which partition, and when the order is due.
import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import type { LedgerEntry } from '../payout/ledger.ts';
import { openWorkOf, type DueWorkKind } from '../payout/due-work.ts';

/** The sparse index of open work: partition key `wk` (string), sort key `wa` (number), all attributes projected. */
export const openWorkIndexName = 'open-work';

/** Partitions of the open-work index per kind: enough that no single one takes the writes of a flood of claims. */
export const openWorkShards = 4;

/** One letter a kind: each byte is paid for in the item and again in the index. */
const letters: Readonly<Record<DueWorkKind, string>> = {
  submitting: 's',
  'in-doubt': 'd',
  accepted: 'a',
  overdue: 'o',
  held: 'h',
  unpublished: 'u',
};

/** A partition of the open-work index. */
export function openWorkPartition(kind: DueWorkKind, shard: number): string {
  return `${letters[kind]}${shard}`;
}

/** The index is sparse: an order with nothing left to do has no such attributes and costs it nothing. */
export function openWorkAttributes(entry: LedgerEntry): Record<'wk' | 'wa', AttributeValue | undefined> {
  const work = openWorkOf(entry);
  if (!work) return { wk: undefined, wa: undefined };
  return { wk: { S: openWorkPartition(work.kind, shardOf(entry.key)) }, wa: { N: String(work.atMs) } };
}

function shardOf(key: string): number {
  let sum = 0;
  for (let at = 0; at < key.length; at += 1) sum = (sum * 31 + key.charCodeAt(at)) % 65_521;
  return sum % openWorkShards;
}
