// What a job costs the processor as deployed, over TLS as on AWS: the bundle that ships and the designs that a team would build
// in its place, each a process of its own, in turns within one run. Servers in another process answer at once.
import { type ChildProcess, fork } from 'node:child_process';
import { join } from 'node:path';
import { bundleFunction } from '../../infra/bundle.ts';
import { beside, type Benchmark, type Bound, type Measurement, mediansOf, watchSlowness } from './harness.ts';
import { bundlePeer } from './shipped-handlers.ts';
import type { Turn } from './surroundings/handler-process.ts';
import { processEnvironment, startServers } from './surroundings/start-servers.ts';

const tens = { RESULTS: 'tens' };
const fresh = { CONNECTIONS: 'fresh' };

/** Each side by its name: its bundle, and how it is set. Equal peers send results in tens; a peer that opens a connection for each payment too is as equal as it can be. */
const sides = {
  ours: { bundle: () => bundleFunction('submit'), settings: {} },
  powertools: { bundle: () => bundlePeer('powertools'), settings: {} },
  powertoolsInTens: { bundle: () => bundlePeer('powertools'), settings: tens },
  powertoolsInTensFresh: { bundle: () => bundlePeer('powertools'), settings: { ...tens, ...fresh } },
  middy: { bundle: () => bundlePeer('middy'), settings: {} },
  middyInTens: { bundle: () => bundlePeer('middy'), settings: tens },
} as const;

interface Started {
  readonly name: string;
  readonly process: ChildProcess;
}

/** All benchmarks of this file. */
export const peerBenchmarks: readonly Benchmark[] = [
  {
    name: 'peers-in-tens',
    isKept: true,
    description: 'CPU ms a job over TLS, ten jobs an invocation, beside Powertools and middy',
    run: () =>
      contest({ batches: 2, jobs: 10, merchants: 1 }, [
        { kind: 'most', figure: 'besidePowertoolsInTens', most: 2.2 },
        { kind: 'most', figure: 'besidePowertoolsInTensFresh', most: 1.5 },
      ]),
  },
  {
    name: 'peers-alone',
    isKept: true,
    description: 'the same with one job an invocation',
    // In turn, so that one job after the other waits for no gateway's pace.
    run: () =>
      contest({ batches: 12, jobs: 1, merchants: 20 }, [
        { kind: 'most', figure: 'besidePowertoolsInTens', most: 2.8 },
        { kind: 'most', figure: 'besidePowertoolsInTensFresh', most: 2.1 },
      ]),
  },
];

/** Before the first round that counts, so that what a process compiles is compiled: until then ratios are half as much again. */
const [warmUps, rounds] = [8, 9];
/** A round is many short turns, so that a machine that is busy for a second is so for all sides. */
const turnsOfRound = 5;

async function contest(turn: Turn, bounds: readonly Bound[]): Promise<Measurement> {
  const servers = await startServers('instant', { tls: true });
  const environment = await processEnvironment(servers);
  const started: Started[] = [];
  // One after the other: sides of one design are bundled into one file, which must not be loaded while it is written.
  for (const [name, { bundle, settings }] of Object.entries(sides)) {
    const { file } = await bundle();
    started.push({ name, process: await startSide(file, { ...environment, ...settings }) });
  }
  const spent: Record<string, number[]> = Object.fromEntries(Object.keys(sides).map((name) => [name, []]));
  try {
    for (let round = -warmUps; round < rounds; round += 1)
      for (const [name, cpuMs] of Object.entries(await roundOf(started, turn)))
        if (round >= 0) spent[name]?.push(cpuMs);
  } finally {
    for (const it of started) it.process.kill();
    await servers.stop();
  }
  return { figures: { ...mediansOf(spent), ...beside('beside', spent) }, bounds };
}

/** CPU ms a job of each side, of a core that does nothing else; another begins in each turn. */
async function roundOf(started: readonly Started[], turn: Turn): Promise<Readonly<Record<string, number>>> {
  const spent: Record<string, number> = {};
  const slownessMeanwhile = watchSlowness();
  for (let at = 0; at < turnsOfRound; at += 1)
    for (const { name, process } of [...started.slice(at), ...started.slice(0, at)])
      spent[name] = (spent[name] ?? 0) + (await cpuMsOf(process, turn)) / turnsOfRound;
  const divisor = slownessMeanwhile();
  return Object.fromEntries(Object.entries(spent).map(([name, cpuMs]) => [name, cpuMs / divisor]));
}

async function startSide(file: string, env: Record<string, string>): Promise<ChildProcess> {
  const script = join(import.meta.dirname, 'surroundings', 'handler-process.ts');
  const child = fork(script, [file], { env, execArgv: [] });
  await messageOf(child);
  return child;
}

/** Its next message; an end in its place fails the benchmark. */
function messageOf(child: ChildProcess): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const onExit = (code: number | null) => reject(new Error(`a side ended with ${code}`));
    child.once('exit', onExit).once('message', (message) => {
      child.off('exit', onExit);
      resolve(message);
    });
  });
}

async function cpuMsOf(side: ChildProcess, turn: Turn): Promise<number> {
  side.send(turn);
  return Number(await messageOf(side)) / 1000 / (turn.batches * turn.jobs);
}
