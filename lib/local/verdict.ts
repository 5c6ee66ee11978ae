// Were my jobs paid? The answer for their sender: money by what became of it, everything that was not paid by its
// reason with what to do, and what is still open. Says no more than the results and the ledger do. Pure.
import type { GatewayFailureCode, FailureOf } from '../gateway/gateway-outcome.ts';
import { formatMinorUnits, minorUnitsOf } from '../gateway/money.ts';
import type { Result } from '../payout/message/result.ts';
import { type Ending, type Fate, endingCounts } from './accounts.ts';
import { remedyFor } from '../operate/remedies.ts';
import { shellWord, tool } from '../payout/operate/spelling.ts';

/** All jobs that were not paid for one reason. */
export interface Reason extends FailureOf<string> {
  readonly ending: Ending;
  readonly jobs: number;
  readonly remedy: string;
  /** The first of them, where nothing else names them: their lines, or orders. */
  readonly which?: readonly string[];
  /** Others of these jobs have the same reason in other words. */
  readonly andTheLike?: boolean;
}

/** Money of one currency, in decimal text, each with its number of orders. */
export interface MoneyAnswer {
  readonly currency: string;
  readonly asked: string;
  readonly askedOrders: number;
  readonly by: Readonly<Partial<Record<Ending, { readonly amount: string; readonly orders: number }>>>;
}

/** A job that may still end in another way. */
interface OpenJob {
  /** Line in the jobs file, from 1. */
  readonly line: number;
  readonly order: string;
  readonly ending: Ending;
  /** Why it is open: the code of its reason, or a few words. */
  readonly why: string;
}

/** The answer. */
export interface PaidVerdict {
  /** Every job was paid, declined for its own reasons, or accepted where the contract can tell no more. */
  readonly settled: boolean;
  readonly jobs: number;
  /** Jobs that are not settled. */
  readonly unsettled: number;
  readonly endings: Readonly<Record<Ending, number>>;
  readonly reasons: readonly Reason[];
  readonly results: readonly MoneyAnswer[];
  readonly open: readonly OpenJob[];
  /** The gateway refused every order in the same words, which is seldom about the orders. */
  readonly refusedAlike: boolean;
}

/** Refusals that are about the order. */
const ownReasons: ReadonlySet<string> = new Set<GatewayFailureCode>([
  'GATEWAY_REFUSED',
  'GATEWAY_DECLINED',
  'FILTERED',
]);

/** True for a refusal that is about the order. */
export const isOwnReason = (code: string): boolean => ownReasons.has(code);

/** Why an order is open that the gateway has taken, where the gateway can be asked. */
export const notConfirmedYet = 'accepted, not confirmed as paid: the gateway is asked how it ended';

/** Ends that may still change. */
const openEndings: ReadonlySet<Ending> = new Set(['in doubt', 'waiting', 'missing']);
const untried: FailureOf<string> = {
  code: 'NOT_TRIED',
  message: 'not sent before the run ended, though nothing blocks it',
};
/** Remedies that the code alone does not give, by end and code. */
const remediesByEnding: ReadonlyMap<string, string> = new Map([
  [`waiting/${untried.code}`, 'Give the run more time (--wait).'],
  [
    'waiting/NOT_BEGUN',
    `It is on its queue: \`${tool} lanes\` says whether its lane goes, \`${tool} dlq list\` whether it is a dead letter; else a worker must run.`,
  ],
]);

/** Where what is to be done is done. */
export interface RemedyPlace {
  /** The prefix of the names of merchants' secrets. */
  readonly secretPrefix: string;
}

/** Answers. */
export function verdictOn(fates: readonly Fate[], place: RemedyPlace = { secretPrefix: 'payouts/' }): PaidVerdict {
  const refusedAlike = areRefusedAlike(fates);
  const unsettled = fates.filter((it) => !isSettled(it, refusedAlike)).length;
  return {
    settled: unsettled === 0,
    jobs: fates.length,
    unsettled,
    endings: endingCounts(fates),
    reasons: reasonsOf(fates, place),
    results: moneyOf(fates),
    open: fates.filter(isOpen).map((it) => ({
      line: it.message.line,
      order: it.order,
      ending: it.ending,
      why: whyOpen(it),
    })),
    refusedAlike,
  };
}

function isSettled({ ending, result, failure }: Fate, refusedAlike: boolean): boolean {
  // Somebody called it off: it was not to be paid.
  if (result?.status === 'cancelled' || failure?.code === 'CALLED_OFF') return true;
  switch (ending) {
    case 'paid':
    case 'checked':
      return true;
    case 'accepted':
      return result?.final === true;
    case 'declined':
      return failure !== undefined && isOwnReason(failure.code) && !refusedAlike;
    case 'failed':
    case 'in doubt':
    case 'waiting':
    case 'dead letter only':
    case 'missing':
      return false;
  }
}

function isOpen({ ending, result }: Fate): boolean {
  return openEndings.has(ending) || (ending === 'accepted' && result?.final === false);
}

function whyOpen({ ending, failure }: Fate): string {
  if (ending === 'accepted') return notConfirmedYet;
  return ending === 'missing' ? 'neither a result nor a dead letter' : (failure ?? untried).code;
}

/** From three orders on: two may well be wrong in the same way. */
function areRefusedAlike(fates: readonly Fate[]): boolean {
  const words = new Set(
    fates.map(({ ending, failure }) => (ending === 'declined' ? `${failure?.code}/${failure?.gatewayCode}` : ending)),
  );
  return fates.length > 2 && words.size === 1 && fates[0]?.ending === 'declined';
}

function reasonsOf(fates: readonly Fate[], place: RemedyPlace): readonly Reason[] {
  const reasons = countReasons(place);
  for (const { ending, message, order, job, failure = ending === 'waiting' ? untried : undefined, remedy } of fates) {
    if (failure !== undefined && ending !== 'paid' && ending !== 'checked' && ending !== 'accepted')
      reasons.add(ending, failure, {
        merchant: job?.merchant ?? merchantOf(order),
        order,
        which: String(message.line),
        ...(remedy !== undefined && { remedy }),
      });
  }
  return reasons.taken();
}

/** The merchant of an order's key. */
export const merchantOf = (order: string): string => order.split('/', 1)[0] ?? '';

interface Named {
  readonly merchant: string;
  readonly order: string;
  /** Its line, or the order itself. */
  readonly which: string;
  /** The remedy, where the failure's code alone does not give it. */
  readonly remedy?: string;
}

/** How many are named beside a reason. */
const whichShown = 5;

/** Counts why orders were not paid. */
export function countReasons({ secretPrefix }: RemedyPlace) {
  const reasons = new Map<string, Reason>();
  return {
    add(ending: Ending, failure: FailureOf<string>, { merchant, order, which, remedy: own }: Named): void {
      const { code, gatewayCode, httpStatus, message } = failure;
      const plain = own ?? remediesByEnding.get(`${ending}/${code}`) ?? remedyFor(failure);
      const remedy = plain.replaceAll('PREFIX', secretPrefix).replaceAll('MERCHANT', merchant);
      const key = [ending, code, gatewayCode, httpStatus, remedy].join('/');
      const known = reasons.get(key) ?? {
        ...failure,
        ending,
        jobs: 0,
        remedy: remedy.replaceAll('ORDER', () => shellWord(order)),
      };
      const isOther = known.message !== message && { andTheLike: true };
      // Open orders are listed by themselves.
      const isNamed = !openEndings.has(ending) && (known.which?.length ?? 0) < whichShown;
      const named = isNamed && { which: [...(known.which ?? []), which] };
      reasons.set(key, { ...known, ...isOther, ...named, jobs: known.jobs + 1 });
    },
    /** The most frequent first. */
    taken: (): readonly Reason[] => [...reasons.values()].toSorted((one, other) => other.jobs - one.jobs),
  };
}

function moneyOf(fates: readonly Fate[]): MoneyAnswer[] {
  const orders = new Map(fates.map((fate) => [fate.order, fate]));
  const sums = new Map<string, Map<Ending | 'asked', { minorUnits: bigint; orders: number }>>();
  for (const fate of orders.values()) {
    const money = moneyAskedFor(fate);
    if (!money) continue;
    const ofCurrency = sums.get(money.currency) ?? new Map<Ending | 'asked', { minorUnits: bigint; orders: number }>();
    sums.set(money.currency, ofCurrency);
    for (const column of ['asked', fate.ending] as const) {
      const sum = ofCurrency.get(column) ?? { minorUnits: 0n, orders: 0 };
      ofCurrency.set(column, { minorUnits: sum.minorUnits + money.minorUnits, orders: sum.orders + 1 });
    }
  }
  return [...sums]
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([currency, columns]) => {
      const { asked, ...by } = Object.fromEntries(
        [...columns].map(([column, { minorUnits, orders: count }]) => [
          column,
          { amount: formatMinorUnits(minorUnits, currency), orders: count },
        ]),
      );
      return { currency, asked: asked?.amount ?? '', askedOrders: asked?.orders ?? 0, by };
    });
}

function moneyAskedFor({ job, money = job?.money, result }: Fate) {
  if (money) return money;
  const { amount, currency }: Partial<Result> = result ?? {};
  return amount === undefined || currency === undefined
    ? undefined
    : { currency, minorUnits: minorUnitsOf(amount, currency) };
}
