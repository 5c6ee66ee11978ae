// Facts as they are stored and sent. An item with a fact that this code does not know is unreadable: this code never sends, ends
// or rewrites it.
import * as v from 'valibot';
import { operationNames } from '../../gateway/operations.ts';
import { type Attempt, type Decision, type End, endReasons, reportLevels, type Unknown } from './facts.ts';
import type { Measured } from './open-work.ts';
import type { Content } from './order.ts';

const text = v.string();
const name = v.pipe(text, v.nonEmpty());
const whole = v.pipe(v.number(), v.integer());
const yes = v.literal(true);
const texts = v.optional(v.array(text), []);
const said = {
  code: text,
  message: text,
  gatewayCode: v.exactOptional(text),
  httpStatus: v.exactOptional(whole),
};
const saw = v.optional(v.record(text, text), {});

const answer = v.variant('kind', [
  v.strictObject({ kind: v.literal('taken'), atMs: whole }),
  v.strictObject({
    kind: v.literal('refused'),
    about: v.picklist(['order', 'account', 'pace']),
    connected: v.boolean(),
    atMs: whole,
    ...said,
  }),
]);

const reversal = v.strictObject({ type: text, status: text, amount: v.exactOptional(text), atMs: whole });

const absence = v.strictObject({
  firstMs: v.exactOptional(whole),
  lastMs: v.exactOptional(whole),
  sinceRefusal: v.exactOptional(yes),
  denies: v.exactOptional(yes),
});

const heard = {
  reports: v.optional(v.array(v.picklist(reportLevels)), []),
  amounts: texts,
  approvedAtMs: v.exactOptional(whole),
  reversal: v.exactOptional(reversal),
};

/** An attempt; empty lists and records may be left out. */
export const attemptSchema = v.strictObject({
  id: name,
  number: whole,
  atMs: whole,
  accounts: texts,
  askable: v.boolean(),
  leaseUntilMs: whole,
  reopens: v.exactOptional(name),
  lost: v.exactOptional(yes),
  source: v.exactOptional(name),
  cardKeyId: v.exactOptional(name),
  answer: v.exactOptional(answer),
  ids: texts,
  aliases: texts,
  ...heard,
  lapsed: v.exactOptional(v.strictObject(said)),
  lapsedAtMs: v.exactOptional(whole),
  declined: v.exactOptional(v.strictObject(said)),
  unclear: v.exactOptional(v.strictObject(said)),
  overdue: v.exactOptional(yes),
  overdueAtMs: v.exactOptional(whole),
  absent: v.optional(v.record(text, absence), {}),
}) satisfies v.GenericSchema<unknown, Attempt>;

/** The approval of a second person. */
export const approvalSchema = v.strictObject({
  decider: text,
  approver: text,
  atMs: whole,
  revision: whole,
  mac: text,
});

/** A person's decision. */
export const decisionSchema = v.strictObject({
  id: name,
  kind: v.picklist(['paid', 'not-paid', 'cancel']),
  by: text,
  reason: text,
  atMs: whole,
  saw,
  approval: v.exactOptional(approvalSchema),
}) satisfies v.GenericSchema<unknown, Decision>;

/** An end. */
export const endSchema = v.strictObject({
  id: name,
  number: whole,
  reason: v.picklist(endReasons),
  atMs: whole,
  saw,
  ...said,
}) satisfies v.GenericSchema<unknown, End>;

/** A transaction that no attempt bears. */
export const unknownSchema = v.strictObject({
  account: v.exactOptional(text),
  id: v.exactOptional(text),
  after: v.exactOptional(whole),
  since: whole,
  ...heard,
}) satisfies v.GenericSchema<unknown, Unknown>;

/** Minor units as text. */
const moneySchema = v.strictObject({
  currency: text,
  minorUnits: v.pipe(
    text,
    v.regex(/^\d+$/),
    v.transform((digits) => BigInt(digits)),
  ),
});

/** The sums of an open order. */
export const measuredSchema = v.strictObject({
  state: v.picklist(['in-doubt', 'held', 'overdue']),
  sinceMs: whole,
  money: v.exactOptional(moneySchema),
  unsent: v.exactOptional(yes),
}) satisfies v.GenericSchema<unknown, Measured>;

/** The content that was asked for. */
export const contentSchema = v.strictObject({
  operation: v.picklist(operationNames),
  endpointId: text,
  fingerprint: text,
  digest: v.exactOptional(text),
  money: v.exactOptional(moneySchema),
  payee: v.exactOptional(text),
  batchId: v.exactOptional(text),
  context: v.exactOptional(text),
}) satisfies v.GenericSchema<unknown, Content>;

/** JSON without empty lists and records, which are left out. */
export const packed = (value: unknown): string =>
  JSON.stringify(value, (_, it: unknown) => {
    if (typeof it === 'bigint') return it.toString();
    const isEmpty = typeof it === 'object' && it !== null && Object.keys(it).length === 0;
    return isEmpty ? undefined : it;
  });
