// Parts of a ledger entry as attributes, packed: each byte of an item is paid for with every write.
import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import * as v from 'valibot';
import { type DueWorkKind, openWorkOf } from '../payout/due-work.ts';
import { type Failure, isFailureCode } from '../payout/failures.ts';
import { type HistoryLine, type Inquiries, type LedgerEntry, moves, type OrderState } from '../payout/ledger.ts';
import type { AttemptIds, Attempts, ToldWords } from '../payout/order-history.ts';

/** Text. */
export const text = v.pipe(
  v.object({ S: v.string() }),
  v.transform(({ S }) => S),
);

/** A whole number. */
export const whole = v.pipe(
  v.object({ N: v.pipe(v.string(), v.regex(/^-?\d+$/)) }),
  v.transform(({ N }) => Number(N)),
);

/** Yes or no. */
export const flag = v.pipe(
  v.object({ BOOL: v.boolean() }),
  v.transform(({ BOOL }) => BOOL),
);

/** Every state, in the order in which lines of history number them. */
export const states = Object.keys(moves) as OrderState[];

/** `<count>:<negatives>:<first negative, base 36>:<last asked, base 36>`; the last only where it was asked. */
export function packedInquiries({ count, negatives, firstNegativeAtMs, askedAtMs }: Inquiries): string {
  const parts = [count, negatives, firstNegativeAtMs?.toString(36) ?? ''];
  return [...parts, ...(askedAtMs === undefined ? [] : [askedAtMs.toString(36)])].join(':');
}

/** Reads {@link packedInquiries}. */
export function unpackedInquiries(text: string): Inquiries {
  const [count, negatives, first = '', asked = ''] = text.split(':');
  return {
    count: Number(count),
    negatives: Number(negatives),
    ...(first !== '' && { firstNegativeAtMs: Number.parseInt(first, 36) }),
    ...(asked !== '' && { askedAtMs: Number.parseInt(asked, 36) }),
  };
}

/** `<state>:<ms after creation, base 36>:<attempts>:<reason>`; reasons are words of ours without spaces or colons. */
export function packedLine({ state, atMs, attempts, reason }: HistoryLine, createdAtMs: number): string {
  return `${states.indexOf(state)}:${(atMs - createdAtMs).toString(36)}:${attempts}:${reason}`;
}

/** Reads {@link packedLine}. */
export function unpackedLine(text: string, createdAtMs: number): HistoryLine | undefined {
  const [state = '', after = '', attempts = '', reason = ''] = text.split(':');
  const named = states[Number(state)];
  return named && { state: named, atMs: createdAtMs + Number.parseInt(after, 36), attempts: Number(attempts), reason };
}

/** Neither code holds a line feed; the message comes last, as it may hold anything. */
export function packedFailure({ code, httpStatus, gatewayCode, message }: Failure): string {
  return [code, httpStatus ?? '', gatewayCode ?? '', message].join('\n');
}

/** Undefined for a code that this version does not know: the entry is then newer code's, and unreadable. */
export function unpackedFailure(text: string): Failure | undefined {
  const [code = '', httpStatus = '', gatewayCode = '', ...message] = text.split('\n');
  if (!isFailureCode(code)) return undefined;
  return {
    code,
    message: message.join('\n'),
    ...(gatewayCode !== '' && { gatewayCode }),
    ...(httpStatus !== '' && { httpStatus: Number(httpStatus) }),
  };
}

/** Account, gateway order id, alias, whether it may have been processed; earlier attempts. */
export function attemptAttributes(it: Attempts): Record<'ac' | 'ga' | 'gl' | 'up' | 'ea', AttributeValue | undefined> {
  return {
    ac: optional(it.account),
    ga: optional(it.gatewayOrderId),
    gl: optional(it.gatewayAlias),
    up: it.unproven ? { BOOL: true } : undefined,
    ea: optional(it.earlierAttempts?.map(packed).join(' ')),
  };
}

/** As an attribute, where it is there. */
const optional = (value: string | undefined) => (value === undefined ? undefined : { S: value });

/** `<account>,<gateway order id>,<alias>`: none of them holds a comma or a blank. */
function packed({ account = '', gatewayOrderId = '', gatewayAlias = '' }: AttemptIds): string {
  return [account, gatewayOrderId, gatewayAlias].join(',');
}

function unpacked(text: string): AttemptIds {
  const [account, gatewayOrderId, gatewayAlias] = text.split(',');
  return {
    ...(account && { account }),
    ...(gatewayOrderId && { gatewayOrderId }),
    ...(gatewayAlias && { gatewayAlias }),
  };
}

/** Their schemas. */
export const attemptSchemas = {
  ac: v.exactOptional(text),
  ga: v.exactOptional(text),
  gl: v.exactOptional(text),
  up: v.exactOptional(flag),
  ea: v.exactOptional(text),
};

/** Reads {@link attemptAttributes}. */
export function attemptsOfItem(it: {
  readonly ac?: string;
  readonly ga?: string;
  readonly gl?: string;
  readonly up?: boolean;
  readonly ea?: string;
}): Attempts {
  return {
    ...(it.ac !== undefined && { account: it.ac }),
    ...(it.ga !== undefined && { gatewayOrderId: it.ga }),
    ...(it.gl !== undefined && { gatewayAlias: it.gl }),
    ...(it.up === true && { unproven: true }),
    ...(it.ea !== undefined && { earlierAttempts: it.ea.split(' ').map(unpacked) }),
  };
}

// The keys of the open-work index in a ledger item: which partition, and when the order is due.

/** The sparse index of open work: partition key `wk` (string), sort key `wa` (number), all attributes projected. */
export const openWorkIndexName = 'open-work';

/** What the worker's settings say of items; by default the index has four partitions a kind. */
export interface ItemRules {
  readonly openWorkShards?: number;
}

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
export function openWorkAttributes(entry: LedgerEntry, shards = 4): Record<'wk' | 'wa', AttributeValue | undefined> {
  const work = openWorkOf(entry);
  if (!work) return { wk: undefined, wa: undefined };
  return { wk: { S: openWorkPartition(work.kind, shardOf(entry.key, shards)) }, wa: { N: String(work.atMs) } };
}

function shardOf(key: string, shards: number): number {
  let sum = 0;
  for (let at = 0; at < key.length; at += 1) sum = (sum * 31 + key.charCodeAt(at)) % 65_521;
  return sum % shards;
}

type Words = ToldWords & { readonly overdue?: true };

/** What is known besides the state: another amount, `<type> <status> <amount> <ms, base 36>` of a reversal, the horizon. */
export function wordAttributes(it: Words): Record<'gm' | 'rs' | 'od', AttributeValue | undefined> {
  const { gatewayAmount, reversal, overdue } = it;
  const { type = '', status = '', amount = '', atMs = 0 } = reversal ?? {};
  return {
    gm: optional(gatewayAmount),
    rs: optional(reversal && [type, status, amount, atMs.toString(36)].join(' ')),
    od: overdue ? { BOOL: true } : undefined,
  };
}

const told = v.exactOptional(text);

/** Their schemas. */
export const wordSchemas = { gm: told, rs: told, od: v.exactOptional(flag) };

type ItemWords = { readonly [Name in keyof typeof wordSchemas]?: v.InferOutput<(typeof wordSchemas)[Name]> };

/** Reads {@link wordAttributes}. */
export function wordsOf(it: ItemWords): Words {
  const [type = '', status = '', amount = '', at = ''] = (it.rs ?? '').split(' ');
  const atMs = Number.parseInt(at, 36);
  return {
    ...(it.gm !== undefined && { gatewayAmount: it.gm }),
    ...(it.rs !== undefined && { reversal: { type, status, ...(amount !== '' && { amount }), atMs } }),
    ...(it.od === true && { overdue: true }),
  };
}
