// Why rows of a batch were not paid, counted by reason; it goes when batches read lib/operate/verdict.ts.
import type { FailureOf, GatewayFailureCode } from '../gateway/gateway-outcome.ts';
import { remedyFor } from '../operate/remedies.ts';

/** All rows that were not paid for one reason. */
export interface Reason extends FailureOf<string> {
  readonly ending: string;
  readonly jobs: number;
  readonly remedy: string;
  /** The first of them. */
  readonly which?: readonly string[];
  /** Others of these rows have the same reason in other words. */
  readonly andTheLike?: boolean;
}

const ownReasons: ReadonlySet<string> = new Set<GatewayFailureCode>([
  'GATEWAY_REFUSED',
  'GATEWAY_DECLINED',
  'FILTERED',
]);

/** True for a refusal that is about the order. */
export const isOwnReason = (code: string): boolean => ownReasons.has(code);

/** Why an order is open that the gateway has taken, where the gateway can be asked. */
export const notConfirmedYet = 'accepted, not confirmed as paid: the gateway is asked how it ended';

/** The merchant of an order's key. */
export const merchantOf = (order: string): string => order.split('/', 1)[0] ?? '';

/** Where what is to be done is done. */
export interface RemedyPlace {
  /** The prefix of the names of merchants' secrets. */
  readonly secretPrefix: string;
}

const whichShown = 5;

/** Counts why rows were not paid. */
export function countReasons({ secretPrefix }: RemedyPlace) {
  const reasons = new Map<string, Reason>();
  return {
    add(
      ending: string,
      failure: FailureOf<string>,
      { order, which }: { merchant: string; order: string; which: string },
    ): void {
      const { code, gatewayCode, httpStatus, message } = failure;
      const key = [ending, code, gatewayCode, httpStatus].join('/');
      const remedy = remedyFor(failure, { secretPrefix, order });
      const known = reasons.get(key) ?? { ...failure, ending, jobs: 0, remedy };
      const isNamed = !['in doubt', 'waiting'].includes(ending) && (known.which?.length ?? 0) < whichShown;
      const named = isNamed && { which: [...(known.which ?? []), which] };
      reasons.set(key, {
        ...known,
        ...(known.message !== message && { andTheLike: true }),
        ...named,
        jobs: known.jobs + 1,
      });
    },
    /** The most frequent first. */
    taken: (): readonly Reason[] => [...reasons.values()].toSorted((one, other) => other.jobs - one.jobs),
  };
}
