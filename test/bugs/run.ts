// npm run bugs: bugs planted one by one. Those of the list are met by walks through simulated worlds; drawn and given ones by the
// short tests first (drawn.ts). Prints what finds each, and exits 1 if one that is known to be found is not.
import { availableParallelism } from 'node:os';
import { commandLine } from '../../infra/command-line.ts';
import { huntDrawn } from './drawn.ts';
import { plantedBugs } from './list.ts';
import { type PlantedBug, walkKinds } from './planted.ts';
import { walked } from './walks.ts';

const { values, positionals } = commandLine(
  `npm run bugs [-- --seed N] [files or folders of lib/ and functions/] [--count 60] [--worlds 40] [--minutes 60]
npm run bugs [-- --edit FILE.diff] [--edit ...]
  plants bugs that are drawn by the seed (any text; of a landing: its parent's hash) from the syntax trees of what ships, or of
  the files that are named; or each of these edits, as git diff prints it. Each goes into
  a copy, is met by the short tests that reach it and then by simulated worlds (--worlds 0: by none), and is printed as
  found or survived.
  Exits 0 where 95 % were found, 1 where not, 2 where it can't be tried.
npm run bugs [-- --worlds 40] [--most 400] [--threads 2] [--only text|text] [--known] [--minutes 60]
  plants every bug of the list (test/world/bugs.txt, test/bugs/list.ts), one after the other, and prints the walk that finds it;
  --known leaves out those that no walk is known to find`,
  {
    allowPositionals: true,
    options: {
      seed: { type: 'string' },
      edit: { type: 'string', multiple: true, default: [] },
      count: { type: 'string', default: '60' },
      worlds: { type: 'string', default: '40' },
      most: { type: 'string', default: '400' },
      threads: { type: 'string', default: String(availableParallelism()) },
      only: { type: 'string', default: '' },
      known: { type: 'boolean', default: false },
      minutes: { type: 'string', default: '60' },
    },
  },
);
const [worlds, minutes] = [Number(values.worlds), Number(values.minutes)];
if (values.seed !== undefined || values.edit.length > 0) {
  const { seed = '', edit: edits } = values;
  process.exit(await huntDrawn({ seed, count: Number(values.count), worlds, minutes, edits, from: positionals }));
}

const write = (line: string) => void process.stdout.write(`${line}\n`);
const endsMs = performance.now() + minutes * 60_000;
/** The worker as it is must pass the walks that find the bugs. */
const nothing: PlantedBug = { name: '(nothing planted)', breaks: /./, isSeldom: false, edits: [] };
const chosen = plantedBugs.filter(
  ({ name, foundBy }) => (foundBy ?? !values.known) && values.only.split('|').some((part) => name.includes(part)),
);
const waiting = [...chosen, nothing];
const counts = { planted: 0, found: 0 };
const wrong: string[] = [];

async function hunt(): Promise<void> {
  for (let bug = waiting.shift(); bug && performance.now() < endsMs; bug = waiting.shift()) {
    const { name, edits, foundBy, breaks } = bug;
    const kinds = walkKinds.toSorted((a, b) => Number(b === foundBy) - Number(a === foundBy));
    const most = bug === nothing ? 0 : Number(values.most);
    const end = await walked({ edits, kinds, worlds, most }, { ms: Math.max(endsMs - performance.now(), 1) });
    if (!end) {
      write(`not hunted to its end: ${name}`);
      continue;
    }
    const { fault, by, lives } = end;
    write(`${fault === undefined ? 'NOT FOUND' : 'found'}  ${name}`);
    if (fault !== undefined) write(`       by ${by}, after ${lives} lives: ${fault}`);
    if (bug === nothing) {
      if (fault !== undefined) wrong.push(`with nothing planted: ${fault}`);
      continue;
    }
    counts.planted += 1;
    counts.found += fault === undefined ? 0 : 1;
    if (foundBy && !bug.isSeldom && fault === undefined) wrong.push(`not found, though ${foundBy} find it: ${name}`);
    if (fault !== undefined && !breaks.test(fault)) write(`       (by another promise than ${String(breaks)})`);
  }
}

await Promise.all(Array.from({ length: Number(values.threads) }, hunt));
write(`${counts.found} of ${counts.planted} found.`);
if (waiting.length > 0) write(`${waiting.length} bugs were not planted: the time was over.`);
for (const it of wrong) write(it);
process.exitCode = wrong.length === 0 ? 0 : 1;
