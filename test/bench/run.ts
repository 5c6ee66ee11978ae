// `npm run bench`: runs the benchmarks one after the other. `-- NAME` takes those with NAME in their name, `-- --json`
// prints one JSON line for each, `-- --check` ends with 1 when a figure is out of its bounds, `-- --keep` keeps what is within them
// (measured.json) and writes the pages that state it, `--jobs N` sizes the long ones, `--seeds N` takes the worst of so many orders of events (pace), `--help` says what there is.
import { execFileSync } from 'node:child_process';
import { availableParallelism, loadavg } from 'node:os';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { callsBenchmarks } from './calls.bench.ts';
import { sizesBenchmarks } from './sizes.bench.ts';
import { cardDetectionBenchmarks } from './card-detection.bench.ts';
import { coldStartBenchmarks } from './cold-start.bench.ts';
import type { Benchmark, Bound, Measurement } from './harness.ts';
import { latencyBenchmarks } from './latency.bench.ts';
import { keep } from './measured.ts';
import { looksBenchmarks } from './looks.bench.ts';
import { paceBenchmarks } from './pace.bench.ts';
import { peerBenchmarks } from './peers.bench.ts';
import { preflightBenchmarks } from './preflight.bench.ts';
import { pricesBenchmarks } from './prices.bench.ts';

const benchmarks: readonly Benchmark[] = [
  ...cardDetectionBenchmarks,
  ...peerBenchmarks,
  ...coldStartBenchmarks,
  ...latencyBenchmarks,
  ...callsBenchmarks,
  ...sizesBenchmarks,
  ...looksBenchmarks,
  ...pricesBenchmarks,
  ...preflightBenchmarks,
  ...paceBenchmarks,
];

const { values: options, positionals: wanted } = parseArgs({
  options: {
    json: { type: 'boolean', default: false },
    check: { type: 'boolean', default: false },
    keep: { type: 'boolean', default: false },
    jobs: { type: 'string' },
    seeds: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
  allowPositionals: true,
});

const isWanted = (name: string) => wanted.length === 0 || wanted.some((part) => name.includes(part));
const chosen = options.help ? [] : benchmarks.filter(({ name }) => isWanted(name));
if (options.help) {
  console.log('npm run bench -- [--json] [--check] [--keep] [--jobs N] [--seeds N] [NAME, or a part of one, ...]');
  for (const { name, description } of benchmarks) console.log(`  ${name}: ${description}`);
} else if (chosen.length === 0) {
  console.error(`No benchmark is called so. There are: ${benchmarks.map(({ name }) => name).join(', ')}`);
  process.exitCode = 2;
}
for (const benchmark of chosen) {
  const measurement = await benchmark.run({
    jobs: options.jobs === undefined ? undefined : Number(options.jobs),
    seeds: options.seeds === undefined ? undefined : Number(options.seeds),
  });
  const broken = measurement.bounds.filter((bound) => !isWithin(bound, measurement.figures));
  console.log(options.json ? asJson(benchmark, measurement, broken) : asText(benchmark, measurement, broken));
  if (broken.length > 0 && (options.check || options.keep)) process.exitCode = 1;
  if (!options.keep || broken.length > 0 || !benchmark.isKept) continue;
  const { name, description } = benchmark;
  const loadOfACore = (loadavg()[0] ?? 0) / availableParallelism();
  const measuredOn = new Date().toISOString().slice(0, 10);
  keep(
    name,
    { description, measuredOn, loadOfACore, ...measurement },
    benchmarks.map((it) => it.name),
  );
}
// A process of its own: this one has read what was kept before.
if (options.keep) execFileSync(process.execPath, [fileURLToPath(new URL('../docs/write.ts', import.meta.url))]);

function isWithin(bound: Bound, figures: Measurement['figures']): boolean {
  const figure = figures[bound.figure] ?? Number.NaN;
  return bound.kind === 'least' ? figure >= bound.least : figure <= bound.most;
}

function asJson({ name }: Benchmark, { figures, bounds }: Measurement, broken: readonly Bound[]): string {
  return JSON.stringify({ name, ...figures, bounds, withinBounds: broken.length === 0 });
}

function asText({ name, description }: Benchmark, { figures }: Measurement, broken: readonly Bound[]): string {
  const lines = Object.entries(figures).map(([figure, value]) => `  ${figure.padEnd(40)} ${value.toFixed(2)}`);
  const complaints = broken.map((bound) =>
    bound.kind === 'least'
      ? `  OUT OF BOUNDS: ${bound.figure} is below ${bound.least}`
      : `  OUT OF BOUNDS: ${bound.figure} is above ${bound.most}`,
  );
  return [`${name}: ${description}`, ...lines, ...complaints].join('\n');
}
