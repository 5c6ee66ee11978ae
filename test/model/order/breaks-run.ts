// npm run breaks [-- --lives 20000] [--seeds 2000] [--only TEXT]: plants each break of a law into the order's kernel, and says which of
// three provers finds it, each by itself: the laws over generated facts, the model (lives of an order by chance), and the simulation
// of the whole worker, whose referee knows no fold. Exits 1 where none of a law's breaks taken is found by all three.
import { commandLine } from '../../../infra/command-line.ts';
import { lawBrokenBy, laws } from '../../payout/order/laws.ts';
import { kernelBugs } from '../../bugs/list.ts';
import type { PlantedBug } from '../../bugs/planted.ts';
import { walked } from '../../bugs/walks.ts';
import { broken, type Kernel } from './kernel.ts';
import { firstBreach } from './lives.ts';

const { values } = commandLine(
  `npm run breaks [-- --lives 20000] [--seeds 2000] [--only TEXT]
  says of each planted break of a law what finds it; --only L4, or a part of its name, takes fewer`,
  {
    options: {
      lives: { type: 'string', default: '20000' },
      seeds: { type: 'string', default: '2000' },
      only: { type: 'string', default: '' },
    },
  },
);

/** The model runs the pure kernel alone. */
const isModelled = ({ edits }: PlantedBug): boolean => edits.every(({ file }) => file.startsWith('lib/payout/order/'));

function byModel(kernel: Kernel): string | undefined {
  const found = firstBreach(kernel, { from: 1, lives: Number(values.lives) });
  return found && `life ${found.life}`;
}

/** In a thread of its own, which reads the broken line. */
async function bySimulation({ edits, foundBy = 'seeds' }: PlantedBug): Promise<string | undefined> {
  const end = await walked({ edits, kinds: [foundBy], worlds: Number(values.seeds), most: 0 });
  return end?.lives === undefined ? undefined : `after ${end.lives} lives`;
}

const write = (line: string) => void process.stdout.write(`${line}\n`);
const whole = new Set<string>();
write('| law | planted | laws | model | simulation |\n|---|---|---|---|---|');
const taken = kernelBugs.filter(({ law = '', name }) => `${law} ${name}`.includes(values.only));
if (taken.length === 0) throw new Error(`--only: no break is of the law "${values.only}" or has that in its name`);
for (const it of taken) {
  const kernel = await broken(it);
  const byLaw = await lawBrokenBy(kernel, laws, 5000);
  const found = [byLaw?.law, isModelled(it) ? byModel(kernel) : 'not asked', await bySimulation(it)];
  if (found.every((by) => by !== undefined)) whole.add(it.law ?? '');
  write(`| ${it.law} | ${it.name} | ${found.map((by) => by ?? '–').join(' | ')} |`);
}
const missing = [...new Set(taken.map(({ law = '' }) => law))].filter((law) => !whole.has(law));
if (missing.length > 0) write(`no break of ${missing.join(', ')} is found by all three`);
process.exitCode = missing.length > 0 ? 1 : 0;
