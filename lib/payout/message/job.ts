// The job message: a merchant's request, and its reading: text in, a job or its faults out. Reading never throws on odd input: an exception
// would bring the message back again and again, and its sender would get no result.
import * as v from 'valibot';
import { holdsCardData } from '../../gateway/redact.ts';
import type { Fault } from '../../gateway/fields.ts';
import { type Money, parseAmount } from '../../gateway/money.ts';
import { type Operation, type OperationName, operations } from '../../gateway/operations.ts';
import { contextLimitBytes, contextTooLong, jobBodyLimitBytes, jobFields, jobSchema } from './job-fields.ts';
import { inbound, inboundField, inboundObject, isRecord, twiceFault } from './inbound.ts';
import { type JsonText, memberText } from './json-text.ts';
import { whereSet } from '../where-set.ts';

/** One validated job. Values of `params` are trimmed: the gateway trims too, and both must sign the same text. */
export interface Job {
  readonly operation: OperationName;
  readonly merchant: string;
  readonly endpointId: string;
  readonly orderId: string;
  readonly params: Readonly<Record<string, string>>;
  /** Card fields that are still sealed (sealed-params.ts); once opened they are in `params`. */
  readonly sealedParams?: string;
  /** The field that was sealed under a key of its own, which only the claim can open (sealed-params.ts). */
  readonly sealedCode?: SealedCode;
  /** The proof that a second person approved it (approval.ts), as it came. */
  readonly approval?: string;
  /** Until when that approval holds; set by the worker once it has checked the proof, never by a message. */
  readonly approvedUntilMs?: number;
  /** The money asked for; absent for a check. */
  readonly money?: Money;
  /** Before this moment the job must not be started. */
  readonly notBeforeMs?: number;
  /** From this moment on the job must not be started any more. */
  readonly expiresAtMs?: number;
  /** The `endId` of the end that its sender wants to open. */
  readonly resends?: string;
  readonly batchId?: string;
  /** The sender's own data, returned on every result byte for byte: the text of a JSON object. */
  readonly context?: JsonText;
}

/** A card field that serves one attempt alone, still sealed. */
interface SealedCode {
  /** Its name in `params`. */
  readonly field: string;
  /** The key, of this order alone, that is kept until the order is claimed. */
  readonly keyId: string;
  readonly sealed: string;
}

/** The identity of a message that could not be taken, as far as it could be read, so that its sender gets a result. */
export type JobIdentity = Partial<
  Pick<Job, 'operation' | 'merchant' | 'endpointId' | 'orderId' | 'batchId' | 'context'>
>;

/** A job, or every fault found. */
export type ParsedJob =
  | { readonly kind: 'job'; readonly job: Job }
  | { readonly kind: 'rejected'; readonly faults: readonly Fault[]; readonly identity: JobIdentity };

/** The identity of a whole job, for a rejection of it. */
export function identityOf({ operation, merchant, endpointId, orderId, batchId, context }: Job): JobIdentity {
  return whereSet<JobIdentity>({ operation, merchant, endpointId, orderId, batchId, context });
}

type Names = Partial<Pick<Job, 'merchant' | 'orderId' | 'endpointId' | 'batchId'>>;

/** Why no job could have these names: an operator's typing slip must not name an order that can't exist. */
export function faultOfNames(names: Names): string | undefined {
  for (const [field, name] of Object.entries(names)) {
    const read = name === undefined ? undefined : v.safeParse(jobFields[field as keyof Names], name);
    if (read?.issues) return `${holdsCardData(name) ? 'a name' : `"${name}"`} ${read.issues[0].message}`;
  }
  return undefined;
}

/** True if a job could have these names. */
export const couldBear = (names: Names): boolean => faultOfNames(names) === undefined;

/** Reads one message body. Every fault is reported, not the first alone, so that the sender can correct all at once. */
export function parseJob(body: string): ParsedJob {
  const object = inboundObject(body);
  if (object.kind === 'fault') return rejected([{ field: 'message', fault: object.fault }], {});
  const { twice } = object;
  if (twice) {
    // Which of its two values is meant is unknown.
    const { [twice[0] ?? '']: _, ...rest } = object.value;
    return rejected([{ field: twice.map(printable).join('.'), fault: twiceFault }], rest);
  }
  return judgeJob(object.value, body);
}

/** The same for a message that a reader of ours has made, and written as `body`: it can give no name twice. */
export function judgeJob(value: Readonly<Record<string, unknown>>, body: string): ParsedJob {
  const envelope = envelopes.find(({ names }) => names.every((name) => Object.hasOwn(value, name)));
  if (envelope) return rejected([{ field: 'message', fault: envelope.fault }], {});
  // The rejection names the sender's identity; nothing else of the message is read.
  if (Buffer.byteLength(body) > jobBodyLimitBytes)
    return rejected([{ field: 'message', fault: `is longer than ${jobBodyLimitBytes} bytes` }], value);
  const { message, faults: ofNames } = withNames(value);
  const read = v.safeParse(jobSchema, message, { abortPipeEarly: true });
  const context = contextOf(message, body);
  const params = paramsOf(message);
  const faults = [
    ...ofNames,
    ...(read.issues ?? []).map(faultOf).filter(({ field }) => !ofNames.some((it) => it.field === field)),
    ...(context !== undefined && isTooLong(context) ? [{ field: 'context', fault: contextTooLong }] : []),
    ...unknownFields(message),
    ...params.faults,
    ...faultsOfTimes(message),
  ];
  return read.success && faults.length === 0
    ? { kind: 'job', job: jobOf(read.output, params.values, context) }
    : rejected(faults, message, context);
}

/** What AWS wraps around a message on its way from a topic or a bus to a queue, and the setting by which it does not. */
const envelopes = [
  {
    names: ['Type', 'TopicArn', 'Message'],
    fault: 'is an envelope of SNS; set RawMessageDelivery to true at the subscription of this queue',
  },
  {
    names: ['detail-type', 'source', 'detail'],
    fault:
      'is an envelope of EventBridge; set InputPath to "$.detail" at the target, or write the job by an InputTransformer',
  },
];

/** The message with its names as the gate gives them. */
function withNames(message: Readonly<Record<string, unknown>>): {
  readonly message: Readonly<Record<string, unknown>>;
  readonly faults: readonly Fault[];
} {
  const faults: Fault[] = [];
  const read = { ...message };
  for (const field of ['orderId', 'merchant', 'endpointId', 'batchId', 'notBefore', 'expiresAt'] as const) {
    const value = message[field];
    if (typeof value !== 'string') continue;
    // Only an order's id is taken from spreadsheet cells; the other names are plain text.
    const text = inbound(field === 'orderId' ? 'id' : 'text', value);
    if (text.kind === 'text') read[field] = text.text;
    else faults.push({ field, fault: text.fault });
  }
  return { message: read, faults };
}

/** The context as its sender wrote it; undefined if there is none. */
function contextOf({ context }: Readonly<Record<string, unknown>>, body: string): JsonText | undefined {
  return isRecord(context) ? memberText(body, 'context') : undefined;
}

/** The payee's name, if the sender has written it into the context for people to read. */
export function payeeNameIn(context: JsonText | undefined): string | undefined {
  const text = context === undefined ? undefined : memberText(context, 'payee_name');
  const name: unknown = text === undefined ? undefined : JSON.parse(text);
  return typeof name === 'string' ? name : undefined;
}

const isTooLong = (context: JsonText) => Buffer.byteLength(context) > contextLimitBytes;

function jobOf(
  message: v.InferOutput<typeof jobSchema>,
  params: Readonly<Record<string, string>>,
  context: JsonText | undefined,
): Job {
  const { operation, merchant, endpointId, orderId, sealedParams, notBefore, expiresAt } = message;
  const { resends, batchId, approval } = message;
  return whereSet<Job>({
    operation,
    merchant,
    endpointId,
    orderId,
    params,
    sealedParams,
    money: moneyOf(params),
    notBeforeMs: notBefore === undefined ? undefined : Date.parse(notBefore),
    expiresAtMs: expiresAt === undefined ? undefined : Date.parse(expiresAt),
    resends,
    batchId,
    context,
    approval,
  });
}

function moneyOf({ amount, currency }: Readonly<Record<string, string>>): Money | undefined {
  if (amount === undefined || currency === undefined) return undefined;
  const parsed = parseAmount(amount, currency);
  return parsed.kind === 'amount' ? { currency, minorUnits: parsed.minorUnits } : undefined;
}

function unknownFields(message: Readonly<Record<string, unknown>>): Fault[] {
  return Object.keys(message)
    .filter((name) => !Object.hasOwn(jobFields, name))
    .map((name) => ({ field: printable(name), fault: 'is not a field of this contract; remove it' }));
}

/** Values of params as the gate gives them, and every fault of the params against the table of operations, with how to correct it. */
interface InboundParams {
  readonly values: Readonly<Record<string, string>>;
  readonly faults: readonly Fault[];
}

function paramsOf({ operation, params }: Readonly<Record<string, unknown>>): InboundParams {
  if (!v.is(jobFields.operation, operation) || !isRecord(params)) return { values: {}, faults: [] };
  const of = operations[operation];
  const faults: Fault[] = [];
  // Pairs: an object would take "__proto__", a name like any other, for something of its own.
  const values: [name: string, text: string][] = [];
  for (const name of Object.keys(params)) {
    const field = Object.hasOwn(of.fields, name) ? of.fields[name] : undefined;
    const read = field && inboundField(field, params[name]);
    if (read?.kind === 'text') values.push([name, read.text]);
    else
      faults.push({
        field: `params.${printable(name)}`,
        fault: read ? read.fault : `is not a field of ${of.name}; ${fieldHint(of, name)}`,
      });
  }
  for (const field of of.required)
    if (!Object.hasOwn(params, field))
      faults.push({ field: `params.${field}`, fault: `is missing; ${of.name} needs it` });
  const found = Object.fromEntries(values);
  return { values: found, faults: faults.length > 0 ? faults : amountFaults(found) };
}

/** Refuses a job whose time would be over before it may begin. */
function faultsOfTimes({ notBefore, expiresAt }: Readonly<Record<string, unknown>>): Fault[] {
  if (typeof notBefore !== 'string' || typeof expiresAt !== 'string') return [];
  const [from, until] = [Date.parse(notBefore), Date.parse(expiresAt)];
  const fault = 'is not before expiresAt, so the job would never be sent; name an earlier moment, or a later expiresAt';
  return from >= until ? [{ field: 'notBefore', fault }] : [];
}

function faultOf(issue: v.InferIssue<typeof jobSchema>): Fault {
  const path = (issue.path ?? []).map((it) => printable(String(it.key)));
  return { field: path.join('.') || 'message', fault: issue.message };
}

function rejected(faults: readonly Fault[], message: Readonly<Record<string, unknown>>, context?: JsonText): ParsedJob {
  const shownContext = context !== undefined && !isTooLong(context) && { context };
  return { kind: 'rejected', faults, identity: { ...identityIn(message), ...shownContext } };
}

/** Each part is taken only if it is valid by itself, so that a rejection can't carry a wrong field onwards. */
function identityIn(message: Readonly<Record<string, unknown>>): JobIdentity {
  const identity: Record<string, unknown> = {};
  for (const name of ['operation', 'merchant', 'endpointId', 'orderId', 'batchId'] as const) {
    const part = v.safeParse(jobFields[name], message[name]);
    if (part.success && part.output !== undefined) identity[name] = part.output;
  }
  return identity;
}

function amountFaults({ amount, currency }: Readonly<Record<string, string>>): Fault[] {
  if (amount === undefined || currency === undefined) return [];
  const parsed = parseAmount(amount, currency);
  return parsed.kind === 'fault' ? [{ field: 'params.amount', fault: parsed.fault }] : [];
}

function fieldHint(operation: Operation, name: string): string {
  if (/^client[-_]order[-_]?id$/i.test(name)) return 'the order identifier is the message\'s "orderId"';
  const alike = Object.keys(operation.fields).find((it) => letters(it) === letters(name));
  return alike ? `did you mean "${alike}"?` : `it takes ${Object.keys(operation.fields).join(', ')}`;
}

const letters = (name: string) => name.replace(/[^a-z0-9]/gi, '').toLowerCase();

/** A name from outside, if it may be printed: it may be a card or account number pasted in the wrong place. */
export function printable(name: string): string {
  const isName = /^[A-Za-z_-][A-Za-z0-9_-]{0,63}$/.test(name) && !/\d{4}/.test(name);
  return isName && !holdsCardData(name) ? name : '(unprintable name)';
}
