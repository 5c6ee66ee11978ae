// A cold start and the first job with it, as Lambda has them: most of what the SDK does once it does when it is first called, and
// not when it is read. Beside the peers' bundles, and a worker without any library, which is the floor; in turns within one run.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { bundleFunction, bundleLimitBytes } from '../../infra/bundle.ts';
import { beside, type Benchmark, mediansOf, type Measurement, slowness } from './harness.ts';
import { newBatch } from './payout-batches.ts';
import { bundlePeer } from './shipped-handlers.ts';
import { processEnvironment, startServers } from './surroundings/start-servers.ts';

/** The benchmark of this file. */
export const coldStartBenchmarks: readonly Benchmark[] = [
  {
    name: 'cold-start',
    isKept: true,
    description:
      'a new process from nothing to the end of its first job, TLS, 4 ms a call of AWS: beside the peers and a worker without any library',
    run: coldStart,
  },
];

const run = promisify(execFile);
const rounds = 11;

/** What a new process says of itself. */
interface FirstJob {
  readonly sumMs: number;
  readonly cpuMs: number;
  readonly failed: number;
}

async function coldStart(): Promise<Measurement> {
  const bundles = {
    ours: await bundleFunction('submit'),
    powertools: await bundlePeer('powertools'),
    middy: await bundlePeer('middy'),
    bare: await bundlePeer('bare'),
  };
  const servers = await startServers('instant', { tls: true, latencyMs: 4 });
  const taken: Record<string, FirstJob[]> = {};
  try {
    const env = await processEnvironment(servers);
    for (let round = 0; round < rounds; round++) {
      const divisor = slowness();
      for (const [name, { file }] of Object.entries(bundles)) {
        const it = await inNewProcess(file, env);
        assert.equal(it.failed, 0, `${name} left its job on the queue`);
        (taken[name] ??= []).push({ ...it, cpuMs: it.cpuMs / divisor });
      }
    }
  } finally {
    await servers.stop();
  }
  const cpuMs = Object.entries(taken).map(([name, all]) => [name, all.map((it) => it.cpuMs)] as const);
  const sumMs = Object.entries(taken).map(([name, all]) => [name, all.map((it) => it.sumMs)] as const);
  const figures = {
    ...Object.fromEntries(Object.entries(bundles).map(([name, { bytes }]) => [`${name}KB`, bytes / 1000])),
    ...mediansOf(Object.fromEntries(cpuMs)),
    ...beside('cpuBeside', Object.fromEntries(cpuMs)),
    ...beside('timeBeside', Object.fromEntries(sumMs)),
  };
  return {
    figures,
    bounds: [
      { kind: 'most', figure: 'oursKB', most: bundleLimitBytes / 1000 },
      { kind: 'most', figure: 'cpuBesidePowertools', most: 1.6 },
      { kind: 'most', figure: 'cpuBesideBare', most: 8 },
    ],
  };
}

async function inNewProcess(file: string, env: Record<string, string>): Promise<FirstJob> {
  const script = join(import.meta.dirname, 'surroundings', 'first-job-timed.ts');
  const { stdout } = await run(process.execPath, [script, file, JSON.stringify(newBatch(1))], { env });
  return JSON.parse(stdout) as FirstJob;
}
