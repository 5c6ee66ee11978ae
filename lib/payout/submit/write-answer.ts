// An attempt's own answer is written into the order's item, until the reserve of time is spent. An answer that can't be written
// in that time goes to the worker's own queue; its delivery returns to SQS either way.
import type { Credentials } from '../../gateway/ports.ts';
import type { EndDue } from '../order/ends.ts';
import { type Attempt, attemptsOf, noFacts } from '../order/facts.ts';
import { recorded } from '../order/record.ts';
import { factsOfAnswer } from '../order/reports.ts';
import type { Contract } from '../order/time.ts';
import { orderToWrite } from '../order/lost.ts';
import { join } from '../order/join.ts';
import type { Content, Order } from '../order/order.ts';
import type { Orders } from '../order/orders.ts';
import type { Clock, Random } from '../ports.ts';

/** An answer, and its order. */
export interface AttemptAnswer {
  readonly key: string;
  /** The whole record of the attempt: the item may have lost it with its table. */
  readonly attempt: Attempt;
  /** The content of the order, should the item be lost whole. */
  readonly content?: Content;
  readonly verdict?: EndDue;
}

/** The outcome of writing an answer. */
type WrittenAnswer =
  | { readonly kind: 'written'; readonly order: Order }
  /** Written by newer code; left alone. */
  | { readonly kind: 'unreadable'; readonly reason: string }
  /** The store did not answer in time. */
  | { readonly kind: 'unwritten' };

/** The ports of writing an answer. */
export interface AnswerPorts {
  readonly credentials: Pick<Credentials, 'of'>;
  readonly orders: Orders;
  readonly clock: Clock;
  readonly random: Random;
}

/** Adds the answer's facts to whatever the order is by now; `known` is how the sender knows it. */
export async function writeAnswer(
  answer: AttemptAnswer,
  known: Order | undefined,
  it: { readonly contract?: Contract; readonly giveUpAtMs: number },
  ports: AnswerPorts,
): Promise<WrittenAnswer> {
  const { orders, clock, random } = ports;
  const { key, attempt, verdict, content } = answer;
  const { contract } = it;
  let before = known;
  for (let delayMs = 50; ; delayMs *= 2) {
    try {
      const read = before ? ({ kind: 'found', order: before } as const) : await orders.read(key);
      if (read.kind === 'unreadable') return read;
      const nowMs = clock.nowMs();
      const { order: held, lost } = await orderToWrite(read, key, { nowMs, content }, ports);
      const order = withContent(held, content);
      // The verdict is about the message that has sent the attempt: it ends nothing that another message has sent since, or may have sent
      // if a restore has lost this attempt.
      const isLast = attemptsOf(order.facts).at(-1)?.id === attempt.id;
      const ending = { endId: random.id(), contract, verdict: isLast ? verdict : undefined };
      const own = factsOfAnswer(order.facts, attempt);
      // The claim of this attempt was lost with its table: others may be, too.
      const facts = lost && own !== noFacts ? join(own, lost) : own;
      const next = recorded(order, facts, { nowMs, ...ending });
      if (next === order) return { kind: 'written', order };
      const write = await orders.write(held, next);
      if (write.kind === 'written') return { kind: 'written', order: next };
      if (write.kind === 'unreadable') return write;
      // Another writer was faster, or our own write's answer was lost: the stored order is folded anew.
      before = write.kind === 'found' ? write.order : undefined;
    } catch {
      before = undefined;
      if (clock.nowMs() + delayMs >= it.giveUpAtMs) return { kind: 'unwritten' };
      await clock.sleep(delayMs);
    }
  }
}

/** An order that callbacks alone have begun gets its content with its first answer. */
const withContent = (order: Order, content: Content | undefined): Order =>
  order.content || !content ? order : { ...order, content };
