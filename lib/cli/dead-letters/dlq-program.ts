// The command lines of the commands on dead letters.
import { tool } from '../../payout/operate/spelling.ts';
import type { Command } from 'commander';
import { runs } from '../aws-failure.ts';
import { countUpTo } from '../quantities.ts';

const endHelp = `
Reading hides dead letters from others for a moment and loses none: each is given back, also when you interrupt it.
Settings: those of the worker, see infra/docs/settings.md. Exit code: 0 done, 1 not (all) done, 2 bad input.`;

const listHelp = `
Example:
  ${tool} dlq list --merchant acme-eu --code NOT_SENT --limit 20
${endHelp}`;

const planHelp = `
Examples:
  ${tool} dlq plan
  ${tool} dlq plan --batch 2026-11-payroll
${endHelp}`;

const commands = () => import('./dlq-commands.ts');

/** Adds `dlq list` and `dlq plan`. */
export function addDeadLetterCommands(program: Command): void {
  const dlq = program
    .command('dlq')
    .description('Dead letters: why each is there, what it would do, and its way back.');
  choosing(dlq.command('list'))
    .description('List them, the oldest first, without anything that must not be seen.')
    .option('--limit <n>', 'so many at most', countUpTo(1_000_000))
    .addHelpText('after', listHelp)
    .action(runs(commands, 'listDeadLetters'));
  choosing(dlq.command('plan'))
    .description('Say from the ledger what each would do if it were sent again, and for how much money.')
    .addHelpText('after', planHelp)
    .action(runs(commands, 'planDeadLetters'));
}

function choosing(command: Command): Command {
  return command
    .option('--order <order>', 'of this order, <merchant>/<order id>')
    .option('--batch <id>', 'of this batch')
    .option('--merchant <name>', 'of this merchant')
    .option('--code <code>', 'with this reason; "sqs" for those that SQS moved itself')
    .option('--message <id>', 'this message, by its id here or the one that was sent first')
    .option('--search <text>', 'that show this text in any part');
}
