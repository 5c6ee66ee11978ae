// The command lines of the commands on dead letters.
import { tool } from '../../payout/operate/spelling.ts';
import { type Command, Option } from 'commander';
import { runs } from '../aws-failure.ts';
import { countUpTo } from '../quantities.ts';
import { reason } from '../operator-program.ts';

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
  ${tool} dlq plan --batch 2026-11-payroll --json > plan.json
${endHelp}`;

const redriveHelp = `
Examples:
  ${tool} dlq redrive --all
  ${tool} dlq redrive --order acme-eu/INV-2026-000123 --yes
  ${tool} dlq redrive --plan plan.json --json

A plan that was printed with --json is agreed on by giving it with --plan; a dead letter for which it no longer holds stays.
${endHelp}`;

const discardHelp = `
Example:
  ${tool} dlq discard --order acme-eu/INV-2026-000123 --reason "the customer called it off"

A result is published to its sender first; an order that may have been sent keeps its state in it.
${endHelp}`;

const commands = () => import('./dlq-commands.ts');

/** Adds `dlq list`, `dlq plan`, `dlq redrive` and `dlq discard`. */
export function addDeadLetterCommands(program: Command): void {
  const dlq = program.command('dlq').description('Dead letters: what lies there, what it would do, and its way back.');
  choosing(dlq.command('list'))
    .description('List them, the oldest first, without anything that must not be seen.')
    .option('--limit <n>', 'so many at most', countUpTo(1_000_000))
    .addHelpText('after', listHelp)
    .action(runs(commands, 'listDeadLetters'));
  choosing(dlq.command('plan'))
    .description('Say from the ledger what each would do if it were sent again, and for how much money.')
    .addHelpText('after', planHelp)
    .action(runs(commands, 'planDeadLetters'));
  choosing(dlq.command('redrive'))
    .description('Send them again as new messages, by a plan that you have seen.')
    .option('--all', 'every dead letter that the plan moves', false)
    .option('--plan <file>', 'a plan that was printed with --json')
    .option('--yes', 'without asking', false)
    .addHelpText('after', redriveHelp)
    .action(runs(commands, 'redrive'));
  dlq
    .command('discard')
    .description('Throw them away, once each has ended in a result.')
    .addOption(order())
    .addOption(message())
    .addOption(reason())
    .option('--yes', 'without asking', false)
    .addHelpText('after', discardHelp)
    .action(runs(commands, 'discard'));
}

const order = () => new Option('--order <order>', 'of this order, <merchant>/<order id>');
const message = () => new Option('--message <id>', 'this message, by its id here or the one that was sent first');

function choosing(command: Command): Command {
  return command
    .addOption(order())
    .option('--batch <id>', 'of this batch')
    .option('--merchant <name>', 'of this merchant')
    .option('--code <code>', 'with this reason; "sqs" for those that SQS moved itself')
    .addOption(message())
    .option('--search <text>', 'that show this text in any part');
}
