// Personal data and free texts are taken out of an order, long after its end or on request. The facts that keep it from being paid twice
// stay: its name, fingerprint, amount, attempts, the gateway's ids, its end.
import { hash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { Decision, Facts, Reason } from '../order/facts.ts';
import { fold } from '../order/fold.ts';
import { resultDue, withRevision } from '../order/record.ts';
import type { Order } from '../order/order.ts';
import type { Orders, ReadOrder } from '../order/orders.ts';
import { viewOf } from '../order/projection.ts';
import type { AllOrders } from '../inquire/due-work.ts';
import type { Clock, Results } from '../ports.ts';
import { publish, sendResult } from '../publish.ts';
import { broughtForward } from '../wait/park.ts';
import { whereSet } from '../where-set.ts';
import type { ParkedJobs } from '../wait/parked-job.ts';

/** The outcome of erasing. */
export type Erased =
  | { readonly kind: 'erased'; readonly order: Order }
  /** The order's texts were taken out before, or it never had any. */
  | { readonly kind: 'bare' }
  | { readonly kind: 'not-found' }
  | { readonly kind: 'refused'; readonly why: string };

/** The ports of erasing. */
interface ErasePorts {
  readonly orders: Pick<Orders, 'read' | 'write' | 'markPublished'>;
  readonly results: Results;
  readonly clock: Pick<Clock, 'nowMs'>;
}

/** The text in place of an erased one. */
const erasedText = 'erased';

/**
 * Takes texts and context out of an order that has ended, and publishes its result without them; refuses while an earlier result of it
 * is unpublished.
 */
export async function eraseOrder(key: string, ports: ErasePorts): Promise<Erased> {
  return eraseAsRead(await ports.orders.read(key), ports);
}

async function eraseAsRead(read: ReadOrder, ports: ErasePorts): Promise<Erased> {
  if (read.kind === 'none') return { kind: 'not-found' };
  if (read.kind === 'unreadable') return { kind: 'refused', why: read.reason };
  const { order } = read;
  const why = whyNotEnded(order);
  if (why !== undefined) return { kind: 'refused', why };
  const bare = withoutTexts(order);
  if (isDeepStrictEqual(bare, order)) return { kind: 'bare' };
  // The result's text changes, so it gets a new revision: a revision has one content for ever.
  const next = withRevision({ ...bare, version: order.version + 1, updatedAtMs: ports.clock.nowMs() }, order);
  const written = await ports.orders.write(order, next);
  if (written.kind !== 'written') return { kind: 'refused', why: 'the order has changed meanwhile: look at it again' };
  const result = resultDue(next);
  if (result) await publish(result, next, (it) => sendResult(it, ports.results), ports);
  return { kind: 'erased', order: next };
}

/** The ports of erasing all that ended before a day. */
interface EraseEndedPorts extends ErasePorts {
  readonly allOrders: AllOrders;
  readonly waiting: { readonly jobs: Pick<ParkedJobs, 'ofOrder' | 'move' | 'all'> };
}

/** The number of orders read, and the outcomes. */
export interface ErasedCounts {
  readonly read: number;
  readonly erased: number;
  readonly refused: number;
}

/**
 * Takes texts and context out of all orders that ended before then; each is read again, strongly. An order that newer code wrote is left
 * alone.
 */
export async function eraseEnded(
  beforeMs: number,
  ports: EraseEndedPorts,
  onRead: (counts: ErasedCounts) => void = () => {},
): Promise<ErasedCounts> {
  const counts = { read: 0, erased: 0, refused: 0 };
  const waits = new Set<string>();
  for await (const { key } of ports.waiting.jobs.all()) waits.add(key);
  for await (const some of ports.allOrders.scan())
    for (const read of some) {
      counts.read += 1;
      onRead(counts);
      if (read.kind !== 'found') {
        counts.refused += 1;
        continue;
      }
      const { key } = read.order;
      if ((endedAtMs(read.order) ?? Infinity) >= beforeMs) continue;
      const again = await ports.orders.read(key);
      // The order may have been opened again since the table was read.
      if (again.kind === 'found' && (endedAtMs(again.order) ?? 0) >= beforeMs) continue;
      const erased = await eraseAsRead(again, ports);
      if (erased.kind === 'erased') counts.erased += 1;
      if (erased.kind === 'refused') counts.refused += 1;
      // A parked message of the order is brought forward: the order's end ends it, and its body goes.
      else if (waits.has(key)) await broughtForward(key, ports);
    }
  return counts;
}

/** When an order ended (epoch ms); undefined if it has not. */
function endedAtMs(order: Order): number | undefined {
  const status = fold(order.facts);
  if (!viewOf(order).final) return undefined;
  return 'end' in status && status.end ? status.end.atMs : order.published.atMs;
}

function whyNotEnded(order: Order): string | undefined {
  if (endedAtMs(order) === undefined)
    return `the order is ${viewOf(order).standing}: its texts are needed until it has ended`;
  return order.unpublished ? 'its result is not published yet: try again in a minute' : undefined;
}

/** The order without its texts and without its sender's context. */
function withoutTexts(order: Order): Order {
  const { attempts, decisions, ends } = order.facts;
  const facts: Facts = {
    ...order.facts,
    attempts: mapped(attempts, (attempt) => {
      const { answer, lapsed, declined, unclear } = attempt;
      return whereSet({
        ...attempt,
        answer: answer?.kind === 'refused' ? withoutMessage(answer) : answer,
        lapsed: lapsed && withoutMessage(lapsed),
        declined: declined && withoutMessage(declined),
        unclear: unclear && withoutMessage(unclear),
      });
    }),
    decisions: mapped(decisions, withoutPersons),
    ends: mapped(ends, withoutMessage),
  };
  if (!order.content) return { ...order, facts };
  const { context: _, digest: _digest, payee: _payee, ...content } = order.content;
  return { ...order, content, facts };
}

/** The approver's name goes too: the approval can still be proven, and by digests alone. */
function withoutPersons(decision: Decision): Decision {
  const { approval } = decision;
  const nameless = approval && {
    ...approval,
    decider: namelessOf(approval.decider),
    approver: namelessOf(approval.approver),
  };
  return whereSet({ ...decision, by: erasedText, reason: erasedText, approval: nameless });
}

const digestMark = 'sha256:';

/** A person's digest in the place of a name; a digest stays the same. */
export const namelessOf = (person: string): string =>
  person.startsWith(digestMark) ? person : `${digestMark}${hash('sha256', person, 'base64url')}`;

/** True if the persons of this decision are all digests, because its texts were taken out. */
export const isNameless = ({ by, approval }: Decision): boolean =>
  by === erasedText &&
  [approval?.decider, approval?.approver].every((it) => it === undefined || it.startsWith(digestMark));

const withoutMessage = <T extends Reason>(it: T): T => (it.message === '' ? it : { ...it, message: erasedText });

const mapped = <T>(all: Readonly<Record<string, T>>, change: (it: T) => T): Readonly<Record<string, T>> =>
  Object.fromEntries(Object.entries(all).map(([key, it]) => [key, change(it)]));
