// The command line of `dlq list`.
import { tool } from '../../payout/operate/spelling.ts';
import type { Command } from 'commander';
import { choosing } from '../../operate/acts.ts';
import { optionOf } from '../act-commands.ts';
import { runs } from '../aws-failure.ts';
import { countUpTo } from '../quantities.ts';

const listHelp = `
Example:
  ${tool} dlq list --merchant acme-eu --code NOT_SENT --limit 20

Reading hides dead letters from others for a moment and loses none: each is given back, also when you interrupt it.
Exit code: 0 done, 1 interrupted, 2 bad input.`;

/** Adds `dlq list`. */
export function addDeadLetterCommands(program: Command): void {
  const list = program
    .command('dlq')
    .description('Dead letters: why each is there, what it would do, and its way back.')
    .command('list')
    .description('List them, the oldest first, without anything that must not be seen.');
  for (const [key, field] of Object.entries(choosing)) list.addOption(optionOf(key, field));
  list
    .option('--message <id>', 'this message, by its id here or the one that was sent first')
    .option('--limit <n>', 'so many at most', countUpTo(1_000_000))
    .addHelpText('after', listHelp)
    .action(runs(() => import('./dlq-commands.ts'), 'listDeadLetters'));
}
