// npm run lives [-- --lives 1000000] [--from 1] [--states 300000]: explores each small world of one order whole, then draws lives of
// an order by chance, in which any actor moves at any moment. Ends with 1 and the shortest story if a promise is broken.
import { commandLine } from '../../../infra/command-line.ts';
import { explore } from './explore.ts';
import { shipped } from './kernel.ts';
import { firstBreach } from './lives.ts';
import type { Bounds } from './world.ts';

const calm: Bounds = {
  canAsk: true,
  endsDenied: true,
  attempts: 2,
  messages: 1,
  resends: 0,
  callbacks: 0,
  decisions: 0,
  restores: 0,
  hours: 2,
};
const worlds: readonly (readonly [name: string, Partial<Bounds>])[] = [
  ['a gateway that can be asked', { hours: 1 }],
  ['no inquiry', { canAsk: false }],
  ['callbacks', { canAsk: false, callbacks: 1, hours: 1 }],
  ['a restored table', { canAsk: false, restores: 1, hours: 1 }],
  ['a person and a named end', { canAsk: false, resends: 1, decisions: 1, hours: 1 }],
];
const livesAtOnce = 10_000;
const write = (line: string) => void process.stdout.write(`${line}\n`);

const { values } = commandLine(
  `npm run lives [-- --lives 1000000] [--from 1] [--states 300000]
  explores small worlds of one order whole, then draws lives by chance`,
  {
    options: {
      lives: { type: 'string', default: '1000000' },
      from: { type: 'string', default: '1' },
      states: { type: 'string', default: '300000' },
    },
  },
);

function stop(broken: string, story: readonly string[]): never {
  write(`BROKEN: ${broken}\n${story.map((move, at) => `  ${at + 1}. ${move}`).join('\n')}`);
  process.exit(1);
}

for (const [name, bounds] of worlds) {
  const { states, whole, breach } = explore(shipped, { ...calm, ...bounds }, Number(values.states));
  if (breach) stop(`${name}: ${breach.broken}`, breach.story);
  write(`${name}: ${states} states, ${whole ? 'whole' : 'cut off'}, no promise broken`);
}
const from = Number(values.from);
const until = from + Number(values.lives);
for (let life = from; life < until; life += livesAtOnce) {
  const lives = Math.min(livesAtOnce, until - life);
  const found = firstBreach(shipped, { from: life, lives });
  if (found) stop(`life ${found.life} in ${JSON.stringify(found.bounds)}: ${found.broken}`, found.story);
  if ((life - from) % 100_000 === 0) write(`${life - from + lives} of ${values.lives} lives, no promise broken`);
}
write(`${values.lives} lives, no promise broken`);
