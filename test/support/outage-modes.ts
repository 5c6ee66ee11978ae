// Services that fail for a while, each in one of three ways: refused at once, silent until the caller's own deadline, or
// done although no answer comes; and a gateway that answers everybody with one status.
import type { Evidence, Gateway } from '../../lib/gateway/ports.ts';
import type { World } from './world.ts';

/** The ways in which a service fails. */
export const faultModes = ['refused', 'hanging', 'applied'] as const;
/** One of {@link faultModes}. */
export type FaultMode = (typeof faultModes)[number];

/** The services that can fail. */
export const services = [
  'results queue',
  'jobs queue',
  'own queue',
  'ledger writes',
  'ledger reads',
  'secrets',
  'gateway POST',
  'gateway status',
  'row notes',
  'waiting table',
  'lines queue',
  'lanes',
] as const;

/** One service and its way to fail; for the gateway the status that it answers with, and nothing else. */
export interface Fault {
  readonly service: (typeof services)[number];
  readonly mode: FaultMode | (typeof statuses)[number];
}

/** Statuses by which a gateway refuses every order. */
export const statuses = [401, 403, 404, 429, 503] as const;

/** Services that fail. */
export interface Failing {
  /** Ends all failures. */
  readonly recover: () => void;
  /** The times of POSTs that may have arrived, without those that the world's own gateway saw. */
  readonly postsAtMs: readonly number[];
}

type Call<A extends readonly unknown[], T> = (...asked: A) => Promise<T>;

/** Lets these services of a world fail. */
export function failing(world: World, faults: readonly Fault[]): Failing {
  const { ports, clock } = world;
  const modes = new Map(faults.map(({ service, mode }) => [service, mode]));
  const before = { ...ports };
  const { awsCallTimeoutMs, gatewayTotalTimeoutMs } = ports.limits;
  const postsAtMs: number[] = [];

  function through<A extends readonly unknown[], T>(service: Fault['service'], call: Call<A, T>): Call<A, T> {
    const mode = modes.get(service);
    if (!mode) return call;
    return async (...asked) => {
      if (mode === 'hanging') clock.advance(awsCallTimeoutMs);
      if (mode === 'applied') await call(...asked);
      throw new Error(`no answer from the ${service}`);
    };
  }

  const gateway: Gateway = {
    async post(request) {
      const isStatus = request.url.includes('/v4/status/');
      const mode = modes.get(isStatus ? 'gateway status' : 'gateway POST');
      if (!mode) return before.gateway.post(request);
      if (!isStatus && mode !== 'refused' && mode !== 'applied') postsAtMs.push(clock.nowMs());
      if (typeof mode === 'number') return { kind: 'answer', httpStatus: mode, body: '', framing: 'delimited' };
      if (mode === 'refused') return { kind: 'not-sent', reason: 'connect ECONNREFUSED' };
      if (mode === 'hanging') clock.advance(gatewayTotalTimeoutMs);
      if (mode === 'applied') await before.gateway.post(request);
      return noAnswer;
    },
  };

  const { orders, jobsQueue, credentials, dueWork } = before;
  Object.assign(ports, {
    gateway,
    results: { ...before.results, send: through('results queue', before.results.send) },
    ownQueue: { ...before.ownQueue, send: through('own queue', before.ownQueue.send) },
    jobsQueue: {
      ...jobsQueue,
      sendDeadLetters: through('jobs queue', jobsQueue.sendDeadLetters),
    },
    waiting: {
      ...before.waiting,
      rows: {
        ...before.waiting.rows,
        put: through('waiting table', before.waiting.rows.put),
        read: through('waiting table', before.waiting.rows.read),
        move: through('waiting table', before.waiting.rows.move),
        remove: through('waiting table', before.waiting.rows.remove),
      },
      lines: { send: through('lines queue', before.waiting.lines.send) },
    },
    orders: {
      put: through('ledger writes', orders.put),
      write: through('ledger writes', orders.write),
      mark: through('ledger writes', orders.mark),
      note: through('ledger writes', orders.note),
      read: through('ledger reads', orders.read),
    },
    dueWork: modes.has('ledger reads') ? { dueWork: silentIndex, measured: silentIndex } : dueWork,
    deliveries: {
      begin: through('ledger writes', before.deliveries.begin),
      end: through('ledger writes', before.deliveries.end),
    },
    rowNotes: { ...before.rowNotes, note: through('row notes', before.rowNotes.note) },
    ...(modes.has('secrets') && {
      credentials: { ...credentials, of: unavailable, refresh: unavailable },
      fingerprinting: { keys: through('secrets', before.fingerprinting.keys) },
    }),
  });
  // The pacing of a process holds its lanes for good.
  const { read, write } = ports.lanes;
  Object.assign(ports.lanes, { read: through('lanes', read), write: through('lanes', write) });
  const recover = () => {
    Object.assign(ports, before);
    Object.assign(ports.lanes, { read, write });
  };
  return { recover, postsAtMs };
}

const noAnswer: Evidence = { kind: 'no-answer', reason: 'no answer in time' };

const unavailable = async () =>
  ({
    kind: 'unavailable',
    failure: { code: 'CREDENTIALS_UNAVAILABLE', message: 'the secrets service did not answer' },
  }) as const;

// eslint-disable-next-line require-yield -- it fails before the first
async function* silentIndex(): AsyncGenerator<never> {
  throw new Error('no answer from the index');
}
