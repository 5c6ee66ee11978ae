// The command lines of the operator's commands.
import { type Command, Option } from 'commander';
import { systemClock } from '../aws/system.ts';
import { UsageError } from './usage-error.ts';
import { runAgainstAws } from './aws-failure.ts';
import type { ConsoleOptions } from './console/console-command.ts';
import type { EraseOptions } from './orders/erase-command.ts';
import type { ApproveReleaseOptions } from './orders/approve-release-command.ts';
import type { OperatorOptions } from './command-line.ts';
import type { CancelOptions, PauseOptions, ReleaseOptions } from './orders/operator-commands.ts';

type Commands = typeof import('./orders/operator-commands.ts');

const settingsHelp =
  '\nSettings: those of the worker, see infra/docs/settings.md. Exit code: 0 done, 1 not done or not found, 2 bad input.';
const orderHelp = `\nAn order is written as <merchant>/<order id>; an eligibility check as <merchant>~check/<order id>.${settingsHelp}`;

/** Options that several commands share. */
export const json = () => new Option('--json', 'print JSON, in one line').default(false);
export const reason = () => new Option('--reason <text>', 'why; kept with the order, 80 bytes with the name');

/** Adds `order`, `hold list`, `release`, `cancel`, `pause` and `resume`. */
export function addOperatorCommands(program: Command): void {
  program
    .command('order <order>')
    .description('Show the life of one order.')
    .addOption(json())
    .addHelpText('after', orderHelp)
    .action((order: string, options: OperatorOptions) => run((it) => it.showOrder(order, options)));

  program
    .command('hold')
    .description('Orders that wait for a person.')
    .command('list')
    .description('List them, the oldest first.')
    .addOption(json())
    .addHelpText('after', settingsHelp)
    .action((options: OperatorOptions) => run((it) => it.listHeld(options)));

  program
    .command('todo')
    .description(
      'All that waits for a person: held orders, dead letters, surprises, lanes, unsent jobs, batches; with the ways out.',
    )
    .addOption(json())
    .addHelpText('after', '\nExit code: 0 nothing waits, 1 something does, 2 bad input.')
    .action((options: OperatorOptions) =>
      runAgainstAws(async () => (await import('./console/todo-command.ts')).runTodo(options)),
    );

  program
    .command('console')
    .description('Serve a console on loopback, over the local run or a deployed stage, by your own rights.')
    .option('--read-only', 'look, and do nothing', false)
    .addOption(new Option('--local-page <url>', 'where the faults of a local run are').hideHelp())
    .addHelpText('after', '\nThe address that is printed serves once. Nothing is deployed; Ctrl-C ends it.')
    .action((options: ConsoleOptions) =>
      runAgainstAws(async () => (await import('./console/console-command.ts')).runConsole(options)),
    );

  addRelease(program);
  addApproveRelease(program);
  addCancel(program);
  addErase(program);
  addPause(program, 'pause', 'Send nothing new for a merchant (or for all) from now on; jobs wait and lose nothing.');
  addPause(program, 'resume', 'Let a merchant (or all) go on; waiting jobs look again within half a minute.');
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
    .option('--approval <token>', 'as not paid, where two persons must say so: what `payouts approve-release` printed')
    .option(
      '--even-unanswered',
      'as not paid, although the gateway gave no clear answer, or callbacks wait that are in no order yet',
      false,
    )
    .addOption(json())
    .addHelpText('after', orderHelp)
    .action((order: string, options: ReleaseOptions) => run((it) => it.release(order, options)));
}

function addApproveRelease(program: Command): void {
  program
    .command('approve-release <order>')
    .description(
      'Say as an approver, beside who decides, that an order is not paid; for merchants that demand two persons.',
    )
    .requiredOption('--for <arn>', 'who decides, as `payouts release` printed it')
    .option('--id <id>', "the gateway's order id, where the release names it too")
    .option('--yes', 'approve without being asked', false)
    .addOption(json())
    .addHelpText('after', orderHelp)
    .action((order: string, options: ApproveReleaseOptions) =>
      runAgainstAws(async () => (await import('./orders/approve-release-command.ts')).approveRelease(order, options)),
    );
}

function addCancel(program: Command): void {
  program
    .command('cancel [order]')
    .description('Cancel an order that is not claimed yet, or all such orders of a batch.')
    .option('--batch <id>', 'every order of this batch, of every merchant, that is not claimed yet')
    .option('--operation <name>', 'the operation of an order that the ledger does not know yet', 'payout')
    .addOption(reason())
    .addOption(json())
    .addHelpText('after', orderHelp)
    .action((order: string | undefined, options: CancelOptions) => run((it) => it.cancel(order, options)));
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
    .addOption(json())
    .addHelpText(
      'after',
      `\nExample, by a timer of yours, each night or month:\n  payouts erase --ended-before 400d --yes\n${orderHelp}`,
    )
    .action((order: string | undefined, options: EraseOptions) =>
      runAgainstAws(async () => (await import('./orders/erase-command.ts')).runErase(order, options)),
    );
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
    .addOption(json())
    .addHelpText('after', settingsHelp)
    .action((merchant: string | undefined, options: PauseOptions) =>
      run((it) => it.pause(merchant, name === 'pause', options)),
    );
}

/** The commands are loaded when one of them runs: the rest of the tool needs no AWS. */
function run(work: (commands: Commands) => Promise<number>): Promise<void> {
  return runAgainstAws(async () => work(await import('./orders/operator-commands.ts')));
}
