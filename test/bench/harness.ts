// Two ways of doing the same work, side by side. Rounds are interleaved and each round gives one ratio, so that a busy
// machine slows both alike; the median is taken, so that one disturbed round does not count.
import { generateKeyPairSync, sign } from 'node:crypto';
import { performance } from 'node:perf_hooks';

/** One benchmark. To add some: export a list of them from a `*.bench.ts` file and name it in run.ts. */
export interface Benchmark {
  readonly name: string;
  readonly description: string;
  /** A model of what others have measured: its tables are on the pages, and it is not kept. */
  readonly isComputed?: boolean;
  readonly run: (size: { readonly jobs?: number; readonly seeds?: number }) => Promise<Measurement>;
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

/** What is compared. Each side does `callsPerRound` calls in a round. */
export interface Contest {
  readonly ours: () => unknown;
  readonly reference: () => unknown;
  readonly callsPerRound: number;
  readonly rounds: number;
  /** Calls under way at once; default 1. */
  readonly concurrency?: number;
  /** `cpu`: process.cpuUsage, all threads, blind to other processes. `wall`: performance.now, for work that waits. */
  readonly clock: 'cpu' | 'wall';
}

/** Medians over the rounds; `ratio` above 1 says that ours is the faster. */
export interface ContestResult {
  readonly oursMicrosecondsPerCall: number;
  readonly referenceMicrosecondsPerCall: number;
  readonly ratio: number;
}

/** Runs a contest after a warm-up; the sides take turns in going first. */
export async function sideBySide(contest: Contest): Promise<ContestResult> {
  const { ours, reference, rounds } = contest;
  for (let round = 0; round < 3; round++) {
    await microsecondsPerCall(reference, contest);
    await microsecondsPerCall(ours, contest);
  }
  const pairs: { oursMicroseconds: number; referenceMicroseconds: number }[] = [];
  for (let round = 0; round < rounds; round++) {
    const oursFirst = round % 2 === 0;
    const early = await microsecondsPerCall(oursFirst ? ours : reference, contest);
    const late = await microsecondsPerCall(oursFirst ? reference : ours, contest);
    pairs.push(
      oursFirst
        ? { oursMicroseconds: early, referenceMicroseconds: late }
        : { oursMicroseconds: late, referenceMicroseconds: early },
    );
  }
  return {
    oursMicrosecondsPerCall: median(pairs.map((pair) => pair.oursMicroseconds)),
    referenceMicrosecondsPerCall: median(pairs.map((pair) => pair.referenceMicroseconds)),
    ratio: median(pairs.map((pair) => pair.referenceMicroseconds / pair.oursMicroseconds)),
  };
}

/** The middle one, or the mean of the two in the middle. */
export function median(numbers: readonly number[]): number {
  const sorted = numbers.toSorted((left, right) => left - right);
  const upper = sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
  const lower = sorted[Math.floor((sorted.length - 1) / 2)] ?? Number.NaN;
  return (lower + upper) / 2;
}

/** Of a core that does nothing else, as far as CPU here is reckoned: what it takes to sign by RSA with 4096 bits. */
export const signatureMs = 2;
const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 4096 });

/**
 * How many times as long as such a core this one takes right now: where others want the same cores, processor time grows too. Beside
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

async function microsecondsPerCall(call: () => unknown, contest: Contest): Promise<number> {
  const { callsPerRound, concurrency = 1, clock } = contest;
  const callsPerLane = Math.ceil(callsPerRound / concurrency);
  const startMicroseconds = nowMicroseconds(clock);
  await Promise.all(Array.from({ length: concurrency }, () => repeat(call, callsPerLane)));
  return (nowMicroseconds(clock) - startMicroseconds) / (callsPerLane * concurrency);
}

async function repeat(call: () => unknown, times: number): Promise<void> {
  for (let index = 0; index < times; index++) await call();
}

function nowMicroseconds(clock: Contest['clock']): number {
  if (clock === 'wall') return performance.now() * 1000;
  const { user, system } = process.cpuUsage();
  return user + system;
}
