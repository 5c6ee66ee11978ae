// What a callback proves of its order, judged by what the order holds now. A report ends or approves only an attempt of this ledger, and
// only if nothing that it says contradicts the order. Otherwise it is a sign of life: the order is not paid a second time over it.
import { isGatewayId } from '../../gateway/gateway-outcome.ts';
import { isAmountOf } from '../../gateway/money.ts';
import type { Callback, CallbackDialect, MerchantAccess } from '../../gateway/ports.ts';
import { matchAccount } from '../order/account.ts';
import { atMost, attemptsOf, type Facts, noFacts } from '../order/facts.ts';
import { fold } from '../order/fold.ts';
import { join } from '../order/join.ts';
import { factsOfReport, type Report } from '../order/reports.ts';
import { isConfirmed, signOf } from '../order/signs.ts';
import type { Content, Order } from '../order/order.ts';
import { redact } from '../../gateway/redact.ts';

/** The facts of a callback; none if it brings nothing new, or makes no order. */
export interface CallbackFacts {
  readonly facts: Facts;
  /**
   * Present if the callback is no plain news. `contradicts`: it says "paid" against an end or beside the known attempt, or "declined" of a
   * paid order.
   */
  readonly surprise?: 'recorded' | 'contradicts';
  /** True if it says that a payment was undone. The gateway is asked then, because a callback's proof may not cover the type. */
  readonly asks?: boolean;
}

/** Judges the callback; undefined if its proof fits no key that these credentials hold. `order` has version 0 if there is none. */
export function factsOfCallback(
  callback: Callback,
  order: Order,
  credentials: MerchantAccess,
  nowMs: number,
): CallbackFacts | undefined {
  const { callbacks } = credentials.dialect;
  const signers = callbacks.signersOf(callback, credentials);
  const [signer] = signers;
  if (!signer) return undefined;
  const { content } = order;
  const kind = callbacks.kindOf(callback.type, content?.operation ?? 'payout', signer.profile);
  const isDoubtful = !callbacks.isUnambiguous(callback);
  if (order.version === 0 && (isDoubtful || kind !== 'own')) return { facts: noFacts, surprise: 'recorded' };
  const says = callbacks.saysOf(callback.status);
  const sentTo = accountOfSigners(signers, order);
  const account = content && (sentTo ?? signer.dialect.accountOf(signer, content.endpointId));
  // A callback of another type or amount, of an account that nothing was sent to, or of an order without content proves only that the
  // gateway has something.
  const isElsewhere = sentTo === undefined && attemptsOf(order.facts).some(({ accounts }) => accounts.length > 0);
  const isOwn = content !== undefined && kind === 'own' && !isElsewhere;
  const fits = isOwn && fitsMoney(callback, content, says);
  const report: Report = {
    account,
    id: isGatewayId(callback.gatewayOrderId) ? callback.gatewayOrderId : undefined,
    level: says,
    atMs: nowMs,
    callback: isDoubtful ? 'doubtful' : fits ? 'proven' : 'contradicting',
    declined: fits && (says === 'declined' || says === 'filtered') ? declinedAs(says) : undefined,
  };
  const undoes = kind === 'undoing';
  const added = factsOfReport(order.facts, undoes ? { ...report, level: 'seen' } : report, order.version + 1);
  const isSure = kind === 'own' && !isDoubtful && report.id !== undefined;
  const contradicts = undoes || (isSure && isContradicted(order, says, added));
  if (fits && !isDoubtful && !contradicts && (report.id !== undefined || Object.keys(added.unknown).length === 0))
    return { facts: added };
  const asks = undoes && isAskedAbout(order, credentials);
  return surprised(callback, order, { contradicts, added, asks });
}

/**
 * The account that signed the callback: of the latest attempt that was sent to an account of these signers, since one key may sign for
 * several. Undefined if there is none.
 */
function accountOfSigners(signers: readonly MerchantAccess[], { facts, content }: Order): string | undefined {
  const { endpointId = '' } = content ?? {};
  const isSignedBy = (account: string) =>
    signers.some((it) => matchAccount({ account, endpointId }, it).kind === 'present');
  return attemptsOf(facts)
    .flatMap(({ accounts }) => accounts)
    .findLast(isSignedBy);
}

/** True if the gateway can be asked about an attempt that it has. */
const isAskedAbout = ({ facts }: Order, { profile }: MerchantAccess): boolean =>
  profile.statusInquiry && attemptsOf(facts).some((it) => it.askable && signOf(it, facts) !== '');

type Says = ReturnType<CallbackDialect['saysOf']>;

/** True if the callback's money is the order's. A callback without money can prove no end, only that the gateway has the order. */
function fitsMoney({ amount, currency }: Callback, { money }: Content, says: Says): boolean {
  if (amount === undefined || currency === undefined) return says === 'seen';
  return money !== undefined && currency.toUpperCase() === money.currency && isAmountOf(amount, money);
}

/** True if the callback says "paid" of an order that ended otherwise or of no known attempt, or "declined" of a paid one. */
function isContradicted({ facts, version }: Order, says: Says, added: Facts): boolean {
  if (version === 0 || added === noFacts) return false;
  const status = fold(facts);
  if (says === 'declined' || says === 'filtered')
    return (
      (status.kind === 'approved' && Object.keys(added.attempts).length > 0) || fold(join(facts, added)).kind === 'held'
    );
  if (says !== 'approved') return false;
  const isOther = Object.keys(added.unknown).some((place) => !(place in facts.unknown));
  const isKnown = attemptsOf(facts).some((it) => isConfirmed(it, facts));
  return status.kind === 'over' || (isOther && isKnown) || fold(join(facts, added)).kind === 'held';
}

const declinedAs = (says: Says) =>
  ({
    code: says === 'filtered' ? 'FILTERED' : 'GATEWAY_DECLINED',
    message: `the gateway called back: ${says}`,
  }) as const;

/**
 * The facts of a surprise. Its text is kept once for its status, type and id, as long as there is room. Only a callback whose text is kept
 * asks the gateway.
 */
function surprised(
  callback: Callback,
  { facts: known }: Order,
  { contradicts, added, asks }: { readonly contradicts: boolean; readonly added: Facts; readonly asks: boolean },
): CallbackFacts {
  const { amount: _, currency: _c, ...covered } = callback;
  const isRecorded = known.surprises.some((text) => text.startsWith(shownCallback(covered).replace(/( -){2}$/, ' ')));
  const isKept = !isRecorded && known.surprises.length < atMost.surprises;
  const facts = isKept ? join(added, { ...noFacts, surprises: [shownCallback(callback)] }) : added;
  return {
    facts,
    surprise: contradicts ? 'contradicts' : 'recorded',
    asks: asks && isKept,
  };
}

const textLimit = 96;
const partLimit = 40;

/** A callback as it is kept on its order and shown to people, or its parts that are known: status, type, the gateway's id, amount, currency. */
function shownCallback({
  status = '-',
  type = '-',
  gatewayOrderId = '-',
  amount = '-',
  currency = '-',
}: Readonly<Partial<Record<'status' | 'type' | 'gatewayOrderId' | 'amount' | 'currency', string>>>): string {
  const parts = [status.toLowerCase(), type.toLowerCase(), gatewayOrderId, amount, currency];
  return redact(parts.map((part) => part.replaceAll(/[^\w.+-]/g, '?').slice(0, partLimit)).join(' '), []).slice(
    0,
    textLimit,
  );
}
