// What is left of a message once its card data is cut out: the dead-letter queue keeps messages for days, and people read
// them. Nothing here keeps or repeats a value.
import { withoutCardNumbers, withoutNumbersAndCodes } from './card-fields.ts';
import { contractFields, type Field, interfaceFields } from '../gateway/fields.ts';
import { type Job, parseJob } from './job.ts';
import { type JsonText, parsedWithDigits, scalarsOf, withMember } from './json-text.ts';
import { type OperationName, operations } from '../gateway/operations.ts';

/** In the place of what was cut out. */
const cutMark = '[card data cut out]';

/** A message body without card data. */
export interface CutBody {
  readonly body: string;
  /** Something was cut out. */
  readonly cut: boolean;
}

/**
 * The body as it may lie in the dead-letter queue. A job loses its card fields and the card numbers in its free text; all
 * else stays to the letter, so that an order without card data can be redriven. A message that is no job loses all that
 * looks like card data or is named so, at any depth, encoded or not. A seal stays, unless it can't be opened any more.
 */
export function withoutCardData(body: string, { sealSpent = false }: { readonly sealSpent?: boolean } = {}): CutBody {
  const parsed = parseJob(body);
  try {
    const message: unknown = JSON.parse(body);
    if (parsed.kind === 'job') return cutJob(message, parsed.job, sealSpent);
    const text = JSON.stringify(cutValue('', message));
    return { body: text, cut: text !== JSON.stringify(message) };
  } catch {
    const text = cutText(cutNamed(body));
    return { body: text, cut: text !== body };
  }
}

/** Written anew even where nothing is found: of a name that stands twice, the first value would stay in the text. */
function cutJob(message: unknown, { operation, context }: Job, sealSpent: boolean): CutBody {
  const { context: _read, ...rest } = message as Readonly<Record<string, unknown>>;
  const clean = JSON.stringify(cutFields(rest, operation, sealSpent));
  const cut = clean !== JSON.stringify(rest);
  if (context === undefined) return { body: clean, cut };
  const cleanContext = cutContext(context);
  return { body: withMember(clean, 'context', cleanContext), cut: cut || cleanContext !== context };
}

/**
 * The context to the letter, as it comes back when the order is redriven. Written anew where card data is cut out, or
 * where a name stands twice: what the first value is, no parser shows.
 */
function cutContext(context: JsonText): JsonText {
  const exact = parsedWithDigits(context);
  const [plain, clean] = [JSON.stringify(exact), JSON.stringify(cutValue('context', exact))];
  return clean === plain && scalarsOf(plain).length === scalarsOf(context).length ? context : clean;
}

function cutFields(message: unknown, operation: OperationName, sealSpent: boolean): unknown {
  const { fields } = operations[operation];
  return mapped(message, (part, value) => {
    if (part === 'sealedParams' && sealSpent) return cutMark;
    if (part !== 'params') return value;
    return mapped(value, (name, text) => {
      const { card, kind, sensitive } = fields[name] ?? {};
      if (card) return cutMark;
      // An account number may pass for a card number by chance, and without it the payout could not be redriven.
      return kind === 'text' && !sensitive ? withoutCardNumbers(String(text), cutMark) : text;
    });
  });
}

function mapped(record: unknown, change: (name: string, value: unknown) => unknown): Record<string, unknown> {
  return Object.fromEntries(Object.entries(record ?? {}).map(([name, value]) => [name, change(name, value)]));
}

const letters = (name: string) => name.replace(/[^a-z0-9]/gi, '').toLowerCase();

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
  if (typeof value === 'string') return isSealed(value) ? value : cutText(value);
  // A long number may have lost its last digits on the way, so no check digit says whether it was a card number.
  if (typeof value === 'number') return Math.abs(value) >= 1e12 ? cutMark : value;
  if (Array.isArray(value)) return value.map((it) => cutValue('', it));
  return Object.fromEntries(Object.entries(value as object).map(([key, it]) => [cutText(key), cutValue(key, it)]));
}

/** A compact JWE (RFC 7516): five parts of base64url, the first of them an encoded JSON object. */
function isSealed(text: string): boolean {
  return /^eyJ[\w-]+(\.[\w-]*){4}$/.test(text);
}

/** What is left of JSON that broke off still says by its names what it is. */
function cutNamed(text: string): string {
  return text.replaceAll(/"([\w -]{1,40})"\s*:\s*"(?:[^"\\]|\\.)*"?/g, (pair, name: string) =>
    cardNames.has(letters(name)) ? `"${name}":"${cutMark}"` : pair,
  );
}

function cutText(text: string): string {
  const packed = text.replaceAll(/\s+/g, '');
  if ([unescaped(text), fromBase64(packed)].some(showsCardData)) return cutMark;
  const clean = text.replaceAll(/[A-Za-z0-9+/_-]{16,}={0,2}/g, (word) =>
    showsCardData(fromBase64(word)) ? cutMark : word,
  );
  return withoutNumbersAndCodes(clean, cutMark);
}

/** Where only the decoded text shows card data, nobody can say which part of the encoded one it is: all of it goes. */
function showsCardData(decoded: string | undefined): boolean {
  return decoded !== undefined && withoutNumbersAndCodes(decoded, cutMark) !== decoded;
}

/** Escape by escape: one that is broken must not save the others from being read. */
function unescaped(text: string): string | undefined {
  if (!/%[0-9a-f]{2}/i.test(text)) return undefined;
  return text.replaceAll(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
}

function fromBase64(text: string): string | undefined {
  return /^[A-Za-z0-9+/_-]{16,}={0,2}$/.test(text) ? Buffer.from(text, 'base64').toString('latin1') : undefined;
}
