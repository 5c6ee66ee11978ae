// The simulated gateway: everything that is known of the real one (test/world/facts.txt), on a loopback port.
// Written without the worker's own code, so that the two can only agree by both being right.
import { setMaxListeners } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { json } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { registerMerchants, type SimulatorMerchant } from './authentication.ts';
import { deliver } from './delivery.ts';
import { answerExchange, type Refusal, type SeenRequest, type SimulatedGateway } from './exchange.ts';
import { listen } from './listener.ts';
import { type BookedOrder, createOrderBook, statusAt } from './order-book.ts';
import { createReplayGuard } from './replay-guard.ts';
import { basePath, type Route } from './route.ts';
import type { SimulatedOperation, OrderStatus } from './scenario.ts';
import { settingsOf, type SimulatorOptions, type SimulatorSettings } from './simulator-options.ts';

/** An order as the simulator's owner sees it. */
type SimulatedOrder = Omit<BookedOrder, 'life'> & { readonly status: OrderStatus };

/** A running simulator. */
export type GatewaySimulator = Awaited<ReturnType<typeof startGatewaySimulator>>;

const refusalsKept = 10_000;
const seenKept = 20;

/** Everything that a simulator remembers. */
interface Memory {
  readonly refusals: Refusal[];
  readonly seen: (SeenRequest & { readonly id: number })[];
  readonly requests: Record<SimulatedOperation, number>;
  readonly sends: Map<string, number>;
  serialNumbers: number;
}

/** Starts a simulated gateway. Throws when a merchant's public key cannot be used. */
export async function startGatewaySimulator(options: SimulatorOptions) {
  const settings = settingsOf(options);
  const closing = new AbortController();
  setMaxListeners(0, closing.signal);
  const memory = emptyMemory();
  const merchants = new Map(registerMerchants(settings.merchants));
  const gateway = createGateway(settings, merchants, memory, closing.signal);
  const listener = await listen((...exchange) => void serve(...exchange));

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      if (settings.desk && request.url === '/simulator') await atDesk(settings.desk, request, response);
      else deliver(await answerExchange(gateway, request), response);
    } catch {
      // Closing ends waits by throwing, and a client may leave mid-body; anything else is a broken scenario function.
      response.destroy();
    }
  }

  const url = `http://127.0.0.1:${listener.port}`;
  return {
    /** The interface document's {base_url}: scheme, host and port, without the base path. */
    url,
    /** {base_url}, base path and /api: version, operation and endpoint id follow. */
    apiUrl: `${url}${basePath}/api`,
    ...viewOf(gateway, memory),
    /** Sets a merchant up anew, as the support manager does when it gets a new key: from now on, no other one counts. */
    enrol: (merchant: SimulatorMerchant) => registerMerchants([merchant]).forEach((it) => merchants.set(it.login, it)),
    /** Behaves so from the next request on. */
    change: (changed: Required<Pick<SimulatorOptions, 'duplicateOrderIds' | 'statusVisibilityDelayMs'>>) =>
      void Object.assign(settings, changed),
    /** Stops listening, so that connections are refused: a fault that cannot be chosen per order. */
    pause: listener.pause,
    /** Listens again on the same port, with all orders kept. */
    resume: listener.resume,
    /** Ends every wait, cuts every connection and stops. Orders can still be read. */
    async close(): Promise<void> {
      closing.abort();
      await listener.close();
    },
  };
}

/** A form of another site can't send JSON without being asked about it first; the listener refuses its origin anyway. */
async function atDesk(
  desk: (body: unknown) => object,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const isAct = request.method === 'POST' && request.headers['content-type'] === 'application/json';
  try {
    response.end(JSON.stringify(desk(isAct ? await json(request) : undefined)));
  } catch {
    response.writeHead(400).end();
  }
}

function emptyMemory(): Memory {
  const requests = {
    transfer: 0,
    'transfer-by-ref': 0,
    payout: 0,
    'pan-eligibility': 0,
    status: 0,
    'pan-eligibility-status': 0,
  };
  return { refusals: [], seen: [], requests, sends: new Map(), serialNumbers: 0 };
}

function createGateway(
  settings: SimulatorSettings,
  merchants: SimulatedGateway['merchants'],
  memory: Memory,
  closing: AbortSignal,
): SimulatedGateway {
  const { nowMs, timestampWindowSeconds: windowSeconds } = settings;
  return {
    settings,
    merchants,
    wait: (durationMs) => delay(durationMs, undefined, { signal: closing }),
    book: createOrderBook(nowMs),
    replayGuard: createReplayGuard({ windowSeconds, nowMs }),
    ...recordersOf(memory),
  };
}

function recordersOf(memory: Memory) {
  return {
    nextSerialNumber(): string {
      memory.serialNumbers += 1;
      return `00000000-0000-0000-0000-${memory.serialNumbers.toString(16).padStart(12, '0')}`;
    },
    nextSendNumber(login: string, { kind, operation }: Route, orderId: string): number {
      const isCheck = operation === 'pan-eligibility' || operation === 'pan-eligibility-status';
      const key = JSON.stringify([login, kind, isCheck, orderId]);
      const sendNumber = (memory.sends.get(key) ?? 0) + 1;
      memory.sends.set(key, sendNumber);
      return sendNumber;
    },
    onRouted(operation: SimulatedOperation): void {
      memory.requests[operation] += 1;
    },
    onRefused(refusal: Refusal): void {
      memory.refusals.push(refusal);
      if (memory.refusals.length > refusalsKept) memory.refusals.shift();
    },
    onSeen(request: SeenRequest): void {
      memory.seen.unshift({ ...request, id: (memory.seen[0]?.id ?? 0) + 1 });
      memory.seen.length = Math.min(memory.seen.length, seenKept);
    },
  };
}

function viewOf(gateway: SimulatedGateway, memory: Memory) {
  const { book, settings } = gateway;
  return {
    /** Every committed order, oldest first, with its status at this moment. */
    orders: (): readonly SimulatedOrder[] => book.all().map((order) => simulatedOrderOf(order, settings.nowMs())),
    /** Requests refused at the gate, newest last; only the last 10 000 are kept. */
    refusals: (): readonly Refusal[] => [...memory.refusals],
    /** Requests per operation, authentic or not. */
    requests: (): Readonly<Record<SimulatedOperation, number>> => ({ ...memory.requests }),
    /** The latest requests that passed the gate, newest first. */
    seen: () => [...memory.seen],
  };
}

function simulatedOrderOf(order: BookedOrder, nowMs: number): SimulatedOrder {
  const { life: _life, ...known } = order;
  return { ...known, status: statusAt(order, nowMs) };
}
