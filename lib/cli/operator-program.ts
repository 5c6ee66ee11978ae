// The command lines of an operator's looks.
import type { Command } from 'commander';
import { choosing } from '../operate/acts.ts';
import { tool } from '../payout/operate/spelling.ts';
import { checked, optionOf } from './act-commands.ts';
import { runs } from './aws-failure.ts';
import { countUpTo } from './quantities.ts';

const commands = () => import('./orders/operator-commands.ts');

/** Adds the looks of an operator: `order`, `todo`, `console`, `lanes` and `dlq list`. */
export function addOperatorCommands(program: Command): void {
  addLanes(program);
  addDeadLetters(program);
  program
    .command('order')
    .argument('<order>', choosing.order.label, (text) => checked(choosing.order, text))
    .description('Show the life of one order.')
    .action(runs(commands, 'showOrder'));

  program
    .command('todo')
    .description(
      'List all that waits for a person: held orders, dead letters, surprises, lanes, unsent jobs, batches; with what to run.',
    )
    .option('--held', 'held orders, and those accepted for too long, alone', false)
    .addHelpText('after', '\nExit code: 0 nothing waits, 1 something does, 2 bad input.')
    .action(runs(() => import('./orders/todo.ts'), 'runTodo'));

  program
    .command('console')
    .description('Serve a console on loopback, over the local run or a deployed stage, by your own rights.')
    .option('--read-only', 'look, and do nothing', false)
    .addHelpText('after', '\nThe address that is printed serves once. Nothing is deployed; Ctrl-C ends it.')
    .action(runs(() => import('./console-command.ts'), 'runConsole'));
}

const lanesHelp = `
A lane is one merchant at one endpoint: the worker sends there at the gateway's pace, and stops while the gateway takes
nothing. Jobs wait unharmed meanwhile. What holds a lane up, in the order in which it is looked at: a pause of the merchant (or
of all), money in doubt above the merchant's limit, a pause of the lane, the brake, the pace.

Examples:
  ${tool} lanes
  ${tool} pause acme-eu --endpoint 39915 --reason "the acquirer asks for an hour"
  ${tool} lanes probe acme-eu
  ${tool} resume acme-eu --reason "new contract"`;

/** Adds `lanes`. */
function addLanes(program: Command): void {
  program
    .command('lanes')
    .description('Show each lane: whether it is open, why not, its pace, who waits, and what a person can do.')
    .addHelpText('afterAll', lanesHelp)
    .action(runs(commands, 'showLanes'));
}

const listHelp = `
Example:
  ${tool} dlq list --merchant acme-eu --code NOT_SENT --limit 20

Reading hides dead letters from others for a moment and loses none: each is given back, also when you interrupt it.
Exit code: 0 done, 1 interrupted, 2 bad input.`;

/** Adds `dlq list`. */
function addDeadLetters(program: Command): void {
  const list = program
    .command('dlq')
    .description('List, plan, redrive or discard dead letters.')
    .command('list')
    .description('List dead letters, the oldest first; card data is cut out.');
  for (const [key, field] of Object.entries(choosing)) list.addOption(optionOf(key, field));
  list
    .option('--message <id>', 'this message, by its id here or the one that was sent first')
    .option('--limit <n>', 'so many at most', countUpTo(1_000_000))
    .addHelpText('after', listHelp)
    .action(runs(() => import('./dead-letters/dlq-commands.ts'), 'listDeadLetters'));
}
