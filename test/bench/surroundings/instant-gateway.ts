// A gateway that takes every payout at once. It checks nothing: the simulator's verification of each signature
// would be measured otherwise.
import { listen, type Manner } from './listen.ts';

let orders = 9_000_000;

/** Its answer to one payout: a new order. */
export function gatewayAnswer(): string {
  orders += 1;
  return `{"type":"async-response","paynet-order-id":${orders},"payout-id":"${orders}"}`;
}

/** Starts the gateway; returns its address. */
export function startInstantGateway(manner: Manner): Promise<string> {
  return listen((request, response) => {
    request.resume().once('end', () => response.setHeader('content-type', 'application/json').end(gatewayAnswer()));
  }, manner);
}
