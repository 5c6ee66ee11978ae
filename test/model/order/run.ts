// npm run lives [-- --lives 1000000] [--from 1] [--states 30000]: explores each small world of one order whole, then draws lives of
// an order by chance, in which any actor moves at any moment. Ends with 1 and the shortest story if a promise is broken.
import { commandLine } from '../../../infra/command-line.ts';
import { explore, worlds } from './explore.ts';
import { shipped } from './kernel.ts';
import { firstBreach } from './lives.ts';
const livesAtOnce = 10_000;
const write = (line: string) => void process.stdout.write(`${line}\n`);

const { values } = commandLine(
  `npm run lives [-- --lives 1000000] [--from 1] [--states 30000]
  explores small worlds of one order whole, then draws lives by chance`,
  {
    options: {
      lives: { type: 'string', default: '1000000' },
      from: { type: 'string', default: '1' },
      states: { type: 'string', default: '30000' },
    },
  },
);

function stop(broken: string, story: readonly string[]): never {
  write(`BROKEN: ${broken}\n${story.map((move, at) => `  ${at + 1}. ${move}`).join('\n')}`);
  process.exit(1);
}

for (const [name, bounds] of Object.entries(worlds)) {
  const { states, whole, breach } = explore(shipped, bounds, Number(values.states));
  if (breach) stop(`${name}: ${breach.broken}`, breach.story);
  write(`${name}: ${states} states, ${whole ? 'whole' : 'cut off'}, no promise broken`);
}
const from = Number(values.from);
const until = from + Number(values.lives);
for (let life = from; life < until; life += livesAtOnce) {
  const lives = Math.min(livesAtOnce, until - life);
  const found = firstBreach(shipped, { from: life, lives });
  if (found) stop(`life ${found.life}: ${found.broken}`, found.story);
  if ((life - from) % 100_000 === 0) write(`${life - from + lives} of ${values.lives} lives, no promise broken`);
}
write(`${values.lives} lives, no promise broken`);
