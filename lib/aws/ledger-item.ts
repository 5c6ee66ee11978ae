// A ledger entry as a DynamoDB item. Short attribute names and packed history keep the largest item under 1 KB, so
// that each write costs one unit; test/aws/ledger-item.test.ts measures it.
import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import * as v from 'valibot';
import type { FoundEntry } from '../payout/ports.ts';
import type { LedgerEntry } from '../payout/ledger.ts';
import type { Failure } from '../payout/failures.ts';
import { isRecord } from '../payout/job-message.ts';
import { type OperationName, operationNames, operations } from '../gateway/operations.ts';
import { cutToBytes, outsideTextLimitBytes } from '../gateway/redact.ts';
import { openWorkOf } from '../payout/due-work.ts';
import {
  attemptAttributes,
  attemptSchemas,
  attemptsOfItem,
  flag,
  type ItemRules,
  openWorkAttributes,
  packedFailure,
  packedInquiries,
  packedLine,
  states,
  text,
  unpackedFailure,
  unpackedInquiries,
  unpackedLine,
  whole,
  wordAttributes,
  wordSchemas,
  wordsOf,
} from './item-attributes.ts';

/** As the SDK takes and gives it. */
export type Item = Record<string, AttributeValue>;

/** The version of this layout; an item of another one was written by other code and is left alone. */
export const layoutVersion = 1;

/** What never changes: operation (but for a check that is paid), endpoint, fingerprint, creation, money, batch, context. */
export function constantAttributes(entry: LedgerEntry): Item {
  return {
    pk: { S: entry.key },
    op: { S: entry.operation },
    ep: { S: entry.endpointId },
    fp: { S: entry.fingerprint },
    ca: { N: String(entry.createdAtMs) },
    ...(entry.money && { am: { N: entry.money.minorUnits.toString() }, cu: { S: entry.money.currency } }),
    ...(entry.batchId !== undefined && { ba: { S: entry.batchId } }),
    ...(entry.context && { cx: { S: entry.context } }),
  };
}

/**
 * The attributes that a move writes; `undefined` ones are taken away. Layout, state, revision, final, owner, message id, lease,
 * attempts and what is known of each, when the message was sent, updated, history, failure, looks; and what says whether the order is open.
 */
export function movingAttributes(entry: LedgerEntry, rules: ItemRules = {}): Record<string, Item[string] | undefined> {
  return {
    v: { N: String(layoutVersion) },
    st: { S: entry.state },
    ...(operations[entry.operation].step === 'pay' && { op: { S: entry.operation } }),
    rv: { N: String(entry.revision) },
    fi: { BOOL: entry.final },
    ow: { S: entry.owner },
    ms: { S: entry.messageId },
    le: { N: String(entry.leaseUntilMs) },
    tr: { N: String(entry.attempts) },
    ua: { N: String(entry.updatedAtMs) },
    hi: { S: entry.history.map((line) => packedLine(line, entry.createdAtMs)).join(' ') },
    ...attemptAttributes(entry),
    sa: entry.sentAtMs === undefined ? undefined : { N: String(entry.sentAtMs) },
    em: entry.earlierMessages ? { S: entry.earlierMessages.join(' ') } : undefined,
    fa: entry.failure ? { S: packedFailure(entry.failure) } : undefined,
    no: entry.note === undefined ? undefined : { S: cutToBytes(entry.note, outsideTextLimitBytes) },
    lo: entry.inquiries ? { S: packedInquiries(entry.inquiries) } : undefined,
    ...wordAttributes(entry),
    ...openAttributes(entry, rules),
  };
}

/** What is still to be done: the mark, and the keys of the open-work index. */
export function openAttributes(
  entry: LedgerEntry,
  { openWorkShards }: ItemRules,
): Record<'un' | 'wk' | 'wa', AttributeValue | undefined> {
  return {
    un: entry.unpublished ? { BOOL: true } : undefined,
    ...openWorkAttributes(entry, openWorkShards),
  };
}

/** Read only to see that it is what results may bear; it comes back as the text that it is. */
function isJsonObject(json: string): boolean {
  try {
    return isRecord(JSON.parse(json));
  } catch {
    return false;
  }
}

const itemSchema = v.object({
  pk: text,
  v: v.pipe(whole, v.value(layoutVersion)),
  op: v.pipe(text, v.picklist(operationNames)),
  ep: text,
  fp: text,
  ca: whole,
  am: v.exactOptional(v.object({ N: v.pipe(v.string(), v.regex(/^\d+$/)) })),
  cu: v.exactOptional(text),
  ba: v.exactOptional(text),
  cx: v.exactOptional(v.pipe(text, v.check(isJsonObject))),
  st: v.pipe(text, v.picklist(states)),
  rv: whole,
  fi: flag,
  ow: text,
  ms: text,
  le: whole,
  tr: whole,
  ua: whole,
  hi: text,
  ...attemptSchemas,
  sa: v.exactOptional(whole),
  em: v.exactOptional(text),
  fa: v.exactOptional(v.pipe(text, v.transform(unpackedFailure), v.custom<Failure>(isRecord))),
  no: v.exactOptional(text),
  un: v.exactOptional(flag),
  lo: v.exactOptional(v.pipe(text, v.transform(unpackedInquiries))),
  ...wordSchemas,
  su: v.exactOptional(v.object({ SS: v.array(v.string()) })),
  sm: v.exactOptional(whole),
  wk: v.exactOptional(text),
  wa: v.exactOptional(whole),
});

/** Reads an item. One that this version can't read whole is `unreadable`: guessing at a state could pay twice. */
export function entryOf(item: Item): FoundEntry {
  const read = v.safeParse(itemSchema, item);
  if (!read.success) {
    const attributes = read.issues.map((issue) => String(issue.path?.[0]?.key ?? '?'));
    return { kind: 'unreadable', reason: `this version can't read the item's ${[...new Set(attributes)].join(', ')}` };
  }
  const it = read.output;
  const { merchant, orderId } = partsOf(it.pk);
  const entry: LedgerEntry = {
    key: it.pk,
    operation: it.op satisfies OperationName,
    merchant,
    orderId,
    endpointId: it.ep,
    fingerprint: it.fp,
    ...(it.am && it.cu !== undefined && { money: { minorUnits: BigInt(it.am.N), currency: it.cu } }),
    ...(it.ba !== undefined && { batchId: it.ba }),
    ...(it.cx !== undefined && { context: it.cx }),
    state: it.st,
    revision: it.rv,
    final: it.fi,
    owner: it.ow,
    messageId: it.ms,
    leaseUntilMs: it.le,
    attempts: it.tr,
    ...attemptsOfItem(it),
    ...(it.sa !== undefined && { sentAtMs: it.sa }),
    ...(it.em !== undefined && { earlierMessages: it.em.split(' ') }),
    ...(it.fa && { failure: it.fa }),
    ...(it.no !== undefined && { note: it.no }),
    createdAtMs: it.ca,
    updatedAtMs: it.ua,
    history: it.hi.split(' ').flatMap((line) => unpackedLine(line, it.ca) ?? []),
    ...(it.un === true && { unpublished: true }),
    ...(it.lo && { inquiries: it.lo }),
    ...wordsOf(it),
    ...(it.su && { surprises: it.su.SS.toSorted() }),
    ...(it.sm !== undefined && { moreSurprises: it.sm }),
  };
  return { kind: 'found', entry: { ...entry, ...dueAt(entry, it.wa) } };
}

/** When the sweeper looks after it, where that is not what its state alone says. */
function dueAt(entry: LedgerEntry, indexedAtMs: number | undefined): Pick<LedgerEntry, 'dueAtMs'> {
  return indexedAtMs === undefined || openWorkOf(entry)?.atMs === indexedAtMs ? {} : { dueAtMs: indexedAtMs };
}

/** The key holds merchant and order id (payout/ledger.ts, orderKey), so they are not stored twice. */
function partsOf(key: string): { merchant: string; orderId: string } {
  const slash = key.indexOf('/');
  return { merchant: key.slice(0, slash).replace(/~check$/, ''), orderId: key.slice(slash + 1) };
}
