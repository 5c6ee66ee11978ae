// npm run breaks [-- --lives 20000] [--seeds 2000] [--only TEXT]: plants each break of a law into the order's kernel, and says which of
// three provers finds it, each by itself: the laws over generated facts, the model (lives of an order by chance), and the simulation
// of the whole worker, whose referee knows no fold. Exits 1 where none of a law's breaks taken is found by all three.
import { spawnSync } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { commandLine } from '../../../infra/command-line.ts';
import { laws } from '../../payout/order/laws.ts';
import { breaks } from './breaks.ts';
import { broken, type Kernel } from './kernel.ts';
import type { Break } from './kernel-break.ts';
import { firstBreach } from './lives.ts';

const { values } = commandLine(
  `npm run breaks [-- --lives 20000] [--seeds 2000] [--only TEXT]
  says of each planted break of a law what finds it; --only L4, or a part of its name, takes fewer`,
  {
    options: {
      lives: { type: 'string', default: '20000' },
      seeds: { type: 'string', default: '2000' },
      threads: { type: 'string', default: String(availableParallelism()) },
      only: { type: 'string', default: '' },
    },
  },
);
const here = import.meta.dirname;

function byLaws(kernel: Kernel): string | undefined {
  const found = laws.find(({ holds }) => {
    try {
      holds(kernel, 5000);
      return false;
    } catch {
      return true;
    }
  });
  return found && `${found.law}`;
}

function byModel(kernel: Kernel): string | undefined {
  const found = firstBreach(kernel, { from: 1, lives: Number(values.lives) });
  return found && `life ${found.life}`;
}

/** In a process of its own, every thread of which reads the broken line. */
function bySimulation({ name }: Break): string | undefined {
  const hook = join(here, 'break-hook.ts');
  const run = join(here, '../../simulation/run.ts');
  const args = ['--import', hook, run, '--seeds', values.seeds, '--threads', values.threads];
  const env = { ...process.env, BREAK: name };
  const { stdout } = spawnSync(process.execPath, args, { env, encoding: 'utf8', maxBuffer: 1 << 28 });
  if (stdout.includes('No promise was broken')) return undefined;
  const seed = /--seed (\d+)/.exec(stdout)?.[1];
  if (seed === undefined) throw new Error(`the simulation did not run with "${name}"`);
  return `seed ${seed}`;
}

const write = (line: string) => void process.stdout.write(`${line}\n`);
const whole = new Set<string>();
write('| law | planted | laws | model | simulation |\n|---|---|---|---|---|');
const taken = breaks.filter(({ law, name }) => `${law} ${name}`.includes(values.only));
if (taken.length === 0) throw new Error(`--only: no break is of the law "${values.only}" or has that in its name`);
for (const it of taken) {
  const kernel = await broken(it);
  const found = [byLaws(kernel), byModel(kernel), bySimulation(it)];
  if (found.every((by) => by !== undefined)) whole.add(it.law);
  write(`| ${it.law} | ${it.name} | ${found.map((by) => by ?? '–').join(' | ')} |`);
}
const missing = [...new Set(taken.map(({ law }) => law))].filter((law) => !whole.has(law));
if (missing.length > 0) write(`no break of ${missing.join(', ')} is found by all three`);
process.exitCode = missing.length > 0 ? 1 : 0;
