// End to end on the emulators: jobs per second of the bundle that ships beside the peers' bundles, by the gateway's
// latency and by how many jobs of a batch are under way at once; and how much longer a batch takes than its slowest job.
import assert from 'node:assert/strict';
import { performance } from 'node:perf_hooks';
import { type Benchmark, median, type Measurement } from './harness.ts';
import { lambdaContext, newBatch } from './payout-batches.ts';
import { createBareCalls } from './peers/bare-calls.ts';
import { type Handler, handlersWith } from './shipped-handlers.ts';
import { startServers } from './surroundings/start-servers.ts';

/** All benchmarks of this file. */
export const throughputBenchmarks: readonly Benchmark[] = [
  {
    name: 'throughput',
    description:
      'jobs a second on the emulators, two invocations at once, by concurrency in the batch and gateway latency',
    run: throughput,
  },
  {
    name: 'throughput-by-invocations',
    description: 'jobs a second on the emulators, one invocation and five at once, batches of ten and answers at once',
    run: throughputByInvocations,
  },
  {
    name: 'batch-time',
    description: 'time of a batch of ten beside its slowest gateway answer of 300 ms',
    run: batchTime,
  },
];

const invocationsAtOnce = 2;
const rounds = 5;

async function throughput(): Promise<Measurement> {
  const servers = await startServers('emulators');
  const figures: Record<string, number> = {};
  try {
    for (const concurrency of [1, 10, 50]) {
      const handlers = {
        ...(await handlersWith(servers.environment, concurrency)),
        bare: createBareCalls(servers.environment),
      };
      for (const latencyMs of [0, 50, 200]) {
        await servers.answerAfter({ latencyMs, spreadMs: 0 });
        const jobs = concurrency === 1 ? 10 : concurrency;
        const rates: Record<string, number[]> = { ours: [], powertools: [], middy: [], bare: [] };
        for (let round = 0; round < rounds; round++) {
          for (const [name, handler] of Object.entries(handlers)) rates[name]?.push(await jobsPerSecond(handler, jobs));
        }
        const of = (name: string) => median((rates[name] ?? []).slice(1));
        const label = `concurrency${concurrency}Latency${latencyMs}Ms`;
        figures[`${label}JobsPerSecond`] = of('ours');
        figures[`${label}PowertoolsRatio`] = of('ours') / of('powertools');
        figures[`${label}MiddyRatio`] = of('ours') / of('middy');
        figures[`${label}OfEmulatorsCeiling`] = of('ours') / of('bare');
      }
    }
  } finally {
    await servers.stop();
  }
  return { figures, bounds: [{ kind: 'least', figure: 'concurrency10Latency0MsPowertoolsRatio', least: 0.7 }] };
}

/** The median of the rounds' ratios: the sides take turns, and a busy machine slows both. */
async function throughputByInvocations(): Promise<Measurement> {
  const servers = await startServers('emulators');
  const figures: Record<string, number> = {};
  try {
    const { ours, powertools } = await handlersWith(servers.environment, 10);
    for (const invocations of [1, 5]) {
      const rates: { ours: number; powertools: number }[] = [];
      for (let round = 0; round <= 2 * rounds; round++) {
        rates.push({
          ours: await jobsPerSecond(ours, 10, invocations),
          powertools: await jobsPerSecond(powertools, 10, invocations),
        });
      }
      const warm = rates.slice(1);
      figures[`invocations${invocations}JobsPerSecond`] = median(warm.map((it) => it.ours));
      figures[`invocations${invocations}PowertoolsRatio`] = median(warm.map((it) => it.ours / it.powertools));
    }
  } finally {
    await servers.stop();
  }
  const bounds = Object.keys(figures).filter((name) => name.endsWith('Ratio'));
  return { figures, bounds: bounds.map((figure) => ({ kind: 'least', figure, least: 0.8 })) };
}

async function jobsPerSecond(handler: Handler, jobs: number, invocations = invocationsAtOnce): Promise<number> {
  const batches = Math.max(1, Math.round(100 / jobs / invocations));
  const startMs = performance.now();
  await Promise.all(
    Array.from({ length: invocations }, async () => {
      for (let batch = 0; batch < batches; batch++) {
        const { batchItemFailures } = await handler(newBatch(jobs), lambdaContext);
        assert.deepEqual(batchItemFailures, []);
      }
    }),
  );
  return (batches * jobs * invocations) / ((performance.now() - startMs) / 1000);
}

/** Every answer takes 300 ms, so that is the slowest; what a batch takes beyond it is ours and the clients'. */
async function batchTime(): Promise<Measurement> {
  const servers = await startServers('instant');
  try {
    const { ours } = await handlersWith(servers.environment, 10);
    await servers.answerAfter({ latencyMs: 300, spreadMs: 0 });
    const times: number[] = [];
    for (let round = 0; round < 15; round++) {
      const startMs = performance.now();
      const { batchItemFailures } = await ours(newBatch(10), lambdaContext);
      assert.deepEqual(batchItemFailures, []);
      times.push(performance.now() - startMs);
    }
    const batchMs = median(times.slice(3));
    return {
      figures: { batchMs, beyondTheSlowestAnswer: batchMs / 300 },
      bounds: [{ kind: 'most', figure: 'beyondTheSlowestAnswer', most: 1.25 }],
    };
  } finally {
    await servers.stop();
  }
}
