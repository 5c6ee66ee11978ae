// A gateway that takes every payout after a set time. It checks nothing: the simulator's verification of each signature
// would be measured otherwise.
import { listen, type Manner } from './listen.ts';

let orders = 9_000_000;

/** Its answer to one payout: a new order. */
export function gatewayAnswer(): string {
  orders += 1;
  return `{"type":"async-response","paynet-order-id":${orders},"payout-id":"${orders}"}`;
}

/** Starts the gateway; each answer comes after what `latencyMs` says at that moment. Returns its address. */
export function startInstantGateway(latencyMs: () => number, manner: Manner): Promise<string> {
  return listen((request, response) => {
    request.resume().once('end', () => {
      const body = gatewayAnswer();
      const answer = () => response.setHeader('content-type', 'application/json').end(body);
      const wait = latencyMs();
      if (wait > 0) setTimeout(answer, wait);
      else answer();
    });
  }, manner);
}
