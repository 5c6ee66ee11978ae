// The worker's own check of "not paid" by two persons. The tool writes no such decision without an approver, but a person who may write
// orders can write one by hand. So before an order is sent, ended or published, each of these decisions of a merchant that demands two must
// have an approver's MAC. A decision without one is recorded as unproven, in an attribute that only the worker may write: it decides
// nothing, its order is in doubt again, and an alarm calls a person. Every way to a POST and to a result leads through these orders.
import { type Decision, noFacts } from '../payout/order/facts.ts';
import { recorded } from '../payout/order/record.ts';
import type { Order } from '../payout/order/order.ts';
import type { Orders, ReadOrder, Written } from '../payout/order/orders.ts';
import type { Clock, Log, Metrics, Random } from '../payout/ports.ts';
import type { ApprovalCheck } from './approval.ts';
import { isApprovedBy } from './decision-approval.ts';
import { findSafeguards, type StoredRecords } from './safeguards.ts';

/** The ports of the check. */
interface ProofSources {
  readonly store: StoredRecords;
  readonly macs: ApprovalCheck;
  readonly clock: Pick<Clock, 'nowMs'>;
  readonly random: Random;
  readonly log: Log;
  readonly metrics: Metrics;
}

/** Races between writers end in two or three rounds. */
const roundsAtMost = 5;

/** Orders whose decisions are proven, or recorded as unproven before anything follows from them. */
export function ordersWithProof(orders: Orders, sources: ProofSources): Orders {
  async function judged(found: ReadOrder): Promise<ReadOrder> {
    let read = found;
    for (let round = 0; round < roundsAtMost; round += 1) {
      if (read.kind !== 'found') return read;
      const unproven = await unprovenOf(read.order, sources);
      if (unproven.length === 0) return read;
      const next = withUnproven(read.order, unproven, sources);
      const write = await orders.write(read.order, next);
      if (write.kind === 'written') return { ...read, order: next };
      read = write;
    }
    throw new Error('others wrote first, again and again');
  }

  const unlessWritten = async (it: Written): Promise<Written> => (it.kind === 'written' ? it : judged(it));

  return {
    ...orders,
    read: async (key) => judged(await orders.read(key)),
    write: async (before, next) => unlessWritten(await orders.write(before, next)),
  };
}

/** The decisions that lack their proof. Rejects if that can't be checked now: then the order decides nothing. */
async function unprovenOf(order: Order, { store, macs }: ProofSources): Promise<readonly string[]> {
  const { decisions, unproven } = order.facts;
  const asked = Object.values(decisions).filter(({ id, kind }) => kind === 'not-paid' && !unproven.includes(id));
  if (asked.length === 0) return [];
  const found = await findSafeguards(order.merchant, { store, macs });
  // It is unknown what the merchant demands; its jobs wait for the same reason.
  if (found.kind !== 'hold') throw new Error('the safeguards of the merchant could not be read');
  if (!found.change.twoPersonRelease) return [];
  const proofs = await Promise.all(asked.map((it) => isApprovedBy(order.key, it, macs)));
  return asked.filter((_, at) => !proofs[at]).map(({ id }) => id);
}

function withUnproven(order: Order, unproven: readonly string[], sources: ProofSources): Order {
  const { clock, random, log, metrics } = sources;
  const { merchant, orderId } = order;
  log.write('error', 'decision-unproven', { merchant, orderId });
  metrics.publish({ values: { decisionsUnproven: unproven.length }, perCurrency: new Map() });
  const surprises = unproven.map((id) => wordOf(id));
  return recorded(order, { ...noFacts, unproven, surprises }, { nowMs: clock.nowMs(), endId: random.id() });
}

/** The record on the order, for people: only the id of a decision that was written by hand, cut to what an id may be. */
const wordOf = (id: Decision['id']): string => `not-paid-by-one ${id.replaceAll(/[^\w-]/g, '?').slice(0, 40)}`;
