// Writes into a restored table what it may have lost, while everything is paused: a `lost` attempt into each order that may have been sent
// since the restored moment, and numbers above all that were published. Orders are written one by one, each once. A run that was killed is
// repeated; a run that finds nothing to do shows that nothing is left.
import * as v from 'valibot';
import type { Credentials, CredentialsFailure } from '../gateway/ports.ts';
import { operations } from '../gateway/operations.ts';
import { attemptsOf } from '../payout/order/facts.ts';
import { fold, maySend } from '../payout/order/fold.ts';
import { lostFacts, lostId } from '../payout/order/lost.ts';
import { mayBeLost, numberAfter, type Restored } from '../payout/order/restored.ts';
import { namesOfKey, newOrder, nextVersionOf, type Order, orderKey } from '../payout/order/order.ts';
import type { Orders } from '../payout/order/orders.ts';
import { recorded } from '../payout/order/record.ts';
import { contractOf } from '../payout/order/time.ts';
import { couldBear } from '../payout/message/job.ts';
import { readJob } from '../payout/message/read-job.ts';
import type { AllOrders } from '../payout/inquire/due-work.ts';
import type { ParkedJobs } from '../payout/wait/parked-job.ts';
import type { Clock, Random } from '../payout/ports.ts';

/** The ports: the restored table itself, which is no ledger yet. */
interface LostPorts {
  readonly orders: Orders;
  readonly allOrders: AllOrders;
  readonly credentials: Pick<Credentials, 'of'>;
  readonly clock: Pick<Clock, 'nowMs'>;
  readonly random: Random;
}

/** An order that something beside the table names, and its endpoint, if that is known too. */
export interface NamedOrder {
  readonly key: string;
  readonly endpointId?: string;
}

/** How many orders were read, and how they were written. */
interface LostCounts {
  readonly read: number;
  /** In doubt, because they were open. */
  readonly open: number;
  /** In doubt, because a job may have named their end and sent them again. */
  readonly ended: number;
  /** Given higher numbers only. */
  readonly raised: number;
  /** Written by newer code, so left alone. */
  readonly unreadable: number;
}

const ordersAtOnce = 25;

/** Puts in doubt every order of the table that may have been sent. `isDry`: only counts them. */
export async function doubtHeld(
  restored: Restored,
  ports: LostPorts,
  { isDry = false, onRead = () => {} }: { readonly isDry?: boolean; readonly onRead?: (read: number) => void } = {},
): Promise<LostCounts> {
  const counts = { read: 0, open: 0, ended: 0, raised: 0, unreadable: 0 };
  for await (const page of ports.allOrders.scan()) {
    const orders = page.flatMap((it) => (it.kind === 'found' ? [it.order] : []));
    counts.unreadable += page.length - orders.length;
    counts.read += page.length;
    onRead(counts.read);
    for (let from = 0; from < orders.length; from += ordersAtOnce) {
      const some = orders.slice(from, from + ordersAtOnce);
      for (const done of await Promise.all(some.map((it) => doubt(it, restored, ports, isDry))))
        if (done !== 'nothing') counts[done] += 1;
    }
  }
  return counts;
}

type Written = 'open' | 'ended' | 'raised' | 'nothing';

async function doubt(order: Order, restored: Restored, ports: LostPorts, isDry: boolean): Promise<Written> {
  const doubtful = order.facts.attempts[lostId(restored)] ? undefined : whyDoubtful(order);
  const revision = Math.max(order.published.revision, numberAfter(restored));
  if (!doubtful && revision === order.published.revision) return 'nothing';
  if (isDry) return doubtful ?? 'raised';
  const above: Order = { ...order, published: { ...order.published, revision } };
  const next = doubtful ? await withDoubt(above, restored, ports) : { ...above, version: nextVersionOf(above) };
  const write = await ports.orders.write(order, next);
  if (write.kind === 'written') return doubtful ?? 'raised';
  // The answer to our own write was lost, or another run was first.
  return write.kind === 'found' ? doubt(write.order, restored, ports, isDry) : 'nothing';
}

/** Why it may have been sent since the restored moment; undefined if nothing opens it any more, or it moves no money. */
function whyDoubtful({ facts, content }: Order): 'open' | 'ended' | undefined {
  if (content && !operations[content.operation].movesMoney) return undefined;
  const status = fold(facts);
  if (status.kind === 'approved') return undefined;
  if (status.kind !== 'over') return 'open';
  // An end that was not written yet may have been published, and named, since.
  const opens = status.end ? maySend(facts, { resends: status.end.id }) : status.reason !== 'cancelled';
  return opens ? 'ended' : undefined;
}

async function withDoubt(order: Order, restored: Restored, ports: LostPorts, endpointId?: string): Promise<Order> {
  const { credentials, clock, random } = ports;
  const secret = await credentials.of(order.merchant);
  // Without its accounts the order could never be asked about.
  if (secret.kind === 'unavailable' && mayBeThere(secret.failure, order))
    throw new Error(`${order.merchant}: ${secret.failure.message}`);
  const contract = secret.kind === 'credentials' ? contractOf(secret.credentials.profile) : undefined;
  const recording = { nowMs: clock.nowMs(), endId: random.id(), contract };
  return recorded(order, await lostFacts(order, restored, credentials, endpointId), recording);
}

/** True if an answer, or an approver, may yet bring the accounts. No job of a login that was never registered was sent. */
const mayBeThere = ({ code }: CredentialsFailure, { facts }: Order): boolean =>
  code === 'CREDENTIALS_UNAVAILABLE' || (code === 'ACCOUNT_UNKNOWN' && attemptsOf(facts).length > 0);

/** Makes an order that the table does not know; true if it was made. */
export async function doubtNamed(
  { key, endpointId }: NamedOrder,
  restored: Restored,
  ports: LostPorts,
): Promise<boolean> {
  const { orders, clock } = ports;
  if (!couldBear(namesOfKey(key)) || (await orders.read(key)).kind !== 'none') return false;
  const empty = newOrder(key, clock.nowMs(), undefined, restored);
  const next = await withDoubt(empty, restored, ports, endpointId);
  return (await orders.write(empty, next)).kind === 'written';
}

// What names orders: results and lines of the log, what waits, and dead letters.

const resultLine = v.pipe(
  v.string(),
  v.parseJson(),
  v.object({ resultId: v.string(), endpointId: v.exactOptional(v.string()) }),
);

/** The order of a published result, or of a line of the worker's log that names one. */
export function namedByResult(line: string): NamedOrder | undefined {
  const read = v.safeParse(resultLine, line);
  const [, key] = (read.success && /^([^/]+\/.+)\/[1-9]\d*$/.exec(read.output.resultId)) || [];
  if (!read.success || key === undefined) return undefined;
  const { endpointId } = read.output;
  return { key, endpointId };
}

/** The orders of parked jobs that were first sent before the pause. */
export async function* namedByParked(restored: Restored, jobs: Pick<ParkedJobs, 'all'>): AsyncGenerator<NamedOrder> {
  // The index has no first sending time of redriven jobs: they are judged by it when they run.
  for await (const { key, lane, sinceMs } of jobs.all())
    if (lane && mayBeLost(restored, sinceMs)) yield { key, endpointId: lane.endpointId };
}

/** The order of a job that was first sent before the pause. */
export function namedByJob(restored: Restored, body: string, sentMs: number): NamedOrder | undefined {
  const read = readJob(body);
  if (read.kind === 'refused' || !mayBeLost(restored, sentMs)) return undefined;
  return { key: orderKey(read.job), endpointId: read.job.endpointId };
}
