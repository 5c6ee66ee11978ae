// The command lines of the operator's commands.
import { type Command, Option } from 'commander';
import type { OperatorOptions } from './operator-commands.ts';

/** Loaded when one of its commands runs: the other commands need no AWS. */
const commands = () => import('./operator-commands.ts');

const settingsHelp =
  '\nORDER is <merchant>/<order id>. Settings: see "Settings" in README.md. Exit code: 0 done, 1 not done, 2 bad input.';

/** Adds `order`, `hold list`, `release`, `cancel`, `pause` and `resume`. */
export function addOperatorCommands(program: Command): void {
  const json = () => new Option('--json', 'print one JSON object').default(false);
  const by = () => new Option('--by <name>', 'who decides (default: the name of this login)');
  const reason = () => new Option('--reason <text>', 'why; kept with the order');

  program
    .command('order <order>')
    .description('Show the life of one order.')
    .addOption(json())
    .addHelpText('after', settingsHelp)
    .action(async (order: string, options: OperatorOptions) => {
      process.exitCode = await (await commands()).showOrder(order, options);
    });

  program
    .command('hold')
    .description('Orders that wait for a person.')
    .command('list')
    .description('List them, the oldest first.')
    .addOption(json())
    .action(async (options: OperatorOptions) => {
      process.exitCode = await (await commands()).listHeld(options);
    });

  program
    .command('release <order>')
    .description(
      'End a held order as paid or not paid. The gateway is asked first where it can be, and its word counts.',
    )
    .addOption(
      new Option('--as <end>', 'what happened to the money').choices(['paid', 'not-paid']).makeOptionMandatory(),
    )
    .option('--id <id>', "the gateway's order id")
    .addOption(reason())
    .addOption(by())
    .addOption(json())
    .addHelpText('after', settingsHelp)
    .action(async (order: string, options: OperatorOptions & { as: 'paid' | 'not-paid'; id?: string }) => {
      process.exitCode = await (await commands()).release(order, options);
    });

  program
    .command('cancel [order]')
    .description('Cancel an order that is not claimed yet, or all such orders of a batch.')
    .option('--batch <id>', 'every order of this batch that is not claimed yet')
    .option('--operation <name>', 'the operation of an order that the ledger does not know yet', 'payout')
    .addOption(reason())
    .addOption(by())
    .addOption(json())
    .addHelpText('after', settingsHelp)
    .action(async (order: string | undefined, options: OperatorOptions & { batch?: string; operation: string }) => {
      process.exitCode = await (await commands()).cancel(order, options);
    });

  for (const [name, paused] of [
    ['pause', true],
    ['resume', false],
  ] as const) {
    program
      .command(`${name} [merchant]`)
      .description(
        paused ? 'Send nothing new for a merchant (or for all); jobs wait.' : 'Let a merchant (or all) go on.',
      )
      .addOption(reason())
      .addOption(by())
      .addOption(json())
      .addHelpText('after', settingsHelp)
      .action(async (merchant: string | undefined, options: OperatorOptions) => {
        process.exitCode = await (await commands()).pause(merchant, paused, options);
      });
  }
}
