// THE INQUIRY THAT FREES A REFUSED ORDER, made by the delivery that will send the order. A refusal over a connection proves nothing
// before the gateway was asked: the inquiry has a turn of its own, and the order takes its turn afterwards.
import type { MerchantAccess } from '../../gateway/ports.ts';
import type { Turn } from '../pace/lane-state.ts';
import type { Pacing } from '../pace/pacing.ts';
import { attemptsOf } from '../order/facts.ts';
import { awaitsInquiry } from '../order/living.ts';
import { contractOf } from '../order/time.ts';
import type { Order } from '../order/order.ts';
import type { Orders } from '../order/orders.ts';
import { askedOrder, type AskPorts } from './ask-gateway.ts';

/** The ports of this inquiry. */
export interface AskBeforePorts extends AskPorts {
  readonly orders: Orders;
  readonly pacing: Pick<Pacing, 'sends'>;
}

/** The question begins within this time, or the order could not be sent after its answer. */
const beginsWithinMs = 15_000;

/** Asks about the refusal in this turn, and writes what the answer proves. Rejects if it can't be written. */
export async function askBeforeSending(
  order: Order,
  credentials: MerchantAccess,
  turn: Turn,
  ports: AskBeforePorts,
): Promise<void> {
  const { content, key, merchant } = order;
  const attempt = attemptsOf(order.facts).find(awaitsInquiry);
  const [account] = attempt?.accounts ?? [];
  if (!content || !attempt || account === undefined) return;
  const lane = { merchant, endpointId: content.endpointId };
  const asking = {
    contract: contractOf(credentials.profile),
    notAfterMs: ports.clock.nowMs() + beginsWithinMs,
    sends: () => ports.pacing.sends(lane, turn, key, { isInquiry: true }),
  };
  const { order: next } = await askedOrder({ order, content, attempt, account }, credentials, asking, ports);
  if (next !== order) await ports.orders.write(order, next);
}
