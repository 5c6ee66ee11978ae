// The fields of an answer, on any level: the order that it is about, and the meaning of its texts. Texts may only ever lead into
// doubt, never out of it. The text is the gateway's, or a middlebox's: every pattern is a list of words, so that
// the work grows with the length of the text and no page can hold up the answers of other orders.
import { type GatewayIds, isGatewayId } from './gateway-outcome.ts';
import { type OperationName, operations } from './operations.ts';
import type { Leaf } from './reply.ts';

/** Every field that bears an id. */
export const idFields = ['paynet-order-id', 'payout-id', 'transaction-id'] as const;

/** An id field in a text without fields, unless its value stands for "no id". The bounds keep the work linear. */
const idInText = new RegExp(
  `(?<!</)(?:${idFields.join('|')})(?!["']?\\s{0,8}[:=>]\\s{0,8}["']?(?:0{0,8}|null)["']?\\s{0,8}(?:[&,;}<]|$))`,
  'i',
);

/** True if a text without fields names an id. */
export const namesAnId = (text: string) => idInText.test(text);

/**
 * The ids among the fields of an answer, the outermost first. An echoed card or account number is none.
 * `secrets`: the request's card and account numbers.
 */
export function idsOf(leaves: readonly Leaf[], operation: OperationName, secrets: readonly string[]): GatewayIds {
  const outermostFirst = leaves.toSorted((a, b) => a.path.length - b.path.length);
  const plain = (text: string) => text.replaceAll(/[-_ .]/g, '');
  const echoes = (id: string) =>
    secrets.some((it) => (it.length < 12 ? plain(id) === plain(it) : plain(id).includes(plain(it))));
  const idOf = (names: readonly string[]) =>
    names
      .flatMap((name) => outermostFirst.filter(({ path }) => path.at(-1)?.toLowerCase() === name))
      .map(({ value }) => value)
      .find((id) => isGatewayId(id) && !echoes(id));
  const identity = idOf(['paynet-order-id']);
  // The operation's own alias first; another one is better than none.
  const gatewayAlias = idOf([operations[operation].aliasField, 'payout-id', 'transaction-id']);
  const gatewayOrderId = identity ?? gatewayAlias;
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

/** 09 in progress, 91 and 92 issuer unreachable, 94 duplicate, 96 system error: a bank that does not know either. */
const doubtfulBankCode = /\[(09|91|92|94|96)\]/;

/** True for words with the code of a bank that does not know either, as in "[91] issuer unreachable". */
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

/** True when the text is about it. */
export function speaksOf(what: 'existing-order' | 'progress' | 'trouble', text: string): boolean {
  const fits = (tests: readonly RegExp[]) => tests.every((test) => test.test(text));
  return fits(patterns[what]) || (what === 'existing-order' && fits(patterns['existing-order-too']));
}

/** A field's name without regard to case and separators: "errorMessage", "error_message" and "error-message" are one. */
const plain = (name: string) => name.toLowerCase().replaceAll(/[-_. ]/g, '');

const echoNames = new Set(['merchantorderid', 'clientorderid', 'merchantorder']);
const echoSpellings = new Set(['merchant-order-id', 'client-order-id', 'client_orderid']);

/** Our order id as the answer repeats it, on any level. */
export function echoedOrderIds(leaves: readonly Leaf[]): string[] {
  const echoes = leaves.filter(({ path }) => echoSpellings.has(path.at(-1) ?? '') || echoNames.has(nameOf(path)));
  return echoes.map(({ value }) => value).filter((id) => id !== '' && id !== 'null');
}

const nameOf = (path: readonly string[]) => plain(path.at(-1) ?? '');

/** The error codes of an answer, on any level. */
export function codesIn(leaves: readonly Leaf[]): string[] {
  const isCode = ({ path }: Leaf) => {
    const [above = '', name = ''] = path.slice(-2).map(plain);
    if (path.length === 1) return ['errorcode', 'code'].includes(above);
    return name === 'errorcode' || (['code', 'id'].includes(name) && /^(errors?|faults?)$/.test(above));
  };
  return leaves.filter(isCode).map(({ value }) => value);
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
const goodTypes = new Set(['async-response', 'async-form-response']);

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
  if (name === 'type') return !goodTypes.has(word);
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
