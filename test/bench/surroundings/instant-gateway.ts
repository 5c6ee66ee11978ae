// A gateway that takes every payout after a set time. It checks nothing: the simulator's verification of each signature
// would be measured otherwise.
import { createServer } from 'node:http';

/** Starts the gateway; each answer comes after what `latencyMs` says at that moment. Returns its address. */
export async function startInstantGateway(latencyMs: () => number): Promise<string> {
  let orders = 9_000_000;
  const server = createServer((request, response) => {
    request.resume().once('end', () => {
      orders += 1;
      const body = `{"type":"async-response","paynet-order-id":${orders},"payout-id":"${orders}"}`;
      const answer = () => response.setHeader('content-type', 'application/json').end(body);
      const wait = latencyMs();
      if (wait > 0) setTimeout(answer, wait);
      else answer();
    });
  });
  server.keepAliveTimeout = 60_000;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  return `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
}
