// The meaning of an answer's fields, on any level: which order it is about, and what its texts say. Texts may only lead into doubt,
// never out of it. The sender may be hostile: every pattern is linear in the text, so that no page delays the answers of other
// orders.
import { type GatewayIds, isGatewayId, isNoId } from './gateway-outcome.ts';
import { type OperationName, operations } from './operations.ts';
import { spells } from './redact.ts';
import type { Leaf } from './reply.ts';

/** Every field that bears an id. */
export const idFields = ['paynet-order-id', 'payout-id', 'transaction-id'] as const;
const plainIdFields: ReadonlySet<string> = new Set(['paynetorderid', 'payoutid', 'transactionid']);

/** An id field in a text, unless its value means "no id". The bounds keep the work linear. */
const idInText = new RegExp(
  `(?<!</)(?:paynet[-_]?order[-_]?id|payout[-_]?id|transaction-id)(?!["'\\\\]{0,3}\\s{0,8}[:=>]\\s{0,8}["'\\\\]{0,3}(?:0{0,8}|null)["'\\\\]{0,3}\\s{0,8}(?:[&,;}<]|$))`,
  'i',
);

/** An order's number in words, as in "order no. 1234". A number with decimals, or after "payout" without "id" or "no", is an amount. */
const orderInWords =
  /\b(?:order|(?:order|payout|payment|transfer)[ _-]?(?:id|no|nr|number))(?![a-z])[\W_]{0,6}(\d{4,20})(?![\d.,]*\d)/gi;

/** True if a text names a gateway id. Our order id, or a number in it as in `order-1234`, is none. */
export function namesAnId(text: string, sentOrderId: string): boolean {
  if (idInText.test(text)) return true;
  return [...text.matchAll(orderInWords)].some(
    ({ 0: words, 1: number = '', index }) =>
      !isNoId(number) && !isInside(sentOrderId, text, index + words.length - number.length, index + words.length),
  );
}

/** True if this part of the text is within an occurrence of the id as a whole word. */
function isInside(id: string, text: string, from: number, to: number): boolean {
  for (let at = text.indexOf(id, to - id.length); at !== -1 && at <= from; at = text.indexOf(id, at + 1))
    if ((at === from || !/\w/.test(text.charAt(at - 1))) && !/\w/.test(text.charAt(at + id.length))) return true;
  return false;
}

/** True if a field of an answer names a gateway id: by its name, in its text, or by both, as `orderid` beside a number. */
export function bearsAnId({ path, value }: Leaf, sentOrderId: string): boolean {
  if (isNoId(value)) return false;
  if (path.some((it) => plainIdFields.has(plain(it)))) return true;
  if (value === sentOrderId) return false;
  return wordless.has(nameOf(path)) ? idInText.test(value) : namesAnId(`${words(path)} ${value}`, sentOrderId);
}

/** The last names on the way to a value, as words: "order id" for `{"orders":[{"id":…}]}`, "order Id" for `orderId`. */
const words = (path: readonly string[]) =>
  path
    .map((name, index) =>
      index < path.length - 1 ? name.replace(/(order|payout|payment|transfer|id)s$/i, '$1') : name,
    )
    .filter((it) => it !== '[]')
    .join(' ')
    .slice(-40)
    .replaceAll(/(?<=[a-z])(?=[A-Z])/g, ' ');

/**
 * The ids among the fields of an answer, the outermost first. An echoed card or account number is none.
 * `secrets`: the request's card and account numbers.
 */
export function idsOf(leaves: readonly Leaf[], operation: OperationName, secrets: readonly string[]): GatewayIds {
  const outermostFirst = leaves.toSorted((a, b) => a.path.length - b.path.length);
  const bare = (text: string) => text.replaceAll(/[-_ .]/g, '');
  const echoes = (id: string) =>
    secrets.some((it) =>
      /^\d{15,19}$/.test(it) ? spells(id, it) : it.length < 12 ? bare(id) === bare(it) : bare(id).includes(bare(it)),
    );
  const idOf = (names: readonly string[]) =>
    names
      .flatMap((name) => outermostFirst.filter(({ path }) => nameOf(path) === plain(name)))
      .map(({ value }) => value)
      .find((id) => isGatewayId(id) && !echoes(id));
  const identity = idOf(['paynet-order-id']);
  // The operation's own alias first; another one is better than none.
  const gatewayAlias = idOf([operations[operation].aliasField, 'payout-id', 'transaction-id']);
  const gatewayOrderId = identity ?? gatewayAlias;
  // Each id may echo half of a number.
  if (gatewayAlias !== identity && echoes(`${identity} ${gatewayAlias}`)) return {};
  return {
    ...(gatewayOrderId !== undefined && { gatewayOrderId }),
    ...(gatewayAlias !== undefined && gatewayAlias !== identity && { gatewayAlias }),
  };
}

/** Types of an answer that refuse. */
export const refusalTypes: ReadonlySet<string> = new Set(['validation-error', 'error']);

/** Codes that the gateway's own list calls temporary: the order's fate is open. */
export const temporaryErrorCodes: ReadonlySet<string> = new Set(['102', '502', '1001', '1002', '1003', '1004', '1013']);

/** Codes about the account at the gateway or its set-up: every order of the lane would be refused alike. */
export const accountCodes: ReadonlySet<string> = new Set(['2', '3', '4', '5', '7', '21', '33', '1005']);

/** 09 in progress, 91 and 92 issuer unreachable, 94 duplicate, 96 system error. */
const doubtfulBankCode = /\[(09|91|92|94|96)\]/;

/** True for words with a code of a bank that does not know the outcome either, as in "[91] issuer unreachable". */
export const hasDoubtfulBankCode = (words: string) => doubtfulBankCode.test(words);

const patterns = {
  'existing-order': [
    /\bduplicat|\balready\b|\b(has|have) been (processed|completed|paid|used)\b/i,
    /\bduplicat|\b(order|transaction|payout|payment|transfer|request|id|exists|processed|completed|paid|used)\b/i,
  ],
  'existing-order-too': [/\bexists\b/i, /\b(order|transaction|payout|payment|transfer|request|id)\b/i],
  progress: [/\b(accepted|approved|processing|queued|pending|in progress|completed)\b/i],
  trouble: [
    /\b(errors?|fail(ed|s|ure)?|faults?|declined?|reject(ed)?|refused?|denied|invalid|unavailable|timed out|time-?out|duplicate|blocked|forbidden|cancell?ed|expired|exceeded|not (allowed|enabled|found|accepted|possible|permitted|available))\b/i,
  ],
} as const;

/** True if the text speaks of it. */
export function speaksOf(what: 'existing-order' | 'progress' | 'trouble', text: string): boolean {
  const fits = (tests: readonly RegExp[]) => tests.every((test) => test.test(text));
  return fits(patterns[what]) || (what === 'existing-order' && fits(patterns['existing-order-too']));
}

/** A field's name without regard to case and separators: "errorMessage", "error_message" and "error-message" are one. */
const plain = (name: string) => name.toLowerCase().replaceAll(/[-_. ]/g, '');

const echoNames = new Set(['merchantorderid', 'clientorderid', 'merchantorder']);
const echoSpellings = new Set(['merchant-order-id', 'client-order-id', 'client_orderid']);

/** The name of a value, and of each value of a list. */
const ownName = (path: readonly string[]) => path.findLast((it) => it !== '[]') ?? '';
const nameOf = (path: readonly string[]) => plain(ownName(path));

/** Our order id as the answer repeats it, on any level. */
export function echoedOrderIds(leaves: readonly Leaf[]): string[] {
  const echoes = leaves.filter(({ path }) => echoSpellings.has(ownName(path)) || echoNames.has(nameOf(path)));
  return echoes.map(({ value }) => value).filter((id) => id !== '' && id !== 'null');
}

function isCode({ path }: Leaf): boolean {
  const names = path.map(plain);
  const [above = '', name = above] = names.filter((it) => it !== '[]').slice(-2);
  if (names.some((it) => it === 'errorcode' || it === 'errorcodes') || (path.length === 1 && name === 'code'))
    return true;
  return ['code', 'id'].includes(name) && /^(errors?|faults?)$/.test(above);
}

/** The error codes of an answer, on any level. */
export const codesIn = (leaves: readonly Leaf[]): string[] => leaves.filter(isCode).map(({ value }) => value);

/** The error codes that a text names. */
export const codesInText = (text: string): string[] =>
  [...text.matchAll(/error[-_ ]?code[\W_]{1,8}(\w{1,16})/gi)].map(([, code = '']) => code);

const singleNames = new Set(['type', 'status', 'errorcode', 'code', ...echoNames]);

/** True if there are several codes, or a list or object where one value belongs: the right one is unknown. */
export function hasSeveralValues(leaves: readonly Leaf[]): boolean {
  const isList = ({ path: [first = '', ...inner] }: Leaf) => inner.length > 0 && singleNames.has(plain(first));
  const codes = leaves.filter(isCode);
  const listed = codes.filter(({ path }) => path.includes('[]')).map(({ value }) => value);
  if (new Set(listed).size > 1 || leaves.some(isList)) return true;
  return codes.some(({ value }) => (value.match(/\d+/g)?.length ?? 0) > 1);
}

/** Names of trouble: an empty value, or one of these, means that there is none. */
const troubleName = /^(errors?|errorcode|errormessages?|errortext|errordescription|faults?|failures?|exceptions?)$/;
const nothing = new Set(['', '0', 'false', 'null', 'no', 'none', '[]']);
/** Names whose value is a verdict. One that is not known to be good is trouble. */
const verdictNames = new Set(['status', 'state', 'result', 'outcome', 'responsecode', 'resultcode', 'statuscode']);
const goodVerdicts = new Set(
  'accepted approved processing pending queued new created ok success successful 0 00 000 200 true'.split(' '),
);
const flagNames = new Set(['success', 'successful', 'ok', 'accepted', 'approved', 'succeeded']);
/** Types of an answer that takes an order: accepted for processing; with a redirect if the shopper must act. */
export const acceptanceTypes: ReadonlySet<string> = new Set(['async-response', 'async-form-response']);

/** True if any level calls the answer an acceptance or the status of an accepted order. May only lead into doubt. */
export const saysTaken = (leaves: readonly Leaf[]) =>
  leaves.some(({ path, value }) => {
    const [name, word] = [nameOf(path), value.toLowerCase()];
    if (name === 'type') return acceptanceTypes.has(word) || word === 'status-response';
    return name === 'status' && speaksOf('progress', word);
  });

/** Fields that hold ids, addresses and echoes of the request: their text means nothing. */
const wordless = new Set([
  ...'serialnumber paynetorderid payoutid transactionid endpointid redirecturl redirectto html'.split(' '),
  ...'amount currency orderdesc'.split(' '),
  ...echoNames,
]);

/** True if there is any sign of trouble. */
export const troubleIn = (leaves: readonly Leaf[]) => leaves.some(isTrouble);

function isTrouble({ path, value }: Leaf): boolean {
  const name = nameOf(path);
  const word = value.toLowerCase();
  if (path.some((it) => troubleName.test(plain(it)))) return !nothing.has(word);
  if (name === 'type') return !acceptanceTypes.has(word);
  if (verdictNames.has(name)) return !goodVerdicts.has(word);
  if (flagNames.has(name)) return !goodVerdicts.has(word);
  return !wordless.has(name) && speaksOf('trouble', value);
}

const understoodNames = new Set([
  ...'type serialnumber endpointid redirecturl status errorcode errormessage error'.split(' '),
  ...echoNames,
]);

/** A field whose meaning is known, on the outermost level. */
export const understood = ({ path }: Leaf) => path.length === 1 && understoodNames.has(nameOf(path));
