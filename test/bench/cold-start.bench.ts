// What a cold start reads and runs before the first job: bundle size, time to import, memory; beside the peers' bundles.
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { bundleFunction, bundleLimitBytes } from '../../infra/bundle.ts';
import { type Benchmark, median, type Measurement } from './harness.ts';
import { bundlePeer } from './shipped-handlers.ts';
import { idempotencyTableName } from './surroundings/start-servers.ts';

/** All benchmarks of this file. */
export const coldStartBenchmarks: readonly Benchmark[] = [
  {
    name: 'cold-start',
    description: 'import to ready of each bundle in a new process, beside bundles of the peers made alike',
    run: coldStart,
  },
];

const run = promisify(execFile);
const rounds = 11;
const environment = {
  AWS_REGION: 'eu-central-1',
  AWS_ACCESS_KEY_ID: 'FAKE-BENCH-KEY-ID',
  AWS_SECRET_ACCESS_KEY: 'fake-bench-secret-key',
  IDEMPOTENCY_TABLE: idempotencyTableName,
  RESULTS_QUEUE_URL: 'http://127.0.0.1:9/results',
};

interface Cost {
  readonly importMs: number;
  readonly rssMb: number;
  readonly heapMb: number;
}

async function coldStart(): Promise<Measurement> {
  const bundles = {
    submit: await bundleFunction('submit'),
    inquire: await bundleFunction('inquire'),
    callback: await bundleFunction('callback'),
    sweep: await bundleFunction('sweep'),
    powertools: await bundlePeer('powertools'),
    middy: await bundlePeer('middy'),
  };
  const costs: Record<string, Cost[]> = {};
  for (let round = 0; round < rounds; round++) {
    for (const [name, { file }] of Object.entries(bundles)) (costs[name] ??= []).push(await costOf(file));
  }
  const of = (name: string, figure: keyof Cost) => median((costs[name] ?? []).map((cost) => cost[figure]));
  const figures: Record<string, number> = {};
  for (const [name, { bytes }] of Object.entries(bundles)) {
    figures[`${name}KB`] = bytes / 1000;
    figures[`${name}ImportMs`] = of(name, 'importMs');
    figures[`${name}RssMB`] = of(name, 'rssMb');
  }
  const beside = (rival: string) =>
    median((costs['submit'] ?? []).map(({ importMs }, round) => importMs / (costs[rival]?.[round]?.importMs ?? 0)));
  figures['importBesidePowertools'] = beside('powertools');
  figures['importBesideMiddy'] = beside('middy');
  return {
    figures,
    bounds: [
      { kind: 'most', figure: 'submitKB', most: bundleLimitBytes / 1000 },
      { kind: 'most', figure: 'importBesidePowertools', most: 0.6 },
    ],
  };
}

async function costOf(file: string): Promise<Cost> {
  const script = join(import.meta.dirname, 'surroundings', 'import-timed.ts');
  const { PATH = '' } = process.env;
  const { stdout } = await run(process.execPath, [script, file], { env: { PATH, ...environment } });
  return JSON.parse(stdout) as Cost;
}
