// What all benchmarks share: their form, and processor time as a core would take it that does nothing else.
import { generateKeyPairSync, sign } from 'node:crypto';

/** One benchmark. To add some: export a list of them from a `*.bench.ts` file and name it in run.ts. */
export interface Benchmark {
  readonly name: string;
  readonly description: string;
  /** Its figures are on the pages: `--keep` writes them. */
  readonly isKept?: true;
  readonly run: (size: {
    readonly jobs?: number | undefined;
    readonly seeds?: number | undefined;
  }) => Promise<Measurement>;
}

/** What a benchmark found. Each bound is checked by `npm run bench -- --check`. */
export interface Measurement {
  /** Numbers by name, the unit last in the name. */
  readonly figures: Readonly<Record<string, number>>;
  readonly bounds: readonly Bound[];
}

/** A figure that may not fall below `least`, or not rise above `most`. */
export type Bound =
  | { readonly kind: 'least'; readonly figure: string; readonly least: number }
  | { readonly kind: 'most'; readonly figure: string; readonly most: number };

/** The middle one, or the mean of the two in the middle. */
export function median(numbers: readonly number[]): number {
  const sorted = numbers.toSorted((left, right) => left - right);
  const upper = sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
  const lower = sorted[Math.floor((sorted.length - 1) / 2)] ?? Number.NaN;
  return (lower + upper) / 2;
}

/** Of a core that does nothing else, as far as CPU here is reckoned: what it takes to sign by RSA with 4096 bits. */
const signatureMs = 2;
const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 4096 });

/**
 * How many times as long as that core this one takes right now: where others want the same cores, processor time grows too. Beside
 * each round, so that what was measured can be divided by it.
 */
export function slowness(): number {
  const signatures = 20;
  const before = process.cpuUsage();
  for (let at = 0; at < signatures; at += 1) sign('sha256', Buffer.from('yardstick'), privateKey);
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000 / signatures / signatureMs;
}

/** Begins to watch how slow the core is; returns the mean of then and of when it is called. */
export function watchSlowness(): () => number {
  const before = slowness();
  return () => (before + slowness()) / 2;
}

/** Of sides that took turns the CPU of each, at the median. */
export const mediansOf = (cpuMs: Readonly<Record<string, readonly number[]>>): Readonly<Record<string, number>> =>
  Object.fromEntries(Object.entries(cpuMs).map(([name, all]) => [`${name}CpuMs`, median(all)]));

/** Of sides that took turns: ours beside each peer, the median of the rounds' ratios; above 1 where ours costs more. */
export function beside(label: string, { ours = [], ...peers }: Readonly<Record<string, readonly number[]>>) {
  const ratios = Object.entries(peers).map(([name, all]) => [
    `${label}${name.replace(/^./, (letter) => letter.toUpperCase())}`,
    median(all.map((it, round) => (ours[round] ?? Number.NaN) / it)),
  ]);
  return Object.fromEntries(ratios) as Readonly<Record<string, number>>;
}
