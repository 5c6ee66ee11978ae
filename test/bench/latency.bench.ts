// How long a payout is on its way through a function that is warm: from the message that Lambda hands over to the POST, and to
// the result on its queue; one alone, and with a hundred under way at once. Beside the peers. What SQS and Lambda take before
// that is theirs, and not in it.
import assert from 'node:assert/strict';
import { AsyncLocalStorage } from 'node:async_hooks';
import { channel } from 'node:diagnostics_channel';
import type { ClientRequest } from 'node:http';
import { type Benchmark, type Bound, type Measurement } from './harness.ts';
import { lambdaContext, newBatch } from './payout-batches.ts';
import { type Handler, handlersWith } from './shipped-handlers.ts';
import { startServers, trustingTheServers } from './surroundings/start-servers.ts';

const [awsMs, gatewayMs] = [5, 50];

/** All benchmarks of this file. */
export const latencyBenchmarks: readonly Benchmark[] = [
  {
    name: 'latency-alone',
    description: `ms from a message to its POST and to its result, one payout alone: TLS, ${awsMs} ms a call of AWS, a gateway of ${gatewayMs} ms`,
    run: () => latency({ atOnce: 1, jobs: 1, times: 80, merchants: 20 }),
  },
  {
    name: 'latency-under-load',
    description: 'the same with ten invocations of ten jobs at once, on one processor for all of them',
    run: () => latency({ atOnce: 10, jobs: 10, times: 8, merchants: 1 }),
  },
];

interface Load {
  readonly atOnce: number;
  readonly jobs: number;
  readonly times: number;
  /** Of each invocation's own, in turn, so that a payout alone waits for no gateway's pace: that is no time of the worker's. */
  readonly merchants: number;
}

async function latency(load: Load): Promise<Measurement> {
  const servers = await startServers('instant', { tls: true, latencyMs: awsMs });
  const distrust = trustingTheServers();
  try {
    await servers.answerAfter(gatewayMs);
    const { ours, powertools } = await handlersWith(servers.environment, 10);
    // What a process does once, and once for each merchant, is done before; and how fast its gateway goes is found out.
    for (const handler of [ours, powertools]) await timed(handler, { ...load, times: 20 });
    const [mine, theirs] = [await timed(ours, load), await timed(powertools, load)];
    for (const all of [mine, theirs]) assert(all.length >= (load.atOnce * load.times) / 2);
    const figures = {
      ...figuresOf('ours', mine),
      ...figuresOf('powertools', theirs),
    };
    const bounds: Bound[] = [{ kind: 'most', figure: 'oursToResultMs', most: load.atOnce === 1 ? 250 : 2_000 }];
    return { figures, bounds };
  } finally {
    distrust();
    await servers.stop();
  }
}

/** When what of an invocation happened, in ms after it began. */
interface Seen {
  readonly sinceMs: number;
  readonly postsMs: number[];
  resultsMs: number;
}

/** Every client of AWS and gateways here goes by node:http. */
async function timed(handler: Handler, { atOnce, jobs, times, merchants }: Load): Promise<readonly Seen[]> {
  const invocation = new AsyncLocalStorage<Seen>();
  const begunBy = new WeakMap<ClientRequest, Seen>();
  const began = (message: unknown) => {
    const { request } = message as { readonly request: ClientRequest };
    const seen = invocation.getStore();
    if (!seen) return;
    begunBy.set(request, seen);
    if (request.getHeader('x-amz-target') === undefined) seen.postsMs.push(performance.now() - seen.sinceMs);
  };
  const ended = (message: unknown) => {
    const { request } = message as { readonly request: ClientRequest };
    const seen = begunBy.get(request);
    const isResult = String(request.getHeader('x-amz-target')).endsWith('SendMessageBatch');
    if (seen && isResult) seen.resultsMs = performance.now() - seen.sinceMs;
  };
  const channels = [
    [channel('http.client.request.start'), began],
    [channel('http.client.response.finish'), ended],
  ] as const;
  for (const [it, listener] of channels) it.subscribe(listener);
  const all: Seen[] = [];
  const oneAfterTheOther = async (place: number) => {
    for (let time = 0; time < times; time += 1) {
      const batch = newBatch(jobs, `bench-${place}-${time % merchants}`);
      const seen: Seen = { sinceMs: performance.now(), postsMs: [], resultsMs: 0 };
      const answer = await invocation.run(seen, () => handler(batch, lambdaContext));
      // A gateway whose pace is not known yet lets some wait: those are none of these.
      if (seen.postsMs.length < jobs) continue;
      assert.deepEqual(answer, { batchItemFailures: [] });
      all.push(seen);
    }
  };
  try {
    await Promise.all(Array.from({ length: atOnce }, (_, place) => oneAfterTheOther(place)));
  } finally {
    for (const [it, listener] of channels) it.unsubscribe(listener);
  }
  return all;
}

function figuresOf(whose: string, seen: readonly Seen[]): Readonly<Record<string, number>> {
  const posts = seen.flatMap(({ postsMs }) => postsMs);
  const results = seen.map(({ resultsMs }) => resultsMs);
  return {
    [`${whose}ToPostMs`]: quantile(posts, 0.5),
    [`${whose}ToPost95Ms`]: quantile(posts, 0.95),
    [`${whose}ToResultMs`]: quantile(results, 0.5),
    [`${whose}ToResult95Ms`]: quantile(results, 0.95),
  };
}

const quantile = (all: readonly number[], part: number): number =>
  all.toSorted((a, b) => a - b)[Math.floor(all.length * part)] ?? Number.NaN;
