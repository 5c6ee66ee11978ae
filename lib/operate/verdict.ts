// Were my jobs paid? One answer for a batch, a file that was just submitted, and a local run: settled or not, why payments were not made,
// and what to do next. Pure.
import type { FailureOf } from '../gateway/gateway-outcome.ts';
import { tool } from '../payout/operate/spelling.ts';
import { type Standing, standingNames, standings } from '../payout/order/standing.ts';
import { remedyFor } from './remedies.ts';

/** One payment as the verdict counts it. */
export interface Payment {
  readonly standing: Standing;
  /** The order, or the message where it became none. */
  readonly order: string;
  readonly failure?: FailureOf<string>;
  /** The remedy, where the failure's code does not give it. */
  readonly remedy?: string;
}

/** All payments that have one standing for one reason. */
export interface UnpaidReason extends FailureOf<string> {
  readonly standing: Standing;
  readonly payments: number;
  readonly remedy: string;
  /** The first of them. */
  readonly orders: readonly string[];
  /** Others of these payments have the same reason in other words. */
  readonly andTheLike?: boolean;
}

/** The answer. */
export interface PaymentsVerdict {
  /** Every payment was paid, checked, accepted for good, cancelled, or declined for its own reasons. */
  readonly settled: boolean;
  readonly payments: number;
  readonly unsettled: number;
  /** Payments that come to an end without a person. */
  readonly underWay: number;
  readonly standings: Readonly<Partial<Record<Standing, number>>>;
  /** The most frequent first. */
  readonly reasons: readonly UnpaidReason[];
  /** What to do, a sentence each. */
  readonly next: readonly string[];
}

/** Where the payments are, for the texts. */
interface VerdictPlace {
  /** The prefix of the names of merchants' secrets. */
  readonly secretPrefix: string;
  /** The command that sends unpaid payments again, if there is one. */
  readonly retry?: string;
}

/** Ends that leave the sender's wish open. */
const unmet: ReadonlySet<Standing> = new Set(['failed', 'rejected', 'id-taken']);
const ordersShown = 5;
/** Two may well be wrong in the same way. */
const alikeFrom = 3;

/** Counts payments one after the other, as a batch may have a million. */
export function countPayments({ secretPrefix, retry }: VerdictPlace) {
  const counts: Partial<Record<Standing, number>> = {};
  const reasons = new Map<string, UnpaidReason>();

  function addReason({ standing, order, failure, remedy: own }: Payment & { readonly failure: FailureOf<string> }) {
    const { code, gatewayCode, httpStatus, message } = failure;
    const remedy = own ?? remedyFor(failure, { secretPrefix, order });
    const key = [standing, code, gatewayCode, httpStatus].join('/');
    const known = reasons.get(key) ?? { ...failure, standing, payments: 0, remedy, orders: [] };
    const isOther = known.message !== message && { andTheLike: true };
    const orders = known.orders.length < ordersShown ? [...known.orders, order] : known.orders;
    reasons.set(key, { ...known, ...isOther, orders, payments: known.payments + 1 });
  }

  return {
    add({ failure, ...payment }: Payment): void {
      const { standing } = payment;
      counts[standing] = (counts[standing] ?? 0) + 1;
      if (failure && !isPaid(standing)) addReason({ ...payment, failure });
    },
    /** `expected`: how many there are in all; those that were not added are not started. */
    taken(expected = 0): PaymentsVerdict {
      const added = standingNames.reduce((sum, name) => sum + (counts[name] ?? 0), 0);
      const missing = Math.max(0, expected - added);
      const all = { ...counts, ...(missing > 0 && { 'not-started': (counts['not-started'] ?? 0) + missing }) };
      return verdict(all, { reasons: [...reasons.values()], retry });
    },
  };
}

const isPaid = (standing: Standing): boolean => ['paid', 'accepted', 'checked', 'confirming'].includes(standing);

/** The answer for so many payments of each standing. */
export function verdict(
  counts: Readonly<Partial<Record<Standing, number>>>,
  { reasons = [], retry }: { readonly reasons?: readonly UnpaidReason[]; readonly retry?: string } = {},
): PaymentsVerdict {
  const sumOf = (chosen: (name: Standing) => boolean) =>
    standingNames.reduce((sum, name) => sum + (chosen(name) ? (counts[name] ?? 0) : 0), 0);
  const payments = sumOf(() => true);
  const declinedAll = payments >= alikeFrom && counts.declined === payments;
  const unsettled = declinedAll ? payments : sumOf((name) => !standings[name].isFinal || unmet.has(name));
  const underWay = sumOf((name) => !standings[name].isFinal && !standings[name].needsPerson);
  const forPerson = sumOf((name) => standings[name].needsPerson);
  const again = sumOf((name) => standings[name].isFinal && standings[name].retry !== 'no');
  return {
    settled: unsettled === 0,
    payments,
    unsettled,
    underWay,
    standings: Object.fromEntries(standingNames.flatMap((name) => (counts[name] ? [[name, counts[name]]] : []))),
    reasons: reasons.toSorted((one, other) => other.payments - one.payments),
    next: [
      ...(declinedAll ? ['The gateway declined every payment: ask the gateway about the account.'] : []),
      ...(forPerson > 0 ? [`A person must decide: \`${tool} todo\` lists the questions.`] : []),
      ...(counts['not-started']
        ? [`Not started: \`${tool} lanes\` shows closed lanes, \`${tool} dlq list\` dead letters; else start a worker.`]
        : []),
      ...(underWay > 0 ? ['The worker goes on with what is under way: look again later.'] : []),
      ...(again > 0 && retry !== undefined ? [`Send the unpaid ones again: \`${retry}\`.`] : []),
    ],
  };
}
