// Reads a message from a queue: a job whose card data is sealed, or a refusal. Cuts card data out of messages for the dead-letter queue,
// which keeps them for days, and where people read them. Nothing here keeps or repeats a value.
import { allFields, type Fault } from '../../gateway/fields.ts';
import { cutMark, holdsCardData, lettersHold, withoutCardData } from '../../gateway/redact.ts';
import { cardNumbersInText, contextHolds, plainCardFields, shownIdentity } from './card-fields.ts';
import type { Failure } from './failures.ts';
import { identityOf, type Job, type JobIdentity, parseJob } from './job.ts';
import { jobBodyLimitBytes, passesForCard } from './job-fields.ts';
import { scalarsOf } from './json-text.ts';

/** A message as the worker takes it: a job whose card data is sealed, or why the message is refused. */
export type ReadJob =
  | { readonly kind: 'job'; readonly job: Job }
  | { readonly kind: 'refused'; readonly failure: Failure; readonly identity: JobIdentity };

/** Reads a message from a queue. Never throws. */
export function readJob(body: string): ReadJob {
  const parsed = parseJob(body);
  if (parsed.kind === 'rejected')
    return { kind: 'refused', failure: invalidMessage(parsed.faults), identity: parsed.identity };
  const { job } = parsed;
  const message = whyNotSealed(job);
  if (message === undefined) return parsed;
  return { kind: 'refused', failure: { code: 'PLAIN_CARD_DATA', message }, identity: identityOf(job) };
}

/** Why a message could not be taken: ten faults at most, each with its field and the remedy. */
function invalidMessage(faults: readonly Fault[]): Failure {
  const named = faults.slice(0, 10).map(({ field, fault }) => `${field} ${fault}`);
  const more = faults.length > named.length ? [`and ${faults.length - named.length} more`] : [];
  return { code: 'INVALID_MESSAGE', message: [...named, ...more].join('; ') };
}

/** Why the job is refused for its plain card data, by the names of its fields, with the remedy; undefined if it has none. */
function whyNotSealed(job: Job): string | undefined {
  const plain = plainCardFields(job);
  const written = cardNumbersInText(job);
  const texts = written.filter((name) => name !== 'orderId');
  const why = [
    ...(plain.length > 0
      ? [`params ${plain.join(', ')}: card data in the clear; seal it into sealedParams, or send references`]
      : []),
    ...(written.includes('orderId') ? [`orderId ${passesForCard(job.orderId)}`] : []),
    ...(texts.length > 0 ? [`${texts.join(', ')}: digits that pass for a card number; leave them out`] : []),
  ];
  return why.length > 0 ? why.join('; ') : undefined;
}

/** True if the first value of a name that comes twice holds card data: parsed JSON does not show it, but the text does. */
const hidesCardData = (body: string): boolean =>
  scalarsOf(body).length !== scalarsOf(JSON.stringify(JSON.parse(body))).length &&
  withoutCardData(cutNamed(body)) !== body;

/** A message body without card data. */
interface CutBody {
  readonly body: string;
  /** True if card data was found and cut out. */
  readonly cut: boolean;
}

/**
 * The body as the dead-letter queue may keep it. A job stays to the letter, because its card data is sealed; only a seal that can't be
 * opened any more is cut out. A refused message loses all that looks like card data or is named so, at any depth, encoded or not. If it is
 * too long, or card data cannot be cut out, only its identity is kept.
 */
export function cutBody(
  body: string,
  read: ReadJob,
  { sealSpent = false }: { readonly sealSpent?: boolean } = {},
): CutBody {
  if (read.kind === 'job') return { body: sealSpent ? withoutSeal(body) : body, cut: false };
  if (Buffer.byteLength(body) > jobBodyLimitBytes)
    return { body: onlyIdentity(read.identity, `longer than ${jobBodyLimitBytes} bytes`), cut: false };
  try {
    const message: unknown = JSON.parse(body);
    const text = JSON.stringify(cutValue('', message));
    if (contextHolds(withoutSeals(message)))
      return { body: onlyIdentity(read.identity, 'card data in it could not be cut out'), cut: true };
    return { body: text, cut: text !== JSON.stringify(message) || hidesCardData(body) };
  } catch {
    const text = withoutCardData(cutNamed(body));
    return { body: text, cut: text !== body };
  }
}

/** The cut message without its seals, which cannot be read, whatever their letters look like. */
const withoutSeals = (message: unknown): string =>
  JSON.stringify(cutValue('', message), (_name, it: unknown) => (typeof it === 'string' && isSealed(it) ? '' : it));

const withoutSeal = (body: string) => JSON.stringify({ ...(JSON.parse(body) as object), sealedParams: cutMark });

function onlyIdentity({ operation, merchant, endpointId, orderId, batchId }: JobIdentity, why: string): string {
  const identity = { operation, merchant, endpointId, orderId, batchId } as JobIdentity;
  return JSON.stringify({ ...shownIdentity(identity), message: `${why}: only its identity is kept` });
}

const letters = (name: string) =>
  name
    .normalize('NFKC')
    .replace(/[^\p{L}\p{N}]/gu, '')
    .toLowerCase();

/** Every name of a card field that the gateway knows, and others by which senders call the same. */
const cardNames: ReadonlySet<string> = new Set(
  Object.entries(allFields)
    .filter(([, field]) => field.card !== undefined)
    .map(([name]) => letters(name))
    .concat('pan', 'cardnumber', 'cardno', 'ccnumber', 'cardholder', 'cardholdername', 'track1', 'track2')
    .concat('cvv', 'cvc', 'cvc2', 'cvn', 'csc', 'cardcode', 'securitycode')
    .concat('expiry', 'expirydate', 'expirationdate', 'expmonth', 'expyear'),
);

function cutValue(name: string, value: unknown): unknown {
  if (value === null || typeof value === 'boolean') return value;
  if (cardNames.has(letters(name))) return cutMark;
  if (typeof value === 'string')
    return isSealed(value) ? (lettersHold(value) ? cutMark : value) : cutNamedText(name, value);
  // A long number may have lost its last digits on the way, so no check digit says whether it was a card number.
  if (typeof value === 'number') return Math.abs(value) >= 1e12 ? cutMark : cutNamedText(name, value);
  if (Array.isArray(value)) {
    // Neighbouring values may be groups of one number.
    const all = value.map((it) => cutValue('', it));
    return holdsCardData(value.filter((it) => typeof it !== 'object').join(' ')) && isSame(all, value) ? cutMark : all;
  }
  return Object.fromEntries(
    Object.entries(value as object).map(([key, it]) => [withoutCardData(key), cutValue(key, it)]),
  );
}

const isSame = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b);

/** A security code is recognised by its name alone, in whatever language. */
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

/** Cuts by their names the values of JSON that can't be parsed. */
function cutNamed(text: string): string {
  return text.replaceAll(/"([\w -]{1,40})"\s*:\s*"(?:[^"\\]|\\.)*"?/g, (pair, name: string) =>
    cardNames.has(letters(name)) ? `"${name}":"${cutMark}"` : pair,
  );
}
