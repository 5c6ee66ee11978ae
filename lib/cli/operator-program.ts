// The command lines of the operator's commands.
import { tool } from '../payout/operate/spelling.ts';
import { type Command, Option } from 'commander';
import { systemClock } from '../aws/system.ts';
import { UsageError } from './usage-error.ts';
import { runs } from './aws-failure.ts';

const commands = () => import('./orders/operator-commands.ts');

const settingsHelp =
  '\nSettings: those of the worker, see infra/docs/settings.md. Exit code: 0 done, 1 not done or not found, 2 bad input.';
const orderHelp = `\nAn order is written as <merchant>/<order id>.${settingsHelp}`;

/** Options that several commands share. */
export const reason = () => new Option('--reason <text>', 'why; kept with the order, 80 bytes with the name');

/** Adds `order`, `hold list`, `release`, `cancel`, `pause` and `resume`. */
export function addOperatorCommands(program: Command): void {
  program
    .command('order <order>')
    .description('Show the life of one order.')
    .addHelpText('after', orderHelp)
    .action(runs(commands, 'showOrder'));

  program
    .command('hold')
    .description('Orders that wait for a person.')
    .command('list')
    .description('List them, the oldest first.')
    .addHelpText('after', settingsHelp)
    .action(runs(commands, 'listHeld'));

  program
    .command('todo')
    .description(
      'All that waits for a person: held orders, dead letters, surprises, lanes, unsent jobs, batches; with the ways out.',
    )
    .addHelpText('after', '\nExit code: 0 nothing waits, 1 something does, 2 bad input.')
    .action(runs(() => import('./console/questions.ts'), 'runTodo'));

  program
    .command('console')
    .description('Serve a console on loopback, over the local run or a deployed stage, by your own rights.')
    .option('--read-only', 'look, and do nothing', false)
    .addOption(new Option('--local-page <url>', 'where the faults of a local run are').hideHelp())
    .addHelpText('after', '\nThe address that is printed serves once. Nothing is deployed; Ctrl-C ends it.')
    .action(runs(() => import('./console/console-command.ts'), 'runConsole'));

  addRelease(program);
  addApproveRelease(program);
  addCancel(program);
  addErase(program);
  addPause(program, 'pause', 'Send nothing new for a merchant (or for all) from now on; jobs wait and lose nothing.');
  addPause(program, 'resume', 'Let a merchant (or all) go on; waiting jobs go within a minute or two.');
}

function addRelease(program: Command): void {
  program
    .command('release <order>')
    .description(
      'End a held or doubtful order as paid or not paid. The gateway is asked first where it can be, and its answer counts.',
    )
    .addOption(
      new Option('--as <end>', 'what happened to the money').choices(['paid', 'not-paid']).makeOptionMandatory(),
    )
    .option('--id <id>', "the gateway's order id, where you have it")
    .addOption(reason())
    .option(
      '--approval <token>',
      `as not paid, where two persons must say so: what \`${tool} approve-release\` printed`,
    )
    .option(
      '--even-unanswered',
      'as not paid, although the gateway gave no clear answer, or callbacks wait that are in no order yet',
      false,
    )
    .addHelpText('after', orderHelp)
    .action(runs(commands, 'release'));
}

function addApproveRelease(program: Command): void {
  program
    .command('approve-release <order>')
    .description(
      'Say as an approver, beside who decides, that an order is not paid; for merchants that demand two persons.',
    )
    .requiredOption('--for <arn>', `who decides, as \`${tool} release\` printed it`)
    .option('--id <id>', "the gateway's order id, where the release names it too")
    .option('--yes', 'approve without being asked', false)
    .addHelpText('after', orderHelp)
    .action(runs(commands, 'approveRelease'));
}

function addCancel(program: Command): void {
  program
    .command('cancel [order]')
    .description('Cancel an order that is not claimed yet, or all such orders of a batch.')
    .option('--batch <id>', 'every order of this batch, of every merchant, that is not claimed yet')
    .addOption(reason())
    .addHelpText('after', orderHelp)
    .action(runs(commands, 'cancel'));
}

function addErase(program: Command): void {
  program
    .command('erase [order]')
    .description(
      'Erase the texts and the context of an order that has ended; what keeps it from being paid twice stays.',
    )
    .addOption(
      new Option(
        '--ended-before <day>',
        'every order that ended before this day (UTC), or so many days ago, by a scan of the ledger',
      ).argParser(dayMs),
    )
    .option('--yes', 'all of these without being asked', false)
    .addHelpText(
      'after',
      `\nExample, by a timer of yours, each night or month:\n  ${tool} erase --ended-before 400d --yes\n${orderHelp}`,
    )
    .action(runs(() => import('./orders/erase-command.ts'), 'runErase'));
}

/** The beginning of a day (UTC), as it is named or so many days ago; epoch ms. */
function dayMs(text: string): number {
  const [, daysAgo] = /^([1-9]\d{0,4})d$/.exec(text) ?? [];
  const today = new Date(systemClock.nowMs()).toISOString().slice(0, 10);
  const named = /^\d{4}-\d\d-\d\d$/.test(text) ? text : '';
  const ms = Date.parse(`${daysAgo === undefined ? named : today}T00:00:00Z`) - Number(daysAgo ?? 0) * 86_400_000;
  if (Number.isNaN(ms)) throw new UsageError('--ended-before must be a day such as 2025-10-01, or 400d for days ago');
  return ms;
}

function addPause(program: Command, name: 'pause' | 'resume', description: string): void {
  const command = program.command(`${name} [merchant]`).description(description);
  if (name === 'pause') command.option('--yes', 'pause every merchant without being asked', false);
  command
    .addOption(reason())
    .addHelpText('after', settingsHelp)
    .action((merchant: string | undefined, options: object, it: Command) =>
      runs(commands, 'pause')(merchant, name === 'pause', options, it),
    );
}
