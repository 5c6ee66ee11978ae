// What was measured last, by benchmark: `npm run bench -- --keep` writes it, and the models and tables of the pages read it, so
// that no page states a measured figure by hand.
import { readFileSync, writeFileSync } from 'node:fs';
import type { Measurement } from './harness.ts';

/** One benchmark's figures, as they were kept. */
interface Kept extends Measurement {
  readonly description: string;
  /** The day. */
  readonly measuredOn: string;
  /** Of the machine, at its end: processes that want to run, for each core. */
  readonly loadOfACore: number;
}

const file = new URL('measured.json', import.meta.url);

const read = (): Readonly<Record<string, Kept>> => JSON.parse(readFileSync(file, 'utf8'));

/** By the benchmark's name. */
const measured = read();

/** One figure of them; NaN, which no page may say, if it was never measured. */
export const figureOf = (benchmark: string, figure: string): number =>
  measured[benchmark]?.figures[figure] ?? Number.NaN;

/** Puts a benchmark's figures in the place of those before; benchmarks that are no more go. */
export function keep(name: string, figures: Kept, benchmarks: readonly string[]): void {
  const all = { ...read(), [name]: figures };
  const kept = benchmarks.flatMap((name) => (all[name] ? [[name, all[name]] as const] : []));
  writeFileSync(file, `${JSON.stringify(Object.fromEntries(kept), rounded, 2)}\n`);
}

const rounded = (_: string, value: unknown) => (typeof value === 'number' ? Number(value.toPrecision(4)) : value);
