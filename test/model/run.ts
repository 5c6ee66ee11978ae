// npm run model [-- --moves | --conformance]: Spin walks every behaviour of test/model/order.pml, then each planted mistake
// until it finds the behaviour that breaks a promise; at last ten thousand random worlds of the simulation are held against
// its table of moves. --moves prints that table instead, --conformance does the last alone. Walks need spin and a C compiler.
import { spawn, spawnSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { conform } from './conformance.ts';
import { modelMoves, modelPath } from './moves.ts';

/** One walk: which contract, what happens besides, how many faults, and which mistake is planted (0: none). */
interface Walk {
  readonly asks: 0 | 1;
  readonly event: 0 | 1 | 2 | 3 | 4;
  readonly faults: number;
  readonly mistake: number;
}

interface Walked {
  readonly states: number;
  readonly seconds: number;
  /** What was broken, in the model's own words; undefined where nothing was. */
  readonly broken?: string;
}

const mistakes = 20;
const events = [
  'nothing else',
  'a declared restore',
  'a change of host',
  'a CVV and call-offs',
  'a gateway that changes its mind',
] as const;
/** The largest ones first, so that two cores end at about the same time. */
const honestWalks: readonly Omit<Walk, 'mistake'>[] = [
  { asks: 1, event: 1, faults: 1 },
  { asks: 1, event: 2, faults: 1 },
  { asks: 1, event: 0, faults: 2 },
  { asks: 0, event: 1, faults: 2 },
  { asks: 0, event: 0, faults: 2 },
  { asks: 1, event: 4, faults: 1 },
  { asks: 0, event: 3, faults: 1 },
];
/** In the order in which a mistake is looked for: the small ones first. */
const mistakeWalks: readonly Omit<Walk, 'mistake'>[] = [
  { asks: 0, event: 0, faults: 1 },
  { asks: 0, event: 1, faults: 1 },
  { asks: 1, event: 0, faults: 1 },
  { asks: 1, event: 2, faults: 1 },
  { asks: 1, event: 1, faults: 1 },
];
const memoryLimitMb = 9_000;
const cores = 2;

const write = (line: string) => void process.stdout.write(`${line}\n`);

/** Whatever it is asked for that it does not know is told, and walks nothing: a whole walk takes minutes. */
async function asked(argument: string | undefined): Promise<number> {
  switch (argument) {
    case undefined:
      return main();
    case '--conformance':
      return (await conforms()) ? 0 : 1;
    case '--moves':
      for (const { action, from, to } of modelMoves()) write(`${action}: ${from} → ${to}`);
      return 0;
    default:
      write(
        'npm run model: walks the model, each planted mistake, and holds the simulation against its moves (minutes)',
      );
      write('npm run model -- --moves: the table of allowed moves');
      write('npm run model -- --conformance: the simulation against that table alone');
      return argument === '--help' ? 0 : 2;
  }
}

process.exitCode = await asked(process.argv[2]);

async function main(): Promise<number> {
  const missing = ['spin', 'cc'].filter((tool) => spawnSync('which', [tool]).status !== 0);
  if (missing.length > 0) {
    write(
      `skipped: ${missing.join(' and ')} not found; the model needs Spin (on Debian: apt-get install spin) and a C compiler`,
    );
    return 0;
  }
  const folder = await mkdtemp(join(tmpdir(), 'payouts-model-'));
  try {
    const honest = await inParallel(honestWalks, (walk) => honestly(walk, folder));
    const planted = Array.from({ length: mistakes }, (_, n) => n + 1);
    const found = await inParallel(planted, (mistake) => seek(mistake, folder));
    const [clean, caught] = [honest.filter(Boolean).length, found.filter(Boolean).length];
    write(`${clean} of ${honestWalks.length} worlds without a broken promise; ${caught} of ${mistakes} mistakes found`);
    const isConform = await conforms();
    const passed = clean + caught + (isConform ? 1 : 0);
    write(`${passed} passed, ${honestWalks.length + mistakes + 1 - passed} failed`);
    return clean === honestWalks.length && caught === mistakes && isConform ? 0 : 1;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Ten thousand random worlds against the table of moves. */
async function conforms(): Promise<boolean> {
  const it = await conform(modelMoves(), { worlds: 10_000, restoredWorlds: 250, jobs: 3, threads: cores });
  const lives = `${it.orders.toLocaleString('en')} orders, ${it.differentLives.toLocaleString('en')} different lives`;
  write(`conformance: ${it.moves.toLocaleString('en')} moves of ${lives} in 10,000 random worlds`);
  for (const [move, life] of it.strange) write(`NOT IN THE MODEL: ${move}, in ${life}`);
  for (const action of it.unseenActions) write(`NEVER SEEN: the model's ${action}`);
  for (const life of it.unnoticed.slice(0, 10)) write(`A MUTATED LIFE IS ALLOWED: ${life}`);
  if (it.fault !== undefined) write(`A WORLD BROKE A PROMISE: ${it.fault}`);
  write(`${it.mutants - it.unnoticed.length} of ${it.mutants} mutated lives rejected`);
  const isWhole = it.strange.size + it.unseenActions.length + it.unnoticed.length === 0;
  return isWhole && it.fault === undefined;
}

async function honestly(it: Omit<Walk, 'mistake'>, folder: string): Promise<boolean> {
  const { states, seconds, broken } = await walk({ ...it, mistake: 0 }, folder);
  write(`${nameOf(it)}: ${states.toLocaleString('en')} states in ${seconds} s, ${broken ?? 'every promise kept'}`);
  return broken === undefined;
}

async function seek(mistake: number, folder: string): Promise<boolean> {
  let states = 0;
  for (const it of mistakeWalks) {
    const walked = await walk({ ...it, mistake }, folder);
    states += walked.states;
    if (walked.broken === undefined) continue;
    write(`mistake ${mistake}: found after ${states.toLocaleString('en')} states (${nameOf(it)}): ${walked.broken}`);
    return true;
  }
  write(`mistake ${mistake}: NOT FOUND in ${states.toLocaleString('en')} states`);
  return false;
}

function nameOf({ asks, event, faults }: Omit<Walk, 'mistake'>): string {
  return `${asks === 1 ? 'with' : 'without'} inquiry, ${events[event]}, ${faults} fault${faults === 1 ? '' : 's'}`;
}

/** Generates, compiles and runs the checker; -E: only assertions count, an idle process is no error. */
async function walk({ asks, event, faults, mistake }: Walk, folder: string): Promise<Walked> {
  const here = await mkdtemp(join(folder, `${mistake}-`));
  const defines = [`-DASKS=${asks}`, `-DEVENT=${event}`, `-DFAULTS=${faults}`, `-DMISTAKE=${mistake}`];
  await run('spin', [...defines, '-a', modelPath], here);
  await run('cc', ['-O2', '-w', '-DSAFETY', '-DCOLLAPSE', `-DMEMLIM=${memoryLimitMb}`, '-o', 'pan', 'pan.c'], here);
  const startedMs = performance.now();
  const said = await run('./pan', ['-E', '-m400000'], here);
  const seconds = Math.round((performance.now() - startedMs) / 1000);
  await rm(here, { recursive: true, force: true });
  if (/out of memory|reached -DMEMLIM|max search depth too small/.test(said))
    throw new Error(`not exhaustive: ${said}`);
  const states = Number(/^ *(?<states>[\d.e+]+) states, stored/m.exec(said)?.groups?.['states'] ?? Number.NaN);
  const broken = /assertion violated \(?(?<what>.*?)\)? \(at depth/.exec(said)?.groups?.['what'];
  if (Number.isNaN(states)) throw new Error(said);
  return { states, seconds, ...(broken !== undefined && { broken: broken.slice(0, 100) }) };
}

function run(command: string, args: readonly string[], cwd: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { cwd });
    let said = '';
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk: Buffer) => void (said += chunk.toString()));
    child.on('error', reject);
    child.on('close', (code) =>
      code === 0 ? resolve(said) : reject(new Error(`${command} exited with ${code}: ${said}`)),
    );
  });
}

/** Keeps order; as many at once as there are cores. */
async function inParallel<T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  let next = 0;
  const worker = async () => {
    while (next < items.length) {
      const index = next;
      next += 1;
      results[index] = await work(items[index] as T);
    }
  };
  await Promise.all(Array.from({ length: cores }, worker));
  return results;
}
