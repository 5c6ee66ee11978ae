// What a callback proves of its order, judged by what the order holds now. A report ends or approves only an attempt of this ledger, and
// only if nothing that it says contradicts the order. Otherwise it is a sign of life: the order is not paid a second time over it.
import { isGatewayId } from '../../gateway/gateway-outcome.ts';
import { isAmountOf } from '../../gateway/money.ts';
import type { Callback, CallbackDialect, MerchantAccess } from '../../gateway/ports.ts';
import { factsOfReport, type Report } from '../order/attribute.ts';
import {
  type Attempt,
  attemptsOf,
  type Facts,
  gatewayNamesOf,
  isAt,
  join,
  noFacts,
  ofAttempt,
  placeAt,
  placeOfSaid,
  type ReportLevel,
  signOfLife,
  surprisesAtMost,
} from '../order/facts.ts';
import { fold, type Status } from '../order/fold.ts';
import { type Content, mayHaveLost, type Order } from '../order/order.ts';
import type { Gap } from '../order/orders.ts';
import { shownCallback } from '../order/shown-callback.ts';

/** The facts of a callback; none where it brings nothing new, or makes no order. */
export interface CallbackFacts {
  readonly facts: Facts;
  /** It fits nowhere. `contradicts`: it says "paid" against an end or beside the known attempt, or "declined" of what was paid. */
  readonly surprise?: 'recorded' | 'contradicts';
  /** It says that a payment was undone: the gateway is asked, as a callback's proof may not cover the type. */
  readonly asks?: true;
}

/** Judges the callback; undefined where its proof fits no key that these credentials hold. `order` has version 0 where there is none. */
export function factsOfCallback(
  callback: Callback,
  order: Order,
  credentials: MerchantAccess,
  { nowMs, gap }: { readonly nowMs: number; readonly gap?: Gap | undefined },
): CallbackFacts | undefined {
  const { callbacks } = credentials.dialect;
  const signers = callbacks.signersOf(callback, credentials);
  const [signer] = signers;
  if (!signer) return undefined;
  const { content, facts } = order;
  const says = callbacks.saysOf(callback.status);
  const kind = callbacks.kindOf(callback.type, content?.operation ?? 'payout', signer.profile);
  const isAmbiguous = !callbacks.isUnambiguous(callback);
  if (order.version === 0 && (isAmbiguous || kind !== 'own')) return { facts: noFacts, surprise: 'recorded' };
  const attempts = attemptsOf(facts);
  const id = idOf(callback);
  const bearers = attempts.filter((it) => id !== '' && gatewayNamesOf(it).includes(id));
  const account = content && accountOfSigners(signers, attempts, bearers, content);
  const hasOwn = attempts.some(({ lost }) => !lost);
  const isProven = kind === 'own' && !isAmbiguous;
  const amount = content ? amountOf(callback, content) : 'untold';
  if (account !== undefined && hasOwn && isProven && amount !== 'another') {
    const fits = amount === 'this' || says === 'seen';
    const report = reportOf(callback, order, { account, nowMs, says, fits });
    const added = factsOfReport(facts, report, mayHaveLost(order, gap));
    const contradicts = isContradicted(order, says, added);
    if (fits && !contradicts) return { facts: added };
    return surprised(callback, order, contradicts, fits || isNews(added, facts) ? added : noFacts);
  }
  const level = says === 'approved' && kind !== 'undoing' ? 'said-paid' : 'seen';
  const bearer = bearers.findLast((it) => account !== undefined && isAt(it, account));
  // Under an id of its own what can be about none of our attempts: the attempt that bears it may come.
  const isOther = isProven && (!hasOwn || (account !== undefined && attempts.at(-1)?.ids.length !== 0));
  const ofId = account === undefined ? id : placeAt(id, account);
  const sign = bearer ? ofBearer(bearer, level) : ofPlace(isOther ? ofId : placeOfSaid(attempts), level, facts);
  const isElsewhere = hasOwn && !bearer && (isOther || account === undefined);
  const isAgainst = level === 'said-paid' && isProven && (isElsewhere || hasEnded(fold(facts)));
  const asks = kind === 'undoing' && isAskable(attempts, credentials);
  return surprised(callback, order, kind === 'undoing' || isAgainst, sign, asks);
}

/** Somebody can be asked about one of these attempts, and the gateway has it. */
const isAskable = (attempts: readonly Attempt[], { profile }: MerchantAccess): boolean =>
  profile.statusInquiry && attempts.some((it) => it.askable && signOfLife(it) !== '');

const idOf = ({ gatewayOrderId: id }: Callback): string => (isGatewayId(id) ? id : '');

/** A level says something new only where nothing as strong was heard there before: what the proof does not cover is no sign. */
const isNew = (level: ReportLevel, reports: readonly ReportLevel[]): boolean =>
  level === 'said-paid'
    ? !reports.some((it) => it === 'said-paid' || it === 'approved' || it === 'reversed')
    : reports.length === 0;

const ofBearer = (bearer: Attempt, level: ReportLevel): Facts =>
  isNew(level, bearer.reports) ? ofAttempt({ ...bearer, reports: [level] }) : noFacts;

const ofPlace = (place: string, level: ReportLevel, { unattributed }: Facts): Facts =>
  isNew(level, unattributed[place]?.reports ?? [])
    ? { ...noFacts, unattributed: { [place]: { reports: [level] } } }
    : noFacts;

function isNews({ attempts, unattributed }: Facts, known: Facts): boolean {
  type Heard = Readonly<Record<string, Pick<Attempt, 'reports'>>>;
  const isSo = (added: Heard, before: Heard) =>
    Object.entries(added).some(([at, { reports }]) => reports.some((it) => isNew(it, before[at]?.reports ?? [])));
  return isSo(attempts, known.attempts) || isSo(unattributed, known.unattributed);
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

/** True where the secret names the account as another spelling of its own: its login has moved on. */
const isSameAs = ({ sameAccountAs = [] }: MerchantAccess, account: string): boolean => sameAccountAs.includes(account);

const hasEnded = ({ kind }: Status): boolean => kind === 'failed' || kind === 'declined' || kind === 'cancelled';

type Says = ReturnType<CallbackDialect['saysOf']>;

/** True where the callback says "paid" of an order that ended otherwise or has no known attempt, or "declined" of a paid one. */
function isContradicted({ facts }: Order, says: Says, added: Facts): boolean {
  const status = fold(facts);
  if (says === 'declined' || says === 'filtered')
    return Object.values(added.attempts).some(({ id, reports }) => {
      const it = facts.attempts[id];
      const isPaid = it?.reports.includes('approved') || (status.kind === 'approved' && status.decision !== undefined);
      return status.kind === 'approved' && reports.includes('declined') && !it?.reports.includes('declined') && isPaid;
    });
  if (says !== 'approved') return false;
  const isOther = Object.keys(added.unattributed).some((id) => !(id in facts.unattributed));
  return hasEnded(status) || isOther || fold(join(facts, added)).kind === 'held';
}

/** The report of the callback. One that says no amount ends nothing. */
function reportOf(
  callback: Callback,
  { facts }: Order,
  it: { readonly account: string; readonly nowMs: number; readonly says: Says; readonly fits: boolean },
): Report {
  const { says, account, fits, nowMs: atMs } = it;
  const id = idOf(callback);
  const level = fits ? levelOf(says, Object.keys(facts.attempts).length) : says === 'approved' ? 'said-paid' : 'seen';
  return {
    ...(id !== '' && { id }),
    account,
    atMs,
    level,
    ...(level === 'declined' && { declined: declinedAs(says) }),
  };
}

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

/** A surprise: its words are kept once for its status, type and id, as long as there is room; the gateway is asked as often at most. */
function surprised(
  callback: Callback,
  { facts: known }: Order,
  contradicts: boolean,
  added: Facts,
  isUndone = false,
): CallbackFacts {
  const { amount: _, currency: _c, ...covered } = callback;
  const isSaid = known.surprises.some((it) => it.startsWith(shownCallback(covered).replace(/( -){2}$/, ' ')));
  const isKept = !isSaid && known.surprises.length < surprisesAtMost;
  const facts = isKept ? join(added, { ...noFacts, surprises: [shownCallback(callback)] }) : added;
  return {
    facts,
    surprise: contradicts ? 'contradicts' : 'recorded',
    ...(isUndone && isKept && { asks: true as const }),
  };
}
