// Card data in a job: which fields hold it, where it has no business, and what is left of a message once it is cut out. The
// dead-letter queue keeps messages for days, and people read them. Nothing here keeps or repeats a value.
import { cardDataInName, cutMark, holdsCardData, isCardAccount, withoutCardData } from '../../gateway/redact.ts';
import { contractFields, type Field, interfaceFields } from '../../gateway/fields.ts';
import { type OperationName, operations } from '../../gateway/operations.ts';
import { type Job, type JobIdentity, parseJob, jobBodyLimitBytes } from './job.ts';
import { type JsonText, parsedWithDigits, scalarsOf, withMember } from './json-text.ts';

/** The params of a job that are a card number or a CVV: the fields for which a queue is no place in the clear. */
export function plainCardFields(job: {
  readonly operation: OperationName;
  readonly params: Readonly<Record<string, string>>;
}): string[] {
  const { fields } = operations[job.operation];
  return Object.keys(job.params).filter((name) => ['number', 'code'].includes(fields[name]?.card ?? ''));
}

type Written = Parameters<typeof plainCardFields>[0] & Pick<JobIdentity, 'orderId' | 'batchId' | 'context'>;

/**
 * Where card data is in a job in which it has no business at all: a free text, a URL, a reference, an account number, the order
 * id, or the sender's own context. A text out of which it was cut before is not what its sender sent either.
 */
export function cardNumbersInText({ operation, params, orderId, context }: Written): string[] {
  const { fields } = operations[operation];
  const texts = Object.entries(params).filter(([name, text]) => isShown(fields[name], text));
  return [
    ...texts.map(([name]) => name),
    ...(orderId !== undefined && isCutName(orderId) ? ['orderId'] : []),
    ...(context !== undefined && (context.includes(cutMark) || contextHolds(context)) ? ['context'] : []),
  ];
}

const isCut = (text: string) => text.includes(cutMark) || holdsCardData(text);
const isCutName = (name: string) => name.includes(cutMark) || cardDataInName(name) !== undefined;

/** The fields of an identity and of a message that are names, not texts. */
const names: ReadonlySet<string> = new Set(['orderId', 'batchId', 'merchant', 'endpointId']);
const holdsIn = (name: string, text: string) =>
  name === 'context' ? contextHolds(text) : names.has(name) ? isCutName(text) : holdsCardData(text);

/** Each text is judged as it reads; a code, which is known by its name alone, by the whole text with its names. */
function contextHolds(context: JsonText): boolean {
  return scalarsOf(context).some((it) => holdsCardData(it)) || holdsCardData(context.replaceAll(/\d{5,}/g, 'x'));
}

/** True where the field's text holds what it may not. */
function isShown(field: Field | undefined, text: string): boolean {
  if (!field || field.card === 'number' || field.card === 'code') return false;
  if (!['text', 'url', 'digits'].includes(field.kind)) return false;
  return field.bankAccount ? text.includes(cutMark) || isCardAccount(text) : isCut(text);
}

/**
 * All fields of the job that the merchant's profile refuses. Card data that would come back on results and lie in logs and the
 * ledger is refused whatever a profile says.
 */
export function refusedCardFields(job: Written, profile: { readonly plainCardData: 'accepted' | 'refused' }): string[] {
  const written = cardNumbersInText(job);
  if (profile.plainCardData !== 'accepted') return [...plainCardFields(job), ...written];
  return written.filter((name) => name === 'orderId' || name === 'context');
}

/** The parts of an identity that may be published, logged and stored. */
export function shownIdentity(identity: JobIdentity): JobIdentity {
  return Object.fromEntries(
    Object.entries(identity).filter(([name, text]) => typeof text !== 'string' || !holdsIn(name, text)),
  );
}

/** A message body without card data. */
export interface CutBody {
  readonly body: string;
  /** True where something was cut out: the message as it came may be kept nowhere. */
  readonly cut: boolean;
  /** The message is so long that its identity alone was kept, whatever was in it. */
  readonly tooLong?: true;
}

/**
 * The body as it may lie in the dead-letter queue. A job loses its card fields and what was refused of its other texts; all
 * else stays to the letter, so that an order without card data can be redriven. A message that is no job loses all that
 * looks like card data or is named so, at any depth, encoded or not; of one that is too long its identity alone is kept.
 * A seal stays, unless it can't be opened any more.
 */
export function cutBody(body: string, { sealSpent = false }: { readonly sealSpent?: boolean } = {}): CutBody {
  const parsed = parseJob(body);
  if (Buffer.byteLength(body) > jobBodyLimitBytes) return onlyIdentity(parsed.kind === 'job' ? {} : parsed.identity);
  try {
    const message: unknown = JSON.parse(body);
    const hides = hidesCardData(body, message);
    if (parsed.kind === 'job') {
      const clean = cutJob(message, parsed.job, sealSpent);
      return { ...clean, cut: clean.cut || hides };
    }
    const text = JSON.stringify(cutValue('', message));
    return { body: text, cut: hides || text !== JSON.stringify(message) };
  } catch {
    const text = withoutCardData(cutNamed(body));
    return { body: text, cut: text !== body };
  }
}

/** True for card data in the first value of a name that comes twice: no reader of JSON shows it, and the text as it came bears it. */
const hidesCardData = (body: string, message: unknown): boolean =>
  scalarsOf(body).length !== scalarsOf(JSON.stringify(message)).length && withoutCardData(cutNamed(body)) !== body;

function onlyIdentity({ operation, merchant, endpointId, orderId, batchId }: JobIdentity): CutBody {
  const identity = { operation, merchant, endpointId, orderId, batchId } as JobIdentity;
  const why = `longer than ${jobBodyLimitBytes} bytes: only its identity is kept`;
  return { body: JSON.stringify({ ...shownIdentity(identity), message: why }), cut: true, tooLong: true };
}

/** Written anew even where nothing is found: of a name that comes twice, the first value would stay in the text. */
function cutJob(message: unknown, { operation, context }: Job, sealSpent: boolean): CutBody {
  const { context: _read, ...rest } = message as Readonly<Record<string, unknown>>;
  const clean = JSON.stringify(cutFields(rest, operation, sealSpent));
  const cut = clean !== JSON.stringify(rest);
  if (context === undefined) return { body: clean, cut };
  const cleanContext = cutContext(context);
  return { body: withMember(clean, 'context', cleanContext), cut: cut || cleanContext !== context };
}

/**
 * The context to the letter, as it comes back when the order is redriven. Written anew where card data is cut out, or where a
 * name comes twice: no parser shows the first value.
 */
function cutContext(context: JsonText): JsonText {
  const exact = parsedWithDigits(context);
  const plain = JSON.stringify(exact);
  if (scalarsOf(plain).length === scalarsOf(context).length && !contextHolds(context)) return context;
  const clean = JSON.stringify(cutValue('context', exact));
  return contextHolds(clean) ? JSON.stringify({ context: cutMark }) : clean;
}

function cutFields(message: unknown, operation: OperationName, sealSpent: boolean): unknown {
  const { fields } = operations[operation];
  return mapped(message, (part, value) => {
    if (part === 'sealedParams') return sealSpent ? cutMark : value;
    if (part !== 'params') return typeof value === 'string' && holdsIn(part, value) ? cutMark : value;
    return mapped(value, (name, text) => {
      if (fields[name]?.card) return cutMark;
      // Refused texts lose what they were refused for; the others are redriven to the letter.
      return isShown(fields[name], String(text)) ? cutText(String(text)) : text;
    });
  });
}

function cutText(text: string): string {
  const clean = withoutCardData(text);
  return clean === text ? cutMark : clean;
}

function mapped(record: unknown, change: (name: string, value: unknown) => unknown): Record<string, unknown> {
  return Object.fromEntries(Object.entries(record ?? {}).map(([name, value]) => [name, change(name, value)]));
}

const letters = (name: string) =>
  name
    .normalize('NFKC')
    .replace(/[^\p{L}\p{N}]/gu, '')
    .toLowerCase();

/** Every name of a card field that the gateway knows, and others by which senders call the same. */
const cardNames: ReadonlySet<string> = new Set(
  Object.entries<Field>({ ...interfaceFields, ...contractFields })
    .filter(([, field]) => field.card !== undefined)
    .map(([name]) => letters(name))
    .concat('pan', 'cardnumber', 'cardno', 'ccnumber', 'cardholder', 'cardholdername', 'track1', 'track2')
    .concat('cvv', 'cvc', 'cvc2', 'cvn', 'csc', 'cardcode', 'securitycode')
    .concat('expiry', 'expirydate', 'expirationdate', 'expmonth', 'expyear'),
);

function cutValue(name: string, value: unknown): unknown {
  if (value === null || typeof value === 'boolean') return value;
  if (cardNames.has(letters(name))) return cutMark;
  if (typeof value === 'string') return isSealed(value) ? value : cutNamedText(name, value);
  // A long number may have lost its last digits on the way, so no check digit says whether it was a card number.
  if (typeof value === 'number') return Math.abs(value) >= 1e12 ? cutMark : cutNamedText(name, value);
  if (Array.isArray(value)) {
    // Groups of one number may be neighbours.
    const all = value.map((it) => cutValue('', it));
    return holdsCardData(value.filter((it) => typeof it !== 'object').join(' ')) && isSame(all, value) ? cutMark : all;
  }
  return Object.fromEntries(
    Object.entries(value as object).map(([key, it]) => [withoutCardData(key), cutValue(key, it)]),
  );
}

const isSame = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b);

/** A code is known by its name alone, in whatever language. */
function cutNamedText(name: string, value: string | number): unknown {
  const text = String(value);
  if (text.length <= 8 && holdsCardData(`${name}: ${text}`)) return cutMark;
  const clean = withoutCardData(text);
  return clean === text ? value : clean;
}

/** A compact JWE (RFC 7516): five parts of base64url, the first of them an encoded JSON object. */
function isSealed(text: string): boolean {
  return /^eyJ[\w-]+(\.[\w-]*){4}$/.test(text);
}

/** JSON that broke off still shows by its names what is left of it. */
function cutNamed(text: string): string {
  return text.replaceAll(/"([\w -]{1,40})"\s*:\s*"(?:[^"\\]|\\.)*"?/g, (pair, name: string) =>
    cardNames.has(letters(name)) ? `"${name}":"${cutMark}"` : pair,
  );
}
