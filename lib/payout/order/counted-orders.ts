// Orders whose every written move is counted: the state that an order came into, and the gateway's surprises.
import type { MetricsRecorder } from '../metrics-recorder.ts';
import type { Order } from './order.ts';
import type { Orders } from './orders.ts';
import { viewOf } from './view.ts';

/** Orders that count each move that was written. A move whose answer was lost and that was found written later is not counted. */
export function countedOrders(orders: Orders, recorder: MetricsRecorder): Orders {
  function count(before: Order | undefined, after: Order): void {
    const [was, is] = [before && viewOf(before), viewOf(after)];
    if (is.gatewayAmount !== undefined && is.gatewayAmount !== was?.gatewayAmount) recorder.add('amountsChanged');
    if (is.reversal && is.reversal.status !== was?.reversal?.status) recorder.add('reversals');
    if (is.state !== was?.state) recorder.moved(is);
  }
  return {
    ...orders,
    async put(order) {
      const written = await orders.put(order);
      if (written.kind === 'written') count(undefined, order);
      return written;
    },
    async write(before, next) {
      const written = await orders.write(before, next);
      if (written.kind === 'written') count(before.version === 0 ? undefined : before, next);
      return written;
    },
  };
}
