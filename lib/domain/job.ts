// The job message: what a merchant asks for. Text in, a job or its faults out; nothing here ever throws on odd input,
// because an exception would send the message round the queue instead of telling its sender what to mend.
import * as v from 'valibot';
import { fieldFault } from './fields.ts';
import { parseAmount } from './money.ts';
import { type Operation, type OperationName, operationNames, operations } from './operations.ts';

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

/** What is wrong with one field, and how to mend it. Never contains the field's value: it may be a card number. */
export interface Fault {
  readonly field: string;
  readonly fault: string;
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
export const contextLimitBytes = 256;

const expected = (text: string) => `is not ${text}`;
const shaped = (shape: RegExp, text: string) =>
  v.pipe(v.string(expected('text')), v.trim(), v.regex(shape, expected(text)));

const envelope = {
  version: v.literal(1, expected('1, the only version of this contract')),
  operation: v.picklist(operationNames, expected(`one of ${operationNames.join(', ')}`)),
  merchant: shaped(/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/, 'a merchant name: 1 to 64 letters, digits, ".", "_" or "-"'),
  endpointId: shaped(
    /^(group\/)?[A-Za-z0-9_-]{1,32}$/,
    'an endpoint id: 1 to 32 letters or digits, or "group/" and one',
  ),
  orderId: shaped(/^[\u0020-\u007e]{1,128}$/, 'an order id: 1 to 128 printable ASCII characters'),
  params: v.record(
    v.string(),
    v.string('is not text; write every value as a string, amounts too'),
    expected('an object'),
  ),
  expiresAt: v.optional(
    v.pipe(v.string(expected('text')), v.isoTimestamp(expected('a time such as "2026-11-30T00:00:00Z"'))),
  ),
  batchId: v.optional(shaped(/^[A-Za-z0-9._-]{1,64}$/, 'a batch id: 1 to 64 letters, digits, ".", "_" or "-"')),
  context: v.optional(
    v.pipe(
      v.record(v.string(), v.unknown(), expected('an object')),
      v.check(
        (it) => Buffer.byteLength(JSON.stringify(it)) <= contextLimitBytes,
        `is longer than ${contextLimitBytes} bytes as JSON`,
      ),
    ),
  ),
};

/** The schema of the job message; its `params` are judged further by the table of operations. */
export const jobSchema = v.strictObject(envelope, (issue) => objectFault(issue));

function objectFault(issue: { readonly expected: string | null; readonly received: string }): string {
  if (issue.expected === 'never') return 'is not a field of this contract; remove it';
  return issue.received === 'undefined' ? 'is missing' : expected('an object');
}

/** Reads one message body. Every fault is reported, not the first alone, so that one round trip mends them all. */
export function parseJob(body: string): ParsedJob {
  if (Buffer.byteLength(body) > jobBodyLimitBytes) {
    return rejected([{ field: 'message', fault: `is longer than ${jobBodyLimitBytes} bytes` }], undefined);
  }
  let message: unknown;
  try {
    message = JSON.parse(body);
  } catch {
    return rejected([{ field: 'message', fault: 'is not JSON' }], undefined);
  }
  const read = v.safeParse(jobSchema, message);
  if (!read.success) return rejected(read.issues.map(faultOf), message);
  const operation = operations[read.output.operation];
  const params = trimmed(read.output.params);
  const faults = paramFaults(operation, params);
  if (faults.length > 0) return rejected(faults, message);
  return { kind: 'job', job: jobOf(read.output, params) };
}

function jobOf(message: v.InferOutput<typeof jobSchema>, params: Readonly<Record<string, string>>): Job {
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

function trimmed(params: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(params).map(([name, value]) => [name, value.trim()]));
}

function paramFaults(operation: Operation, params: Readonly<Record<string, string>>): Fault[] {
  const faults: Fault[] = [];
  for (const [name, value] of Object.entries(params)) {
    const field = Object.hasOwn(operation.fields, name) ? operation.fields[name] : undefined;
    const fault = field
      ? fieldFault(field, value)
      : `is not a field of ${operation.name}; ${fieldHint(operation, name)}`;
    if (fault !== undefined) faults.push({ field: `params.${printable(name)}`, fault });
  }
  for (const name of operation.required) {
    if (params[name] === undefined)
      faults.push({ field: `params.${name}`, fault: `is missing; ${operation.name} needs it` });
  }
  if (faults.length === 0 && params['amount'] !== undefined) {
    const parsed = parseAmount(params['amount'], params['currency'] ?? '');
    if (parsed.kind === 'fault') faults.push({ field: 'params.amount', fault: parsed.fault });
  }
  return faults;
}

function fieldHint(operation: Operation, name: string): string {
  if (/^client[-_]order[-_]?id$/i.test(name)) return 'the order identifier is the message\'s "orderId"';
  const alike = Object.keys(operation.fields).find((it) => letters(it) === letters(name));
  return alike ? `did you mean "${alike}"?` : `it takes ${Object.keys(operation.fields).join(', ')}`;
}

const letters = (name: string) => name.replace(/[^a-z0-9]/gi, '').toLowerCase();

/** A name from outside may be anything, a card number pasted in the wrong place included. */
function printable(name: string): string {
  return /^[A-Za-z_-][A-Za-z0-9_-]{0,63}$/.test(name) ? name : '(unprintable name)';
}

function faultOf(issue: v.InferIssue<typeof jobSchema>): Fault {
  const path = (issue.path ?? []).map((it) => printable(String(it.key)));
  return { field: path.join('.') || 'message', fault: issue.message };
}

function rejected(faults: readonly Fault[], message: unknown): ParsedJob {
  return { kind: 'rejected', faults, identity: identityOf(message) };
}

/** Each part is taken only where it is right by itself, so that a rejection can't carry a wrong field onwards. */
function identityOf(message: unknown): JobIdentity {
  if (typeof message !== 'object' || message === null) return {};
  const fields = new Map(Object.entries(message));
  const identity: Record<string, unknown> = {};
  for (const name of ['operation', 'merchant', 'endpointId', 'orderId', 'batchId', 'context'] as const) {
    const part = v.safeParse(envelope[name], fields.get(name));
    if (part.success && part.output !== undefined) identity[name] = part.output;
  }
  return identity;
}
