// Facts as they are stored and sent; their types are made of these schemas (facts.ts). An item with a fact that this code does not know is
// unreadable: this code never sends, ends or rewrites it.
import * as v from 'valibot';
import { operationNames } from '../../gateway/operations.ts';
import { endReasons } from './standing.ts';

const text = v.string();
const name = v.pipe(text, v.nonEmpty());
const whole = v.pipe(v.number(), v.integer());
const yes = v.literal(true);
const texts = v.optional(v.array(text), []);
/** A reason: a code of ours, a sentence for a person, and the gateway's own text beside it. */
const said = {
  code: text,
  message: text,
  gatewayCode: v.exactOptional(text),
  httpStatus: v.exactOptional(whole),
};
/** A reason alone. */
export const saidSchema = v.strictObject(said);

/** What was seen of each attempt and of each unknown transaction; '' where nothing was (signs.ts). */
const saw = v.optional(v.record(text, text), {});

/** How an attempt's own answer judged it. Grows: nothing, then refused, then taken. */
export const answerSchema = v.variant('kind', [
  v.strictObject({ kind: v.literal('taken'), atMs: whole }),
  v.strictObject({
    kind: v.literal('refused'),
    /** What must change before the order can be sent again: the order, the account, or nothing but time. */
    about: v.picklist(['order', 'account', 'pace']),
    /** False only where it is proven that not a byte of the attempt left. */
    connected: v.boolean(),
    /** When its sender had it. */
    atMs: whole,
    ...said,
  }),
]);

/** A later transaction that undid a payment, or tries to, by the gateway's names. */
export const reversalSchema = v.strictObject({
  type: text,
  status: text,
  /** Undone so far in all, in the order's currency, where the gateway names it. */
  amount: v.exactOptional(text),
  atMs: whole,
});

/** An account knew no such attempt. */
export const absenceSchema = v.strictObject({
  /** Epoch ms of the first answer that counts, and of the last question. */
  firstMs: v.exactOptional(whole),
  lastMs: v.exactOptional(whole),
  /** The account was asked long enough after the attempt's refusal. */
  sinceRefusal: v.exactOptional(yes),
  /** The answers are a denial under the merchant's contract. */
  denies: v.exactOptional(yes),
});

/**
 * What the gateway reported of a transaction. `said-paid`: a callback says "paid" and proves too little; it keeps "not paid" back and proves
 * nothing. `filtered`: the gateway's filter declined it, perhaps as the double of another attempt.
 */
export const reportLevels = ['seen', 'said-paid', 'filtered', 'declined', 'approved', 'reversed'] as const;

const heard = {
  reports: v.optional(v.array(v.picklist(reportLevels)), []),
  /** Amounts with currency that are not the order's, from inquiries alone. Four at most. */
  amounts: texts,
  /** Epoch ms of the first moment at which we learnt that its money moved: the day of the books. */
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
  /** Epoch ms of its claim, by the claimer's clock. For people and rhythms: no money depends on it. */
  atMs: whole,
  /** The accounts that it may have been sent to: one; of a lost attempt, every account that the merchant had. */
  accounts: texts,
  /** True if its account can be asked about orders. */
  askable: v.boolean(),
  /** Epoch ms by the claimer's clock: later no byte of it leaves. */
  leaseUntilMs: whole,
  /** The end that its claim opened by name. */
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
  /** Its sender gave up, or its lease was over before any sign of life. */
  lapsed: v.exactOptional(saidSchema),
  /** When; for people, as `approvedAtMs` is. */
  lapsedAtMs: v.exactOptional(whole),
  /** Why the gateway declined or filtered it. */
  declined: v.exactOptional(saidSchema),
  /** The gateway has the attempt, under a status that proves neither that money moved nor that none did. */
  unclear: v.exactOptional(saidSchema),
  /** The time in which it should have been settled is over: a person must decide. */
  overdue: v.exactOptional(yes),
  /** When that was seen first; for people. */
  overdueAtMs: v.exactOptional(whole),
  /** By account. */
  absent: v.optional(v.record(text, absenceSchema), {}),
});

/**
 * A transaction under the order's id that no attempt bears. Without an id: reports that named none. Without an account: called back before
 * the order had a job. With `after` alone: all doubtful callbacks that named no attempt while the attempt of this number was the last; they
 * are one sign. With none of these: transactions beyond those that an order keeps.
 */
export const unknownSchema = v.strictObject({
  account: v.exactOptional(text),
  id: v.exactOptional(text),
  after: v.exactOptional(whole),
  /** The version that first heard of it. */
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
  /** The order's revision that both saw. Its version rises with each question to the gateway, and says less. */
  revision: whole,
  /** Base64url. */
  mac: text,
});

/** A person's decision. It closes what the person saw, and nothing that came since. It is not taken back. */
export const decisionSchema = v.strictObject({
  id: name,
  kind: v.picklist(['paid', 'not-paid', 'cancel']),
  by: text,
  reason: text,
  atMs: whole,
  saw,
  /** For a merchant whose money two persons release: both decide "not paid". */
  approval: v.exactOptional(approvalSchema),
});

/** An end, as its first writer saw it. Its id is the one name under which it opens again. */
export const endSchema = v.strictObject({
  id: name,
  /** The version of the order that wrote it. */
  number: whole,
  reason: v.picklist(endReasons),
  atMs: whole,
  /** The signs that it was concluded from. */
  saw,
  ...said,
});

/** Refused attempts whose records were dropped. */
export const droppedSchema = v.strictObject({
  /** A refusal that is only believed may be what a report is about. */
  believed: whole,
  proven: whole,
  /** So may attempts of the same order that a restore has lost. */
  lost: v.exactOptional(yes),
});

/** A question to the gateway: the attempt (its id), and the account that is asked about it. */
export const inquirySchema = v.strictObject({
  attempt: text,
  account: text,
  /** It was put, and no answer came. */
  tried: v.exactOptional(yes),
});

/** Minor units as text. */
const moneySchema = v.strictObject({
  currency: text,
  minorUnits: v.pipe(
    text,
    v.regex(/^\d+$/),
    v.transform((digits) => BigInt(digits)),
  ),
});

/** The sums of an open order, for the alarms and for merchants that stop on doubt. */
export const measuredSchema = v.strictObject({
  state: v.picklist(['in-doubt', 'held', 'overdue']),
  /** The beginning of that state. */
  sinceMs: whole,
  /** The amount of the order, where it moves money. */
  money: v.exactOptional(moneySchema),
  /** Held before anything was sent: none of its money is in doubt. */
  unsent: v.exactOptional(yes),
});

/** The content that the first claim of an order fixed. */
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

/** What a schema reads, unchangeable at every depth. */
export type Read<S extends v.GenericSchema> = Unchangeable<v.InferOutput<S>>;
type Unchangeable<T> = T extends object ? { readonly [Key in keyof T]: Unchangeable<T[Key]> } : T;

/** JSON without empty lists and records, which are left out. */
export const packed = (value: unknown): string =>
  JSON.stringify(value, (_, it: unknown) => {
    if (typeof it === 'bigint') return it.toString();
    const isEmpty = typeof it === 'object' && it !== null && Object.keys(it).length === 0;
    return isEmpty ? undefined : it;
  });
