// What an inquiry proves about an order (infra/docs/gateway.md). The gateway's documents contradict each other about statuses, so a
// status proves only what every reading of them allows.
import { isAmountOf, type Money } from './money.ts';
import { type OperationName, operations } from './operations.ts';
import type { Profile } from './profile.ts';
import { redact } from './redact.ts';
import type { GatewayIds, GatewayFailure, GatewayFailureCode } from './gateway-outcome.ts';
import { hasDoubtfulBankCode } from './reply-words.ts';

/** An order that is asked about, or that a callback is about: the facts of its present attempt. */
export interface AskedOrder extends GatewayIds {
  readonly operation: OperationName;
  readonly orderId: string;
  readonly money?: Money;
  /** Another amount that the gateway gave before: an approval is then believed only with the right amount. */
  readonly gatewayAmount?: string;
}

/** The finding of one inquiry. `status` is the gateway's own text, redacted. */
export type Finding =
  /** The gateway has the order, and it has ended. */
  | ({ readonly kind: 'approved' } & GatewayIds)
  | ({ readonly kind: 'declined'; readonly failure: GatewayFailure } & GatewayIds)
  /** The gateway's filter declined the order, perhaps as the duplicate of an earlier attempt that lives. */
  | ({ readonly kind: 'filtered'; readonly failure: GatewayFailure } & GatewayIds)
  /** The order has been paid, and a later transaction under its id undid it (or tried to). */
  | ({ readonly kind: 'reversed'; readonly transactionType: string; readonly status: string } & Undone & GatewayIds)
  /** The gateway has the order; it has not ended. */
  | ({ readonly kind: 'pending'; readonly status: string } & GatewayIds)
  /** The gateway has the order with another amount or currency. A person decides, whatever the status. */
  | ({ readonly kind: 'amount-differs'; readonly amount: string; readonly status: string } & GatewayIds)
  /** The gateway has the order, and its status proves neither that money moved nor that none did. */
  | ({ readonly kind: 'inconclusive'; readonly status: string; readonly failure: GatewayFailure } & GatewayIds)
  /** The gateway answers that it knows no such order. Shortly after an unclear send this proves nothing yet. */
  | { readonly kind: 'unknown-order' }
  /** The gateway refused the signature or login of the inquiry. */
  | { readonly kind: 'credentials-refused' }
  /** Nothing follows from the answer. */
  | { readonly kind: 'unclear'; readonly reason: string };

/** The total undone so far, if the gateway gives it. */
interface Undone {
  readonly totalAmount?: string;
}

type Field = (name: string) => string | undefined;

/** Transactions that come after a payment and undo it; they bear its id. */
const undoingTypes = new Set(
  'reversal chargeback refund return cancel void fraud retrieval dispute partial-reversal representment'.split(' '),
);

/** The type of a transaction without regard to case and spelling. */
export const typeWord = (text: string): string => text.trim().toLowerCase().replaceAll('_', '-');

/** The relation of a transaction of this type to the order: its own, one that undoes it, or another. */
export function kindOfTransaction(
  type: string,
  { operation }: Pick<AskedOrder, 'operation'>,
  { transactionTypes }: Pick<Profile, 'transactionTypes'>,
): 'own' | 'undoing' | 'another' {
  const wanted = typeWord(type);
  const ownTypes = [...operations[operation].transactionTypes, ...(transactionTypes[operation] ?? [])];
  if (ownTypes.some((it) => typeWord(it) === wanted)) return 'own';
  return undoingTypes.has(wanted) ? 'undoing' : 'another';
}

const statusLimitChars = 24;
/** The gateway's text, redacted and cut. */
const shown = (text: string) => redact(text, []).slice(0, statusLimitChars);

/** The finding of a status about our order. */
export function statusFinding(
  field: Field,
  ids: GatewayIds,
  order: AskedOrder,
  profile: Pick<Profile, 'statusWords' | 'transactionTypes'>,
): Finding {
  const status = field('status')?.toLowerCase();
  if (status === undefined) return { kind: 'unclear', reason: 'the answer has no status' };
  const reported = { status: shown(status), ...ids };
  const type = field('transaction-type');
  const kind = type === undefined ? undefined : kindOfTransaction(type, order, profile);
  if (type !== undefined && kind === 'undoing')
    return { kind: 'reversed', transactionType: shown(type), ...undoneOf(field), ...reported };
  if (kind === 'another') return { kind: 'unclear', reason: 'the answer is about another kind of transaction' };
  const amount = otherAmount(field, order);
  if (amount !== undefined) return { kind: 'amount-differs', amount, ...reported };
  const finding = findingOf(field, status, ids, profile);
  const isEnd = finding.kind === 'approved' || finding.kind === 'declined' || finding.kind === 'filtered';
  if (isEnd && kind !== 'own' && !saysTheMoney(field, order))
    return { kind: 'unclear', reason: 'the answer says neither amount and currency nor the kind of transaction' };
  if (finding.kind === 'approved' && order.gatewayAmount !== undefined && !saysTheMoney(field, order))
    return { kind: 'unclear', reason: 'the gateway said another amount before, and says none now' };
  return finding;
}

function undoneOf(field: Field): Undone {
  const total = field('total-reversal-amount')?.trim() ?? '';
  return /^\d{1,15}(\.\d{1,4})?$/.test(total) ? { totalAmount: total } : {};
}

/** The finding of a status that is known to be about this order. */
function findingOf(
  field: Field,
  status: string,
  ids: GatewayIds,
  { statusWords }: Pick<Profile, 'statusWords'>,
): Finding {
  const unproven = (): Finding => ({
    kind: 'inconclusive',
    status: shown(status),
    failure: failureOf('STATUS_UNPROVEN', status, field),
    ...ids,
  });
  const declined = (kind: 'declined' | 'filtered'): Finding => {
    const code = kind === 'filtered' ? 'FILTERED' : 'GATEWAY_DECLINED';
    return hasDoubtfulBankCode(wordsOf(field)) ? unproven() : { kind, failure: failureOf(code, status, field), ...ids };
  };
  switch (status) {
    case 'approved':
      return { kind: 'approved', ...ids };
    case 'declined':
    case 'filtered':
      return declined(status);
    case 'error':
    case 'unknown': {
      const meaning = statusWords[status];
      if (meaning === 'declined') return declined('declined');
      return meaning === 'pending' ? { kind: 'pending', status: shown(status), ...ids } : unproven();
    }
    default:
      return { kind: 'pending', status: shown(status), ...ids };
  }
}

/** The gateway's amount if it is not the order's, as it may be shown. */
function otherAmount(field: Field, { money }: AskedOrder): string | undefined {
  const [amount, currency] = [field('amount'), field('currency')];
  if (!money) return undefined;
  const isSame =
    (currency === undefined || currency.toUpperCase() === money.currency) &&
    (amount === undefined || isAmountOf(amount, money));
  return isSame ? undefined : shown(`${amount ?? '?'} ${currency ?? ''}`.trim());
}

/** True if the answer gives amount and currency; {@link otherAmount} has compared them. */
function saysTheMoney(field: Field, { money }: AskedOrder): boolean {
  return money !== undefined && field('amount') !== undefined && field('currency') !== undefined;
}

const wordsOf = (field: Field) => [field('error-message'), field('bank_message')].filter(Boolean).join(' ');

function failureOf(code: GatewayFailureCode, status: string, field: Field): GatewayFailure {
  const gatewayCode = field('error-code');
  const message = field('error-message') ?? field('bank_message') ?? `the gateway says ${shown(status)}`;
  return {
    code,
    message: redact(message, []),
    ...(gatewayCode !== undefined && /^-?\d{1,8}$/.test(gatewayCode) && { gatewayCode }),
  };
}
