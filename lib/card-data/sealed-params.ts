// Card fields that only the worker can read: `sealedParams` of a job is a compact JWE (RFC 7516) over a JSON object of the
// operation's card fields. Its protected header, which is authenticated, names the order and bears a digest of all fields in
// the clear, so that a seal can't be moved to another order or another amount.
// A field of one attempt alone (the CVV) is sealed once more inside, under a key of this order alone, which the claim destroys.
// The rules are here; the cryptography is an adapter's.
import * as v from 'valibot';
import { type Inbound, inboundField } from '../payout/message/inbound.ts';
import { jsonObject } from '../payout/message/job-fields.ts';
import { type Job, printable } from '../payout/message/job.ts';
import { plainDigest } from '../payout/message/plain-digest.ts';
import { operations } from '../gateway/operations.ts';

/** The ways to agree on or wrap the content key (RFC 7518 section 4.1). */
export const sealAlgorithms = ['ECDH-ES', 'RSA-OAEP-256'] as const;
/** The encryption of the content (RFC 7518 section 5.1). */
export const sealEncryption = 'A256GCM';

/** One of {@link sealAlgorithms}. */
export type SealAlgorithm = (typeof sealAlgorithms)[number];

/** The order that a seal is for, as its protected header spells it. */
export type SealedOrder = Pick<Job, 'merchant' | 'orderId' | 'operation'>;

/** The key under which a seal is to be opened. */
export interface SealKey {
  readonly kid: string;
  readonly alg: SealAlgorithm;
  /** {@link plainDigest} of the job that it was made for. */
  readonly plain: string;
}

/** The part that was read, or the fault of the seal; never a value out of it. */
type Read<T> = { readonly kind: 'read'; readonly value: T } | { readonly kind: 'fault'; readonly fault: string };

const text = v.pipe(v.string(), v.nonEmpty(), v.maxLength(128));

/** The parser's own message quotes the text, and must not leave. */
const json = v.pipe(v.string(), v.parseJson());

/** Strict: a member that is not understood (compression, critical extensions) could change the meaning of the seal. */
const header = v.pipe(
  json,
  v.strictObject({
    alg: v.picklist(sealAlgorithms),
    enc: v.literal(sealEncryption),
    kid: text,
    merchant: text,
    orderId: text,
    operation: text,
    plain: text,
    epk: v.optional(v.looseObject({})),
    typ: v.optional(text),
  }),
);

/** The header of a job's seal: its key, if it is of the right kind and for this very order. */
export function readSealKey(sealed: string, job: SealedOrder): Read<SealKey> {
  const read = v.safeParse(header, headerOf(sealed));
  if (!read.success) {
    const names = new Set(read.issues.map((issue) => printable(String(issue.path?.[0]?.key ?? 'header'))));
    return fault(`sealedParams has an invalid header: ${[...names].join(', ')}`);
  }
  const { kid, alg, plain, ...named } = read.output;
  const other = (['merchant', 'orderId', 'operation'] as const).filter((name) => named[name] !== job[name]);
  if (other.length > 0) return fault(`sealedParams is sealed for another ${other.join(' and ')}`);
  return { kind: 'read', value: { kid, alg, plain } };
}

/** The reason why the seal is not for the job as it came; undefined if it binds it. */
export function whyNotBound({ plain }: SealKey, job: Job): string | undefined {
  return plain === plainDigest(job) ? undefined : 'sealedParams is sealed for other plain fields than the message has';
}

/** The header of the inner seal of a single-use field: encrypted by the order's own key itself. */
const codeHeader = v.pipe(json, v.strictObject({ alg: v.literal('dir'), enc: v.literal(sealEncryption), kid: text }));

/** The content of a seal. */
const texts = v.pipe(json, jsonObject, v.record(v.string(), v.string()));

/** The job with the content of its seal in the place of the seal; a field of one attempt alone stays sealed until the claim. */
export function unsealed(job: Job, content: string): Read<Job> {
  const { sealedParams: _, ...rest } = job;
  const values = v.safeParse(texts, content);
  if (!values.success) return fault('sealedParams does not hold a JSON object of texts');
  const sealed = Object.entries(values.output);
  if (sealed.length === 0) return fault('sealedParams holds nothing');
  const all: [name: string, text: string][] = [];
  const faults: string[] = [];
  for (const [name, value] of sealed) {
    const read = cardText(job, name, value);
    if (read.kind === 'text') all.push([name, read.text]);
    else faults.push(`sealedParams.${printable(name)} ${read.fault}`);
  }
  if (faults.length > 0) return fault(faults.join('; '));
  const { fields } = operations[job.operation];
  const code = all.find(([name]) => fields[name]?.singleUse);
  const open = Object.fromEntries(all.filter(([name]) => !fields[name]?.singleUse));
  const sealedCode = code && { field: code[0], keyId: codeKeyId(code[1]) ?? '', sealed: code[1] };
  return { kind: 'read', value: { ...rest, params: { ...job.params, ...open }, sealedCode } };
}

function cardText({ operation, params }: Job, name: string, value: string): Inbound {
  const { fields } = operations[operation];
  const field = Object.hasOwn(fields, name) ? fields[name] : undefined;
  if (!field?.card) return fault(`is not a card field of ${operation}; only those are sealed`);
  if (Object.hasOwn(params, name)) return fault('is in params too');
  if (!field.singleUse) return inboundField(field, value);
  const text = value.trim();
  return codeKeyId(text) === undefined ? fault('must be sealed under a key of its own') : { kind: 'text', text };
}

function codeKeyId(sealed: string): string | undefined {
  const read = v.safeParse(codeHeader, headerOf(sealed));
  return read.success ? read.output.kid : undefined;
}

/** The job with its single-use field, as it was opened; undefined when the field does not take that text. */
export function withCode({ sealedCode, ...job }: Job, opened: string): Job | undefined {
  const field = operations[job.operation].fields[sealedCode?.field ?? ''];
  const read = field && inboundField(field, opened);
  if (!sealedCode || read?.kind !== 'text') return undefined;
  return { ...job, params: { ...job.params, [sealedCode.field]: read.text } };
}

function fault(what: string): { readonly kind: 'fault'; readonly fault: string } {
  return { kind: 'fault', fault: what };
}

const headerOf = (sealed: string) => Buffer.from(sealed.split('.')[0] ?? '', 'base64url').toString();

/** A key of one order, under which its single-use card data is sealed; stored once, taken by the worker that holds the claim. */
export interface CardKey {
  readonly id: string;
  /** 256 bits, base64url. */
  readonly secret: string;
}

/** The store where senders leave the keys of single-use card data: a table of their own, which holds nothing else. */
export interface CardKeyStore {
  /**
   * Leaves a key for an order and answers with the key to seal under. The first key stays: every copy of the order before its
   * claim is sealed under the same one. A call that rejects may be repeated. The sweeper destroys a key that no claim will take.
   */
  deposit(order: SealedOrder, key: CardKey): Promise<CardKey>;
}

/** The worker's view of the same store. */
export interface ClaimedCardKeys {
  /** Deletes the key of this id and returns it, to one caller only; undefined if there is another, or none. */
  take(orderKey: string, id: string): Promise<CardKey | undefined>;
}
