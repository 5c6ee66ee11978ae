// THE ORDERS THAT ARE DUE, for the leader: read from the index of open work alone, so that losing every message of the inquire queue at
// once only delays. An order is due for a question, which needs a turn of its lane, or for something else: a result to publish, a claim
// whose worker died.
import { attemptsToAsk } from '../order/time.ts';
import { leftToAsk, openWorkOf, type OpenWorkKind } from '../order/open-work.ts';
import { resultDue } from '../order/record.ts';
import type { Clock } from '../ports.ts';
import type { DueQuestion, Questions } from '../wait/release.ts';
import type { DueWork } from './due-work.ts';
import type { OwnQueue } from './own-queue.ts';

/** The kinds of open work that the leader moves on: all but `held`. */
const kinds = ['unpublished', 'submitting', 'in-doubt', 'accepted', 'overdue'] as const satisfies OpenWorkKind[];
/**
 * Orders of a kind that are read at once. If more are due, in lanes that take nothing, the next read goes on behind them, so that they hide
 * no others.
 */
const readAtMost = 1_000;

/** The questions of one leader over the index and the inquire queue. */
export function createDueQuestions(ports: {
  readonly dueWork: Pick<DueWork, 'dueWork' | 'move'>;
  readonly ownQueue: OwnQueue;
  readonly clock: Pick<Clock, 'nowMs'>;
}): Questions {
  const { dueWork, ownQueue, clock } = ports;
  const since = new Map<OpenWorkKind, number>();

  async function dueOf(kind: OpenWorkKind): Promise<readonly DueQuestion[]> {
    const sinceMs = since.get(kind);
    const found: DueQuestion[] = [];
    since.delete(kind);
    for await (const order of dueWork.dueWork(kind, clock.nowMs(), { sinceMs })) {
      const dueAtMs = openWorkOf(order)?.atMs ?? 0;
      const { key, merchant, content } = order;
      // A mark may outlive its result: an order that was sent again has none to publish first.
      const isAsked = leftToAsk(order) ?? (resultDue(order) ? undefined : attemptsToAsk(order.facts)[0]);
      const lane = isAsked && content ? { merchant, endpointId: content.endpointId } : undefined;
      found.push({ key, dueAtMs, lane });
      if (found.length < readAtMost) continue;
      since.set(kind, dueAtMs);
      break;
    }
    return found;
  }

  return {
    async due() {
      const found = await Promise.allSettled(kinds.map(dueOf));
      return found.flatMap((it) => (it.status === 'fulfilled' ? it.value : []));
    },
    move: ({ key, dueAtMs }, leaseMs) => dueWork.move(key, dueAtMs, leaseMs),
    send: (released) =>
      ownQueue.send(
        released.map(({ question: { key }, leaseMs, turn, delaySeconds }) => ({
          message: { kind: 'check', key, leaseMs, turn },
          delaySeconds,
        })),
      ),
  };
}
