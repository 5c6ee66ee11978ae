// The command lines of an operator's looks.
import type { Command } from 'commander';
import { runs } from './aws-failure.ts';

const commands = () => import('./orders/operator-commands.ts');

/** Adds the looks of an operator: `order`, `todo` and `console`. */
export function addOperatorCommands(program: Command): void {
  program
    .command('order <order>')
    .description('Show the life of one order.')
    .addHelpText('after', '\nAn order is written as <merchant>/<order id>.')
    .action(runs(commands, 'showOrder'));

  program
    .command('todo')
    .description(
      'All that waits for a person: held orders, dead letters, surprises, lanes, unsent jobs, batches; with the ways out.',
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
