// Planted bugs of connections: the one that is begun beside the claim, and those that inquiries keep. The connection of each request,
// and its time, decide whether "nothing was sent" is true.
import type { Wire } from '../../lib/gateway/ports.ts';
import { type PlantedBug, step } from './planted-steps.ts';

type Transport = typeof import('../../lib/gateway/http-gateway.ts');
type Gateway = ReturnType<Transport['createGatewayOver']>;
type Over = <Socket>(wire: Wire<Socket>, nowMs: () => number) => Gateway;
type Inquiry = typeof import('../../lib/gateway/inquiry.ts');

const transportStep = (change: <Socket>(honest: Over, wire: Wire<Socket>, nowMs: () => number) => Gateway) => [
  step('../../lib/gateway/http-gateway.ts', ({ createGatewayOver }: Transport) => ({
    createGatewayOver: <Socket>(wire: Wire<Socket>, nowMs: () => number) =>
      // A simulated process has one clock, which nobody sets.
      change((over, now) => createGatewayOver(over, now, now), wire, nowMs),
  })),
];

/** An unused connection is kept, and handed to the next request. */
function pooled<Socket>(wire: Wire<Socket>): Wire<Socket> {
  const kept: Socket[] = [];
  const spent = new Set<Socket>();
  return {
    ...wire,
    async connect(url, route) {
      const socket = kept.pop();
      return socket === undefined ? wire.connect(url, route) : { kind: 'connected', socket };
    },
    exchange(socket, url, request) {
      spent.add(socket);
      return wire.exchange(socket, url, request);
    },
    async close(socket) {
      if (spent.has(socket)) await wire.close(socket);
      else kept.push(socket);
    },
  };
}

/** The bugs of connections. */
export const connectionBugs: readonly PlantedBug[] = [
  {
    name: 'the request leaves beside the claim, on the connection that is there already',
    foundBy: 'seeds',
    breaks: /without a claim|somebody else's claim|may have moved money|after its lease/,
    sabotage: {
      ports: (ports) => ({
        ...ports,
        orders: {
          ...ports.orders,
          async put(order) {
            void ports.orders.put(order).catch(() => {});
            return { kind: 'written' };
          },
        },
      }),
    },
  },
  {
    name: 'the connection of a lost claim is kept for the next order',
    foundBy: 'seeds',
    breaks: /begun for another's claim/,
    steps: transportStep((honest, wire, nowMs) => honest(pooled(wire), nowMs)),
  },
  {
    name: 'a connection begun ahead that was refused is counted as a request without an answer',
    foundBy: 'seeds',
    breaks: /though no POST left under its claim/,
    steps: transportStep((honest, wire, nowMs) => {
      const gateway = honest(wire, nowMs);
      return {
        ...gateway,
        async post(request) {
          const evidence = await gateway.post(request);
          const isRefused = evidence.kind === 'not-sent' && evidence.reason.startsWith('no connection');
          return request.ahead && isRefused ? { kind: 'no-answer', reason: evidence.reason } : evidence;
        },
      };
    }),
  },
  {
    name: 'a request that met a dead connection begun ahead is sent once more by a fresh one',
    foundBy: 'seeds',
    breaks: /may have moved money/,
    steps: transportStep((honest, wire, nowMs) => {
      const gateway = honest(wire, nowMs);
      return {
        ...gateway,
        async post(request) {
          const evidence = await gateway.post(request);
          const isReset = evidence.kind === 'no-answer' && evidence.reason.includes('ECONNRESET');
          const { ahead, ...afresh } = request;
          return ahead && isReset ? gateway.post(afresh) : evidence;
        },
      };
    }),
  },
  {
    name: 'a connection begun ahead is used though the gateway has closed it',
    foundBy: 'seeds',
    breaks: /seen to have closed/,
    steps: transportStep((honest, wire, nowMs) => honest({ ...wire, isQuiet: () => true }, nowMs)),
  },
  {
    name: 'the time is judged when the connection is begun, not when the request leaves',
    foundBy: 'seeds',
    breaks: /after its (lease was over|slot was given)/,
    steps: transportStep((honest, wire, nowMs) => {
      let judgedMs = nowMs();
      const gateway = honest(wire, () => judgedMs);
      return {
        ...gateway,
        connectAhead(address, route) {
          judgedMs = nowMs();
          return gateway.connectAhead?.(address, route) ?? { close: async () => {} };
        },
      };
    }),
  },
  {
    name: 'an inquiry whose connection was reset is taken for a denial',
    foundBy: 'paths',
    breaks: /counts as unknown/,
    steps: [
      step('../../lib/gateway/inquiry.ts', ({ judgeInquiry }: Inquiry) => ({
        judgeInquiry: (...[evidence, entry, profile]: Parameters<typeof judgeInquiry>) =>
          judgeInquiry(
            evidence.kind === 'no-answer' && evidence.reason.includes('ECONNRESET')
              ? { kind: 'answer', httpStatus: 400, body: noSuchOrder, framing: 'delimited' }
              : evidence,
            entry,
            profile,
          ),
      })),
    ],
  },
];

const noSuchOrder = JSON.stringify({ type: 'error', 'error-code': '101', 'error-message': 'No such order' });
