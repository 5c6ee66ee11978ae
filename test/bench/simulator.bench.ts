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
  const figureOf = (found: RegExpMatchArray | undefined) => Number(found?.[1] ?? 'NaN');
  const livesPerSecond = figureOf([...stdout.matchAll(/(\d+) lives per second/g)].at(-1));
  const cpuMsPerLife = figureOf([...stdout.matchAll(/([\d.]+) ms of CPU a life/g)].at(-1));
  return {
    figures: { livesPerSecond, cpuMsPerLife },
    bounds: [
      { kind: 'least', figure: 'livesPerSecond', least: 700 },
      // The start and the warming up of both threads is half of it.
      { kind: 'most', figure: 'cpuMsPerLife', most: 1.6 },
    ],
  };
}
