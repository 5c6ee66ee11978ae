// How many lives of jobs the simulation walks in a second: proof must stay cheap enough to be run.
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Benchmark, Measurement } from './harness.ts';

/** All benchmarks of this file. */
export const simulatorBenchmarks: readonly Benchmark[] = [
  {
    name: 'simulator',
    description: 'lives of jobs a second in 300 random worlds, settlement in the mix',
    run: simulator,
  },
];

async function simulator(): Promise<Measurement> {
  const script = join(import.meta.dirname, '..', 'simulation', 'run.ts');
  const { stdout } = await promisify(execFile)(process.execPath, [script, '--seeds', '300']);
  const [, rate = 'NaN'] = /(\d+) lives per second/.exec(stdout) ?? [];
  return {
    figures: { livesPerSecond: Number(rate) },
    bounds: [{ kind: 'least', figure: 'livesPerSecond', least: 700 }],
  };
}
