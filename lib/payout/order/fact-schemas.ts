// Facts as they are stored and sent; their types (facts.ts) are derived from these schemas. An item with a fact that this code does not
// know is unreadable: this code never sends, ends or rewrites it.
import * as v from 'valibot';
import { operationNames } from '../../gateway/operations.ts';
import { endReasons } from './standing.ts';

const text = v.string();
const name = v.pipe(text, v.nonEmpty());
const whole = v.pipe(v.number(), v.integer());
const yes = v.literal(true);
const texts = v.optional(v.array(text), []);
/** A reason: a code of ours, a sentence for a person, and the gateway's own text beside it. */
const reason = {
  code: text,
  message: text,
  gatewayCode: v.exactOptional(text),
  httpStatus: v.exactOptional(whole),
};
/** A reason alone. */
export const reasonSchema = v.strictObject(reason);

/** The sign of each attempt and each unknown transaction at that moment (signs.ts); '' for none. */
const saw = v.optional(v.record(text, text), {});

/** What an attempt's own answer proves. Grows: nothing, then refused, then taken. */
export const answerSchema = v.variant('kind', [
  v.strictObject({ kind: v.literal('taken'), atMs: whole }),
  v.strictObject({
    kind: v.literal('refused'),
    /** What must change before the order can be sent again: the order, the account, or nothing but time. */
    about: v.picklist(['order', 'account', 'pace']),
    /** False only if it is proven that no byte of the attempt left. */
    connected: v.boolean(),
    /** When its sender received it (epoch ms). */
    atMs: whole,
    ...reason,
  }),
]);

/** A later transaction that undid a payment, or tries to. Type and status are the gateway's words. */
export const reversalSchema = v.strictObject({
  type: text,
  status: text,
  /** The total undone so far, in the order's currency, if the gateway names it. */
  amount: v.exactOptional(text),
  atMs: whole,
});

/** An account answered that it does not know the attempt. */
export const absenceSchema = v.strictObject({
  /** Epoch ms of the first answer that counts, and of the last question. */
  firstMs: v.exactOptional(whole),
  lastMs: v.exactOptional(whole),
  /** The account was asked long enough after the attempt's refusal. */
  sinceRefusal: v.exactOptional(yes),
  /** These answers are a denial under the merchant's contract. */
  denies: v.exactOptional(yes),
});

/**
 * What the gateway reported of a transaction. `said-paid`: a callback that proves too little says "paid"; it prevents "not paid" and proves
 * nothing. `filtered`: the gateway's filter declined it, perhaps as a duplicate of another attempt.
 */
export const reportLevels = ['seen', 'said-paid', 'filtered', 'declined', 'approved', 'reversed'] as const;

const heard = {
  reports: v.optional(v.array(v.picklist(reportLevels)), []),
  /** Amounts (with currency) that differ from the order's. From inquiries alone; four at most. */
  amounts: texts,
  /** When we first learnt that its money moved (epoch ms): the day of the books. */
  approvedAtMs: v.exactOptional(whole),
  /** The transaction that undid the payment later, or a part of it. */
  reversal: v.exactOptional(reversalSchema),
};
/** What was heard of one transaction. */
export const reportsSchema = v.strictObject(heard);

/** One POST of an order; or, if `lost`, all those that a restore of the table may have lost. Empty lists and records may be left out. */
export const attemptSchema = v.strictObject({
  /** Random; the claim's own. */
  id: name,
  /** The version of the order that its claim wrote: attempts, ends and stops are ordered by it. */
  number: whole,
  /** Epoch ms of its claim, by the claimer's clock. For people and schedules: no money depends on it. */
  atMs: whole,
  /** The accounts that it may have been sent to: one; of a lost attempt, every account that the merchant had. */
  accounts: texts,
  /** True if its account can be asked about orders. */
  askable: v.boolean(),
  /** Epoch ms by the claimer's clock: no byte of it leaves later. */
  leaseUntilMs: whole,
  /** The id of the end that its claim opened. */
  reopens: v.exactOptional(name),
  lost: v.exactOptional(yes),
  /** Digest of the message or the batch that its content came from. */
  source: v.exactOptional(name),
  /** The key of single-use card data that its claim spent. */
  cardKeyId: v.exactOptional(name),
  answer: v.exactOptional(answerSchema),
  /** The gateway's identities of it, and other names for them. Four of each at most. Two identities are two transactions. */
  ids: texts,
  aliases: texts,
  ...heard,
  /** Its sender gave up, or its lease ended before any sign of life. */
  lapsed: v.exactOptional(reasonSchema),
  /** When (epoch ms); for people. */
  lapsedAtMs: v.exactOptional(whole),
  /** Why the gateway declined or filtered it. */
  declined: v.exactOptional(reasonSchema),
  /** The gateway has the attempt, under a status that proves neither that money moved nor that none did. */
  unclear: v.exactOptional(reasonSchema),
  /** The time in which it should have been settled is over: a person must decide. */
  overdue: v.exactOptional(yes),
  /** When the horizon was first seen to be over (epoch ms); for people. */
  overdueAtMs: v.exactOptional(whole),
  /** By account. */
  absent: v.optional(v.record(text, absenceSchema), {}),
});

/**
 * A transaction under the order's id that belongs to no attempt.
 * Without `id`: reports that named none. Without `account`: callbacks that came before the order had a job.
 * With `after` alone: all doubtful callbacks that named no attempt while the attempt of this number was the last. They are one sign.
 * With none of the three: all transactions beyond those that an order keeps.
 */
export const unknownSchema = v.strictObject({
  account: v.exactOptional(text),
  id: v.exactOptional(text),
  after: v.exactOptional(whole),
  /** The order's version that first recorded it. */
  since: whole,
  ...heard,
});

/** The approval of a second person (lib/batches/decision-approval.ts says what the MAC is over). */
export const approvalSchema = v.strictObject({
  /** ARNs, as AWS named both. */
  decider: text,
  approver: text,
  /** When it was approved, epoch ms. */
  atMs: whole,
  /** The order's revision that both saw. Its version would change with each inquiry. */
  revision: whole,
  /** Base64url. */
  mac: text,
});

/** A person's decision. It covers what the person saw and nothing that came later. It is never taken back. */
export const decisionSchema = v.strictObject({
  id: name,
  kind: v.picklist(['paid', 'not-paid', 'cancel']),
  by: text,
  reason: text,
  atMs: whole,
  saw,
  /** Present if the merchant demands two persons: both decide "not paid". */
  approval: v.exactOptional(approvalSchema),
});

/** An end, as its first writer saw it. Only its id opens the order again. */
export const endSchema = v.strictObject({
  id: name,
  /** The version of the order that wrote it. */
  number: whole,
  reason: v.picklist(endReasons),
  atMs: whole,
  /** The signs that it was concluded from. */
  saw,
  ...reason,
});

/** Refused attempts whose records were dropped. */
export const droppedSchema = v.strictObject({
  /** Refused by their own answer alone: a report may still be about one of them. */
  believed: whole,
  proven: whole,
  /** True if a restore may have lost other attempts: a report may be about one of these too. */
  lost: v.exactOptional(yes),
});

/** A question to the gateway: the attempt (its id), and the account that is asked about it. */
export const inquirySchema = v.strictObject({
  attempt: text,
  account: text,
  /** It was asked, and no answer came. */
  tried: v.exactOptional(yes),
});

/** Minor units as text. */
export const minorUnitsSchema = v.pipe(
  text,
  v.regex(/^\d+$/),
  v.transform((digits) => BigInt(digits)),
);
const moneySchema = v.strictObject({ currency: text, minorUnits: minorUnitsSchema });

/** State and money of an open order, for the alarms and for merchants that stop on doubt. */
export const measuredSchema = v.strictObject({
  state: v.picklist(['in-doubt', 'held', 'overdue']),
  /** When that state began (epoch ms). */
  sinceMs: whole,
  /** The amount of the order, if it moves money. */
  money: v.exactOptional(moneySchema),
  /** Held before anything was sent: none of its money is in doubt. */
  unsent: v.exactOptional(yes),
});

/** The content of an order, which its first proven job has fixed. */
export const contentSchema = v.strictObject({
  operation: v.picklist(operationNames),
  endpointId: text,
  /** Keyed digest of the content (fingerprint.ts). */
  fingerprint: text,
  /** `contentDigest` of the job, by which a batch knows whether the order is its payout; erased with the texts. */
  digest: v.exactOptional(text),
  money: v.exactOptional(moneySchema),
  /** `maskedPayee` of the job, for a person who decides; erased with the texts. */
  payee: v.exactOptional(text),
  /** The batch of its latest claim, or of its end without one. */
  batchId: v.exactOptional(text),
  /** The sender's own data: JSON, byte for byte (json-text.ts). */
  context: v.exactOptional(text),
});

/** What a schema reads, read-only at every depth. */
export type Read<S extends v.GenericSchema> = Unchangeable<v.InferOutput<S>>;
type Unchangeable<T> = T extends object ? { readonly [Key in keyof T]: Unchangeable<T[Key]> } : T;

/** JSON without empty lists and records. Big integers become text. */
export const packed = (value: unknown): string =>
  JSON.stringify(value, (_, part: unknown) => {
    if (typeof part === 'bigint') return part.toString();
    const isEmpty = typeof part === 'object' && part !== null && Object.keys(part).length === 0;
    return isEmpty ? undefined : part;
  });
