// An order whose table was restored: facts since the restored moment may be lost, and an attempt with them. One unknown attempt
// represents all of those: no report about another one closes it.
import { type OperationName, operations } from '../../gateway/operations.ts';
import type { Credentials, MerchantAccess } from '../../gateway/ports.ts';
import type { Clock, Random } from '../ports.ts';
import { type Attempt, type Facts, ofAttempt, unknownAt, type Unknown } from './facts.ts';
import { attemptNumberAt, mayHaveLost, numbersFrom, type Order } from './order.ts';
import type { Gap } from './orders.ts';
import { recorded } from './record.ts';
import { type Contract, contractOf } from './time.ts';

/** No worker of the old table is at work any more so long after it was taken out of service: Lambda's longest time-out. */
const inFlightMs = 900_000;
/** The attempt that may have been lost. */
interface Lost {
  readonly attemptId: string;
  readonly endId: string;
  /** All accounts that the merchant had. */
  readonly accounts: readonly string[];
  readonly askable: boolean;
  readonly contract?: Contract;
  readonly nowMs: number;
}

/** The order as this table's: it has the restore's number, and an unknown attempt. */
export function beneathGap(order: Order, { number }: Gap, lost: Lost): Order {
  const from = numbersFrom(number);
  const renumbered: Order = {
    ...order,
    restore: number,
    version: Math.max(order.version, from),
    published: { ...order.published, revision: Math.max(order.published.revision, from), digest: '' },
  };
  const attempt: Attempt = {
    id: lost.attemptId,
    number: attemptNumberAt(renumbered.version),
    atMs: lost.nowMs,
    accounts: lost.accounts,
    askable: lost.askable,
    leaseUntilMs: Math.max(lost.nowMs, number + inFlightMs),
    lost: true,
    ids: [],
    aliases: [],
    reports: [],
    amounts: [],
    absent: {},
  };
  const { nowMs, contract, endId } = lost;
  return recorded(renumbered, ofAttempt(attempt), { nowMs, endId, ...(contract && { contract }) });
}

/** Digests of all accounts that the merchant has and had, as far as its secret names them. */
export const accountsOf = (credentials: MerchantAccess, endpointId: string): readonly string[] => [
  ...new Set([credentials, ...(credentials.earlierAccounts ?? [])].map((it) => it.dialect.accountOf(it, endpointId))),
];

/** True where the account answers a status inquiry about an order of this operation: about a check, none does. */
export const isAskable = ({ profile }: MerchantAccess, operation: OperationName): boolean =>
  profile.statusInquiry && operations[operation].movesMoney;

/** The facts by which a report is attributed: where a restore may have lost attempts of the order, none is by elimination. */
export function knownIn(order: Order, gap: Gap | undefined): Facts {
  const { facts } = order;
  if (!mayHaveLost(order, gap)) return facts;
  return { ...facts, unknown: { ...facts.unknown, [unknownAt(lostToGap)]: lostToGap } };
}

/** A transaction that any of the lost attempts may have. */
const lostToGap: Unknown = { since: 0, reports: ['seen'], amounts: [] };

/** The ports of doubting. */
interface DoubtPorts {
  readonly credentials: Pick<Credentials, 'of'>;
  readonly clock: Pick<Clock, 'nowMs'>;
  readonly random: Random;
}

/** The order as this table's, at whatever accounts the merchant's secret names now. */
export async function doubted(order: Order, gap: Gap, { credentials, clock, random }: DoubtPorts): Promise<Order> {
  const secret = await credentials.of(order.merchant);
  const known = secret.kind === 'credentials' ? secret.credentials : undefined;
  const { operation = 'payout', endpointId = '' } = order.content ?? {};
  return beneathGap(order, gap, {
    attemptId: random.id(),
    endId: random.id(),
    accounts: known ? accountsOf(known, endpointId) : [],
    askable: known !== undefined && isAskable(known, operation),
    ...(known && { contract: contractOf(known.profile) }),
    nowMs: clock.nowMs(),
  });
}

/**
 * The order to be written over `before`: under a gap no end, but the doubt that a claim would write. An attempt of the gap
 * may live; until it is known to be at no account, the order has not ended, whatever its own attempts have. An order that
 * the table has lost (version 0) is in that doubt from the first fact on.
 */
export async function withoutEndOfGap(
  before: Order,
  found: Order,
  gap: Gap | undefined,
  ports: DoubtPorts,
): Promise<Order> {
  const isEnded = before.version === 0 || Object.keys(found.facts.ends).some((id) => !(id in before.facts.ends));
  if (!gap || !isEnded) return found;
  return doubted({ ...found, version: before.version, facts: { ...found.facts, ends: before.facts.ends } }, gap, ports);
}
