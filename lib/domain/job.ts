// The job message: what a merchant asks for. Text in, a job or its faults out; nothing here ever throws on odd input,
// because an exception would send the message round the queue instead of telling its sender what to mend.
import * as v from 'valibot';
import { type Fault, paramFaults, printable, trimmed } from './job-params.ts';
import { parseAmount } from './money.ts';
import { type OperationName, operationNames, operations } from './operations.ts';

/** One validated job. Values of `params` are trimmed: the gateway trims too, and both must sign the same text. */
export interface Job {
  readonly operation: OperationName;
  readonly merchant: string;
  readonly endpointId: string;
  readonly orderId: string;
  readonly params: Readonly<Record<string, string>>;
  /** The money asked for; absent for a check. */
  readonly money?: Money;
  /** From this moment on the job must not be started any more. */
  readonly expiresAtMs?: number;
  readonly batchId?: string;
  /** The sender's own words, returned on every result untouched. */
  readonly context?: Readonly<Record<string, unknown>>;
}

/** An exact amount: whole minor units (cents) of an ISO 4217 currency. */
export interface Money {
  readonly currency: string;
  readonly minorUnits: bigint;
}

/** The identity of a message that could not be taken, as far as it could be read, so that its sender can be told. */
export type JobIdentity = Partial<
  Pick<Job, 'operation' | 'merchant' | 'endpointId' | 'orderId' | 'batchId' | 'context'>
>;

/** A job, or every fault found. */
export type ParsedJob =
  | { readonly kind: 'job'; readonly job: Job }
  | { readonly kind: 'rejected'; readonly faults: readonly Fault[]; readonly identity: JobIdentity };

/** Longest message body that is looked at, in bytes; a job with every field at its limit stays far below. */
export const jobBodyLimitBytes = 65_536;
/** Longest `context` as JSON, in bytes: it is kept in the ledger item, which must stay under 1 KB. */
export const contextLimitBytes = 192;

const expected = (text: string) => `is not ${text}`;
const shaped = (shape: RegExp, text: string) =>
  v.pipe(v.string(expected('text')), v.trim(), v.regex(shape, expected(text)));
const record = v.custom<Readonly<Record<string, unknown>>>(isRecord, expected('an object'));

const envelope = {
  version: v.literal(1, expected('1, the only version of this contract')),
  operation: v.picklist(operationNames, expected(`one of ${operationNames.join(', ')}`)),
  merchant: shaped(/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/, 'a merchant name: 1 to 64 letters, digits, ".", "_" or "-"'),
  endpointId: shaped(
    /^(group\/)?[A-Za-z0-9_-]{1,16}$/,
    'an endpoint id: 1 to 16 letters or digits, or "group/" and one',
  ),
  orderId: shaped(/^[\u0020-\u007e]{1,128}$/, 'an order id: 1 to 128 printable ASCII characters'),
  params: record,
  expiresAt: v.optional(
    v.pipe(v.string(expected('text')), v.check(isTime, expected('a time such as "2026-11-30T00:00:00Z"'))),
  ),
  batchId: v.optional(shaped(/^[A-Za-z0-9._-]{1,48}$/, 'a batch id: 1 to 48 letters, digits, ".", "_" or "-"')),
  context: v.optional(
    v.pipe(
      record,
      v.check((it) => jsonBytes(it) <= contextLimitBytes, `is longer than ${contextLimitBytes} bytes as JSON`),
    ),
  ),
};

/** True when a job could bear these names: an operator's slip of the pen must not speak of what can't exist. */
export function couldBear(names: Partial<Pick<Job, 'merchant' | 'orderId' | 'batchId'>>): boolean {
  const { merchant, orderId, batchId } = names;
  return (
    (merchant === undefined || v.is(envelope.merchant, merchant)) &&
    (orderId === undefined || v.is(envelope.orderId, orderId)) &&
    v.is(envelope.batchId, batchId)
  );
}

/** The schema of the job message; unknown fields and the `params` are judged beside it, so that all faults are told. */
const jobSchema = v.object(envelope, 'is missing');

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A day that the month does not have is refused, and so is what Date can't read: it would never expire. */
function isTime(text: string): boolean {
  const day = new Date(`${text.slice(0, 10)}T00:00:00Z`);
  return (
    v.ISO_TIMESTAMP_REGEX.test(text) &&
    !Number.isNaN(Date.parse(text)) &&
    day.getUTCDate() === Number(text.slice(8, 10))
  );
}

function jsonBytes(value: unknown): number {
  try {
    return Buffer.byteLength(JSON.stringify(value));
  } catch {
    return Infinity; // nested too deep to be written
  }
}

/** Reads one message body. Every fault is reported, not the first alone, so that one round trip mends them all. */
export function parseJob(body: string): ParsedJob {
  if (Buffer.byteLength(body) > jobBodyLimitBytes) {
    return rejected([{ field: 'message', fault: `is longer than ${jobBodyLimitBytes} bytes` }], {});
  }
  let message: unknown;
  try {
    message = JSON.parse(body);
  } catch {
    return rejected([{ field: 'message', fault: 'is not JSON' }], {});
  }
  if (!isRecord(message)) return rejected([{ field: 'message', fault: expected('an object') }], {});
  const read = v.safeParse(jobSchema, message);
  const faults = [...(read.issues ?? []).map(faultOf), ...unknownFields(message), ...faultsOfParams(message)];
  return read.success && faults.length === 0 ? { kind: 'job', job: jobOf(read.output) } : rejected(faults, message);
}

function jobOf(message: v.InferOutput<typeof jobSchema>): Job {
  const params = trimmed(message.params);
  const money = moneyOf(params);
  return {
    operation: message.operation,
    merchant: message.merchant,
    endpointId: message.endpointId,
    orderId: message.orderId,
    params,
    ...(money && { money }),
    ...(message.expiresAt !== undefined && { expiresAtMs: Date.parse(message.expiresAt) }),
    ...(message.batchId !== undefined && { batchId: message.batchId }),
    ...(message.context !== undefined && { context: message.context }),
  };
}

function moneyOf({ amount, currency }: Readonly<Record<string, string>>): Money | undefined {
  if (amount === undefined || currency === undefined) return undefined;
  const parsed = parseAmount(amount, currency);
  return parsed.kind === 'amount' ? { currency, minorUnits: parsed.minorUnits } : undefined;
}

function unknownFields(message: Readonly<Record<string, unknown>>): Fault[] {
  return Object.keys(message)
    .filter((name) => !Object.hasOwn(envelope, name))
    .map((name) => ({ field: printable(name), fault: 'is not a field of this contract; remove it' }));
}

function faultsOfParams({ operation, params }: Readonly<Record<string, unknown>>): Fault[] {
  return v.is(envelope.operation, operation) && isRecord(params) ? paramFaults(operations[operation], params) : [];
}

function faultOf(issue: v.InferIssue<typeof jobSchema>): Fault {
  const path = (issue.path ?? []).map((it) => printable(String(it.key)));
  return { field: path.join('.') || 'message', fault: issue.message };
}

function rejected(faults: readonly Fault[], message: Readonly<Record<string, unknown>>): ParsedJob {
  return { kind: 'rejected', faults, identity: identityOf(message) };
}

/** Each part is taken only where it is right by itself, so that a rejection can't carry a wrong field onwards. */
function identityOf(message: Readonly<Record<string, unknown>>): JobIdentity {
  const identity: Record<string, unknown> = {};
  for (const name of ['operation', 'merchant', 'endpointId', 'orderId', 'batchId', 'context'] as const) {
    const part = v.safeParse(envelope[name], message[name]);
    if (part.success && part.output !== undefined) identity[name] = part.output;
  }
  return identity;
}
