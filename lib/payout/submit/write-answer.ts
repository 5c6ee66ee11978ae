// Writes an attempt's own answer into the order's item, until the reserved time is spent. An answer that can't be written in that time goes
// over the worker's own queue, and its job is parked.
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
  /** The content of the order, in case its whole item is lost. */
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

/** Adds the answer's facts to the order as it is by now. `known`: the order as its sender last saw it, which saves a read. */
export async function writeAnswer(
  answer: AttemptAnswer,
  known: Order | undefined,
  { contract, giveUpAtMs }: { readonly contract?: Contract; readonly giveUpAtMs: number },
  ports: AnswerPorts,
): Promise<WrittenAnswer> {
  const { orders, clock, random } = ports;
  const { key, attempt, verdict, content } = answer;
  let before = known;
  for (let delayMs = 50; ; delayMs *= 2) {
    try {
      const read = before ? ({ kind: 'found', order: before } as const) : await orders.read(key);
      if (read.kind === 'unreadable') return read;
      const nowMs = clock.nowMs();
      const { order: held, lost } = await orderToWrite(read, key, { nowMs, content }, ports);
      const order = withContent(held, content);
      // The verdict is about the message that has sent the attempt. It ends nothing that another message has sent since, or may have sent
      // if a restore has lost this attempt.
      const isLast = attemptsOf(order.facts).at(-1)?.id === attempt.id;
      const ending = { endId: random.id(), contract, verdict: isLast ? verdict : undefined };
      const own = factsOfAnswer(order.facts, attempt);
      // The claim of this attempt was lost with its table: other claims may be lost too.
      const facts = lost && own !== noFacts ? join(own, lost) : own;
      const next = recorded(order, facts, { nowMs, ...ending });
      if (next === order) return { kind: 'written', order };
      const write = await orders.write(held, next);
      if (write.kind === 'written') return { kind: 'written', order: next };
      if (write.kind === 'unreadable') return write;
      // Another writer was faster, or the answer of our own write was lost: the stored order is judged anew.
      before = write.kind === 'found' ? write.order : undefined;
    } catch {
      before = undefined;
      if (clock.nowMs() + delayMs >= giveUpAtMs) return { kind: 'unwritten' };
      await clock.sleep(delayMs);
    }
  }
}

/** An order that callbacks alone have begun gets its content with its first answer. */
const withContent = (order: Order, content: Content | undefined): Order =>
  order.content || !content ? order : { ...order, content };
