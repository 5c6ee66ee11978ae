// Reading an order's inbox, at the look that follows a callback: each callback is verified again with the merchant's secret, and joined
// to its attempt as far as it fits. A callback that does not fit is a sign of life, or a surprise that is kept; one that contradicts
// an end is alarmed.
import { isGatewayId } from '../../gateway/gateway-outcome.ts';
import { isAmountOf } from '../../gateway/money.ts';
import type { Callback, CallbackDialect, MerchantAccess } from '../../gateway/ports.ts';
import { redact } from '../../gateway/redact.ts';
import { factsOfReport, ofNoAttempt, type Report } from '../order/attribute.ts';
import {
  type Attempt,
  attemptsOf,
  type Facts,
  isAt,
  join,
  gatewayNamesOf,
  noFacts,
  placeAt,
  type ReportLevel,
  surprisesAtMost,
} from '../order/facts.ts';
import { fold, type Status } from '../order/fold.ts';
import { shownCallback } from '../order/shown-callback.ts';
import { type Content, mayHaveLost, type Order, type UnreadCallback } from '../order/order.ts';
import type { Gap } from '../order/orders.ts';

/** The outcome of reading an inbox. */
interface ReadInbox {
  /** The facts to join to the order. */
  readonly facts: Facts;
  /** Surprises beyond those that an order keeps. */
  readonly moreSurprises: number;
  /** The callbacks that were no plain news, each kind once. */
  readonly surprises: readonly CallbackSurprise[];
  /** The attempt that the gateway is to be asked about at once: only its answer proves what a callback may have said of it. */
  readonly asked?: Attempt;
}

/**
 * A callback that was no plain news; `contradicts`: it is against a published end, or against the only known attempt;
 * `unreadable`: the door would not have put it there.
 */
export type CallbackSurprise = 'unreadable' | 'forged' | 'recorded' | 'contradicts';

/** Reads all callbacks of the order's inbox. The order has an attempt, and none of them is under its lease. */
export function readInbox(order: Order, credentials: MerchantAccess, nowMs: number, gap?: Gap): ReadInbox {
  const others = mayHaveLost(order, gap);
  let facts = noFacts;
  const surprises = new Set<CallbackSurprise>();
  let asked: Attempt | undefined;
  for (const parameters of Object.values(order.inbox)) {
    const callback = callbackOf(parameters);
    const judged: Judged = callback
      ? judgeCallback(callback, { ...order, facts: join(order.facts, facts) }, credentials, { nowMs, others })
      : { surprise: 'unreadable' };
    if (judged.facts) facts = join(facts, judged.facts);
    if (judged.surprise) surprises.add(judged.surprise);
    if (judged.asked) asked = judged.asked;
  }
  const known = new Set([...order.facts.surprises, ...facts.surprises]).size;
  return {
    facts,
    moreSurprises: order.moreCallbacks + Math.max(0, known - surprisesAtMost),
    surprises: [...surprises],
    ...(asked && { asked }),
  };
}

interface Judged {
  readonly facts?: Facts;
  readonly surprise?: CallbackSurprise;
  readonly asked?: Attempt;
}

function judgeCallback(
  callback: Callback,
  order: Order,
  credentials: MerchantAccess,
  { nowMs, others }: { readonly nowMs: number; readonly others: boolean },
): Judged {
  const { content, facts, key } = order;
  if (!content || !key.endsWith(`/${callback.orderId}`)) return { surprise: 'forged' };
  const { callbacks } = credentials.dialect;
  const signers = callbacks.signersOf(callback, credentials);
  const [signer] = signers;
  if (!signer) return { surprise: 'forged' };
  const id = idOf(callback);
  const attempts = attemptsOf(facts);
  const bearers = attempts.filter((it) => gatewayNamesOf(it).includes(id));
  const account = accountOfSigners(signers, attempts, bearers, content);
  const says = callbacks.saysOf(callback.status);
  // It ends nothing; that an order of ours was taken there too may be a second payment.
  if (account === undefined) {
    const elsewhere = ofNoAttempt(placeAt(id, signer.dialect.accountOf(signer, content.endpointId)), 'stray');
    if (says === 'seen') return { facts: elsewhere };
    return says === 'approved' ? surprised(callback, true, elsewhere) : surprised(callback, false);
  }
  const stray = factsOfReport(facts, { ...(id !== '' && { id }), account, atMs: nowMs, level: 'stray' }, others);
  const kind = callbacks.kindOf(callback.type, content.operation, signer.profile);
  if (kind === 'another') return surprised(callback, false, stray);
  if (!bearers.some((it) => isAt(it, account)) && !callbacks.isUnambiguous(callback))
    return surprised(callback, false, ofNoAttempt(placeAt(id, account), 'seen'));
  const { report, fits } = reportOf(callback, order, { content, account, nowMs, says });
  const added = factsOfReport(facts, report, others);
  if (kind === 'undoing') {
    const attempt = Object.values(added.attempts)[0];
    // The callback's proof may cover neither type nor amount: a reversal is proven by the gateway's answer to an inquiry, or is
    // for a person.
    return { ...surprised(callback, true, stray), ...(attempt && { asked: attempt }) };
  }
  const contradicts = isContradicted(order, report.level, added);
  return !fits || contradicts ? surprised(callback, contradicts, added) : { facts: added };
}

/**
 * The account that signed, as the attempts name it; undefined for one to which none was sent. One key may sign for several accounts: that
 * of an attempt that bears the id goes first. Of what was put back from results no account is known: its id tells.
 */
function accountOfSigners(
  signers: readonly MerchantAccess[],
  attempts: readonly Attempt[],
  bearers: readonly Attempt[],
  { endpointId }: Content,
): string | undefined {
  const isSignedBy = (account: string) =>
    signers.some((it) => it.dialect.accountOf(it, endpointId) === account || isSameAs(it, account));
  const own = [...attempts, ...bearers].flatMap(({ accounts }) => accounts).findLast(isSignedBy);
  const [signer] = signers;
  return (
    own ??
    (signer && bearers.some(({ accounts }) => accounts.length === 0)
      ? signer.dialect.accountOf(signer, endpointId)
      : undefined)
  );
}

const idOf = ({ gatewayOrderId: id }: Callback): string => (isGatewayId(id) ? id : '');

/** True where the secret names the account as another spelling of its own: its login has moved on. */
const isSameAs = ({ sameAccountAs = [] }: MerchantAccess, account: string): boolean => sameAccountAs.includes(account);

const hasEnded = ({ kind }: Status): boolean => kind === 'failed' || kind === 'declined' || kind === 'cancelled';

/** True where the callback reports "paid" for an order that ended otherwise or has no known attempt, or "declined" for a paid one. */
function isContradicted({ facts }: Order, level: ReportLevel, added: Facts): boolean {
  const status = fold(facts);
  const before = status.kind;
  if (level === 'declined')
    return Object.keys(added.attempts).some((id) => {
      const it = facts.attempts[id];
      const isPaid = it?.reports.includes('approved') ?? false;
      return before === 'approved' && !it?.reports.includes('declined') && (isPaid || status.decision !== undefined);
    });
  if (level !== 'approved') return false;
  const isOther = Object.keys(added.unattributed).some((id) => !(id in facts.unattributed));
  return hasEnded(status) || isOther || fold(join(facts, added)).kind === 'held';
}

/** The report of the callback: an end only where its amount is the order's, else a sign of life. */
function reportOf(
  callback: Callback,
  { facts }: Order,
  {
    content,
    account,
    nowMs,
    says,
  }: {
    readonly content: Content;
    readonly account: string;
    readonly nowMs: number;
    readonly says: Says;
  },
): { readonly report: Report; readonly fits: boolean } {
  const { gatewayOrderId: id } = callback;
  const amount = amountOf(callback, content);
  const level = levelOf(says, Object.keys(facts.attempts).length);
  const report: Report = {
    ...(isGatewayId(id) && { id }),
    account,
    atMs: nowMs,
    level: amount === 'this' || level === 'seen' ? level : 'seen',
    ...(amount === 'another' && { amount: shownAmount(callback) }),
    ...(level === 'declined' && amount === 'this' && { declined: declinedAs(says) }),
  };
  return { report, fits: level === 'seen' || amount === 'this' };
}

type Says = ReturnType<CallbackDialect['saysOf']>;

function levelOf(says: Says, attempts: number): ReportLevel {
  switch (says) {
    case 'filtered':
      // Duplicate filters answer so, and then an earlier attempt is the one that lives.
      return attempts > 1 ? 'seen' : 'declined';
    case 'approved':
    case 'declined':
    case 'seen':
      return says;
    default:
      return says satisfies never;
  }
}

const declinedAs = (says: Says) =>
  ({
    code: says === 'filtered' ? 'FILTERED' : 'GATEWAY_DECLINED',
    message: `the gateway called back: ${says}`,
  }) as const;

function amountOf({ amount, currency }: Callback, { money }: Content): 'this' | 'another' | 'untold' {
  if (amount === undefined || currency === undefined) return 'untold';
  return money && currency.toUpperCase() === money.currency && isAmountOf(amount, money) ? 'this' : 'another';
}

const shownAmount = ({ amount = '?', currency = '' }: Callback): string =>
  redact(`${amount} ${currency.toUpperCase()}`.trim(), [])
    .replaceAll(/[^\w.+ -]/g, '?')
    .slice(0, 24);

/** A surprise, and the facts that the callback adds beside it. */
const surprised = (
  callback: Callback,
  contradicts: boolean,
  added = noFacts,
): { readonly facts: Facts; readonly surprise: CallbackSurprise } => ({
  facts: join(added, { ...noFacts, surprises: [shownCallback(callback)] }),
  surprise: contradicts ? 'contradicts' : 'recorded',
});

/**
 * The facts of the callbacks of an order that nobody sent from here: the gateway has orders of these ids, and none of them is an attempt
 * of ours. That one is paid no person can deny; an approver, who has no merchant's secret, sees signs of life alone.
 */
export const factsOfUnsent = (order: Order, credentials: MerchantAccess | undefined, nowMs: number): Facts =>
  Object.values(order.inbox).reduce<Facts>((facts, parameters) => {
    const callback = callbackOf(parameters);
    if (!callback) return facts;
    const isPaid = credentials !== undefined && saysUnsentIsPaid(callback, order, credentials);
    const reported: Facts = isPaid
      ? { ...noFacts, unattributed: { [idOf(callback)]: { reports: ['approved'], approvedAtMs: nowMs } } }
      : ofNoAttempt(idOf(callback), 'seen');
    return join(facts, surprised(callback, false, reported).facts);
  }, noFacts);

/** True for an approval that is authentic, and of no other order, transaction or amount as far as anybody knows. */
function saysUnsentIsPaid(callback: Callback, { content, key }: Order, credentials: MerchantAccess): boolean {
  const { callbacks } = credentials.dialect;
  const [signer] = callbacks.signersOf(callback, credentials);
  if (!signer || !key.endsWith(`/${callback.orderId}`) || !callbacks.isUnambiguous(callback)) return false;
  if (callbacks.saysOf(callback.status) !== 'approved') return false;
  const operation = content?.operation ?? 'payout';
  if (callbacks.kindOf(callback.type, operation, signer.profile) !== 'own') return false;
  return !content || amountOf(callback, content) !== 'another';
}

/** A callback as the door has kept it. */
function callbackOf({ status, gatewayOrderId, orderId, proof, ...rest }: UnreadCallback): Callback | undefined {
  if (status === undefined || gatewayOrderId === undefined || orderId === undefined || proof === undefined)
    return undefined;
  return { status, gatewayOrderId, orderId, proof, ...rest };
}
