// A ledger entry as a DynamoDB item. Short attribute names and packed history keep the largest item under 1 KB, so
// that each write costs one unit; test/adapters/ledger-item.test.ts measures it.
import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import * as v from 'valibot';
import type { FoundEntry } from '../app/ports.ts';
import { type HistoryLine, type LedgerEntry, moves, type OrderState } from '../domain/ledger.ts';
import { type OperationName, operationNames } from '../domain/operations.ts';

/** An item as the SDK takes and gives it. */
export type Item = Record<string, AttributeValue>;

/** The version of this layout; an item of a higher one was written by newer code and is left alone. */
const layoutVersion = 1;

const states = Object.keys(moves) as OrderState[];

/** The attributes that never change over an order's life. */
export function constantAttributes(entry: LedgerEntry): Item {
  return {
    pk: { S: entry.key },
    v: { N: String(layoutVersion) },
    op: { S: entry.operation },
    ep: { S: entry.endpointId },
    fp: { S: entry.fingerprint },
    created: { N: String(entry.createdAtMs) },
    ...(entry.money && { amt: { N: entry.money.minorUnits.toString() }, cur: { S: entry.money.currency } }),
    ...(entry.batchId !== undefined && { batch: { S: entry.batchId } }),
    ...(entry.context && { ctx: { S: JSON.stringify(entry.context) } }),
  };
}

/** The attributes that a move writes; `undefined` ones are taken away. `expiresAt` is DynamoDB's time to live. */
export function movingAttributes(entry: LedgerEntry, lifeDays: number): Record<string, AttributeValue | undefined> {
  return {
    st: { S: entry.state },
    rev: { N: String(entry.revision) },
    fin: { BOOL: entry.final },
    own: { S: entry.owner },
    msg: { S: entry.messageId },
    lease: { N: String(entry.leaseUntilMs) },
    tries: { N: String(entry.attempts) },
    updated: { N: String(entry.updatedAtMs) },
    hist: { S: entry.history.map((line) => packedLine(line, entry.createdAtMs)).join(' ') },
    expiresAt: { N: String(Math.ceil(entry.updatedAtMs / 1000) + lifeDays * 86_400) },
    gid: entry.gatewayOrderId === undefined ? undefined : { S: entry.gatewayOrderId },
    fail: entry.failure ? { S: JSON.stringify(entry.failure) } : undefined,
    unpub: entry.unpublished ? { BOOL: true } : undefined,
  };
}

/** `<state>:<ms after creation, base 36>:<attempts>:<reason>`; reasons are words of ours without spaces or colons. */
function packedLine({ state, atMs, attempts, reason }: HistoryLine, createdAtMs: number): string {
  return `${states.indexOf(state)}:${(atMs - createdAtMs).toString(36)}:${attempts}:${reason}`;
}

function unpackedLine(text: string, createdAtMs: number): HistoryLine | undefined {
  const [state = '', after = '', attempts = '', reason = ''] = text.split(':');
  const named = states[Number(state)];
  return named && { state: named, atMs: createdAtMs + Number.parseInt(after, 36), attempts: Number(attempts), reason };
}

const text = v.pipe(
  v.object({ S: v.string() }),
  v.transform(({ S }) => S),
);
const whole = v.pipe(
  v.object({ N: v.pipe(v.string(), v.regex(/^-?\d+$/)) }),
  v.transform(({ N }) => Number(N)),
);
const flag = v.pipe(
  v.object({ BOOL: v.boolean() }),
  v.transform(({ BOOL }) => BOOL),
);
const json = v.pipe(text, v.parseJson());

const itemSchema = v.object({
  pk: text,
  v: v.pipe(whole, v.maxValue(layoutVersion)),
  op: v.pipe(text, v.picklist(operationNames)),
  ep: text,
  fp: text,
  created: whole,
  amt: v.exactOptional(v.object({ N: v.pipe(v.string(), v.regex(/^\d+$/)) })),
  cur: v.exactOptional(text),
  batch: v.exactOptional(text),
  ctx: v.exactOptional(v.pipe(json, v.record(v.string(), v.unknown()))),
  st: v.pipe(text, v.picklist(states)),
  rev: whole,
  fin: flag,
  own: text,
  msg: text,
  lease: whole,
  tries: whole,
  updated: whole,
  hist: text,
  gid: v.exactOptional(text),
  fail: v.exactOptional(
    v.pipe(
      json,
      v.object({
        code: v.string(),
        message: v.string(),
        gatewayCode: v.exactOptional(v.string()),
        httpStatus: v.exactOptional(v.number()),
      }),
    ),
  ),
  unpub: v.exactOptional(flag),
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
    ...(it.amt && it.cur !== undefined && { money: { minorUnits: BigInt(it.amt.N), currency: it.cur } }),
    ...(it.batch !== undefined && { batchId: it.batch }),
    ...(it.ctx && { context: it.ctx }),
    state: it.st,
    revision: it.rev,
    final: it.fin,
    owner: it.own,
    messageId: it.msg,
    leaseUntilMs: it.lease,
    attempts: it.tries,
    ...(it.gid !== undefined && { gatewayOrderId: it.gid }),
    ...(it.fail && { failure: it.fail }),
    createdAtMs: it.created,
    updatedAtMs: it.updated,
    history: it.hist.split(' ').flatMap((line) => unpackedLine(line, it.created) ?? []),
    ...(it.unpub === true && { unpublished: true }),
  };
  return { kind: 'found', entry };
}

/** The key holds merchant and order id (domain/ledger.ts, orderKey), so they are not stored twice. */
function partsOf(key: string): { merchant: string; orderId: string } {
  const slash = key.indexOf('/');
  return { merchant: key.slice(0, slash).replace(/~check$/, ''), orderId: key.slice(slash + 1) };
}
