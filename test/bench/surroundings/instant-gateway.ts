// A gateway that takes every payout after a set time. It checks nothing: the simulator's verification of each signature
// would be measured otherwise.
import { listen, type Manner } from './listen.ts';

/** Starts the gateway; each answer comes after what `latencyMs` says at that moment. Returns its address. */
export function startInstantGateway(latencyMs: () => number, manner: Manner): Promise<string> {
  let orders = 9_000_000;
  return listen((request, response) => {
    request.resume().once('end', () => {
      orders += 1;
      const body = `{"type":"async-response","paynet-order-id":${orders},"payout-id":"${orders}"}`;
      const answer = () => response.setHeader('content-type', 'application/json').end(body);
      const wait = latencyMs();
      if (wait > 0) setTimeout(answer, wait);
      else answer();
    });
  }, manner);
}
