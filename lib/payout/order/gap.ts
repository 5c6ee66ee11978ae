// An order whose table was restored: what was written of it since the restored moment may be lost, and an attempt with it. The
// attempt of which nothing is known stands for all of those: no report about another closes it.
import type { OperationName } from '../../gateway/operations.ts';
import { type Attempt, ofAttempt } from './facts.ts';
import type { Contract } from './next.ts';
import type { Order } from './order.ts';
import type { Gap } from './orders.ts';
import { recorded } from './record.ts';

/** No worker of the old table is at work any more so long after it was taken out of service: Lambda's longest time-out. */
const inFlightMs = 900_000;
/** More than the writes of any order, and how far apart two restores are at least. */
const revisionsApart = 2_000;
const restoresApartMs = 600_000;

/** Revisions and versions in a table that was restored at this time are above this: none that was told in the gap is told again. */
export const numbersFrom = (atMs: number): number =>
  revisionsApart * Math.max(Math.ceil((atMs - Date.UTC(2026, 0)) / restoresApartMs), 1);

/** What may have been lost. */
export interface Lost {
  readonly attemptId: string;
  readonly endId: string;
  readonly operation: OperationName;
  /** All accounts that the merchant had. */
  readonly accounts: readonly string[];
  readonly askable: boolean;
  readonly contract?: Contract;
  readonly nowMs: number;
}

/** The order as this table's: it bears the restore's number, and an attempt of which nothing is known. */
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
    number: renumbered.version + 1,
    atMs: lost.nowMs,
    operation: lost.operation,
    movesMoney: true,
    accounts: lost.accounts,
    askable: lost.askable,
    leaseUntilMs: Math.max(lost.nowMs, number + inFlightMs),
    lost: true,
    ids: [],
    aliases: [],
    reports: [],
    amounts: [],
    negatives: {},
  };
  const { nowMs, contract, endId } = lost;
  return recorded(renumbered, ofAttempt(attempt), { nowMs, endId, ...(contract && { contract }) });
}
