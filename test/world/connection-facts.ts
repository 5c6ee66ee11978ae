// What lies between this worker and the gateway: connections, and who closes them when. Pages are those of the VPC guide
// (`VPC/`), of the gateway's documentation, and RFCs.
import type { Fact } from './fact.ts';

/** Connections. */
export const connectionFacts: readonly Fact[] = [
  {
    does: 'Takes seconds to connect: DNS, TCP, TLS, or a freeze between them.',
    breaks: 'The time that is left is judged before connecting; the bytes leave when the claim is over.',
    fault: 'a call takes long',
    tests: ['test/gateway/http-gateway.test.ts', 'test/journey/no-time-left.test.ts'],
    bug: 'the time is judged before connecting',
  },
  {
    does: 'Lets a handshake begin before anybody knows whether there will be a request: here beside the claim, to save its time.',
    breaks: 'The connection is there before the claim is ours, and the request goes out on it.',
    fault: 'a connection begun beside the claim hangs',
    tests: ['test/gateway/http-reuse.test.ts'],
    bug: 'the request leaves beside the claim, on the connection that is there already',
  },
  {
    does: 'Keeps a connection open for whoever has lost its claim meanwhile.',
    breaks: "It is put into a pool, and carries another's order: what had been said on it nobody can tell any more.",
    fault: 'a message is delivered twice',
    tests: ['test/gateway/http-reuse.test.ts'],
    bug: 'the connection of a lost claim is kept for the next order',
  },
  {
    does: 'Refuses a connection, or drops its first packet, while the claim is already written.',
    breaks: 'What never left is counted as sent: an order waits for a person for nothing.',
    source: 'RFC 9293 §3.5.2',
    fault: 'a connection begun beside the claim is refused',
    tests: ['test/journey/connection-refused.test.ts'],
    bug: 'a connection begun ahead that was refused is counted as a request without an answer',
  },
  {
    does: 'Closes a connection that says nothing, after seconds that the gateway does not tell.',
    breaks:
      'The request is written to a connection of which one could have known that it is closed: an order in doubt.',
    source: 'RFC 9112 §9.5',
    fault: 'a connection begun beside the claim is closed before its use',
    tests: ['test/gateway/http-reuse.test.ts'],
    bug: 'a connection begun ahead is used though the gateway has closed it',
  },
  {
    does: 'Closes it while the request is on its way, and nobody tells one from the other: the reset arrives later. A NAT drops what was idle for 350 s, and answers the next packet with RST.',
    breaks:
      '"It was an old connection, so nothing was sent": the request goes out once more, and the order is paid twice.',
    source: 'RFC 9112 §9.3.1, VPC/nat-gateway-troubleshooting',
    fault: 'a connection begun beside the claim is closed, and nobody sees it',
    tests: ['test/chaos/request-cuts.test.ts'],
    bug: 'a request that met a dead connection begun ahead is sent once more by a fresh one',
  },
  {
    does: 'Freezes a process between handshake and request: the connection seems to be new when it thaws.',
    breaks: 'The time was judged when the connection was begun; the POST leaves when the lease is over.',
    source: 'L/lambda-runtime-environment',
    fault: 'the process freezes',
    tests: ['test/gateway/http-gateway.test.ts'],
    bug: 'the time is judged when the connection is begun, not when the request leaves',
  },
  {
    does: 'Resets a connection that was kept from one inquiry to the next.',
    breaks: 'The question that nobody heard is taken for one that was answered: "no such order".',
    source: 'RFC 9112 §9.3.1',
    fault: 'inquiry: resets',
    tests: ['test/gateway/http-reuse.test.ts'],
    bug: 'an inquiry whose connection was reset is taken for a denial',
  },
  {
    does: 'Has 55,000 connections for each address and destination, and one outgoing address per zone.',
    breaks:
      'Fresh connections use up the ports of a busy day; the address of the second zone is not on the list of the gateway.',
    source: 'VPC/vpc-nat-gateway',
    tests: ['test/infra/stack.test.ts'],
  },
];
