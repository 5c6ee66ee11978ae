// The command lines of `payouts restore`.
import { tool } from '../../payout/operate/spelling.ts';
import { type Command, Option } from 'commander';
import { runs } from '../aws-failure.ts';

const commands = () => import('./restore-commands.ts');

const help = `
The table is the one that LEDGER_TABLE_NAME names. infra/docs/procedures/restore-the-ledger.md says what comes when.
Settings: those of the worker, see infra/docs/settings.md. Exit code: 0 done, 1 not done, 2 bad input.

Example:
  LEDGER_TABLE_NAME=payouts-prod-ledger-2 ${tool} restore begin --to 2026-11-21T10:00:00Z --reason "table deleted"`;

const fenceHelp = `
Of every merchant with a secret its gateway is asked about an order that nobody has: it must take the key of now, and refuse the
version before, which is the one that the lost Region signs with. So rotate each key first (\`${tool} keys new\`, \`keys activate\`).
infra/docs/procedures/region-loss.md says what comes when.
Exit code: 0 proven, 1 not proven, 2 bad input.

Examples:
  ${tool} restore fence acme-eu=39915 acme-us=40001
  ${tool} restore fence --addresses-refused --reason "confirmed by the gateway's duty officer, their ticket 4711"`;

const reason = () => new Option('--reason <text>', 'why; kept in the table');

/** Adds `restore status`, `ready`, `adopt`, `begin`, `fence`, `end` and `approve-end`. */
export function addRestoreCommands(program: Command): void {
  const restore = program
    .command('restore')
    .description('Take a ledger that was restored from a backup into service without paying again.')
    .addHelpText('after', help);

  restore
    .command('status')
    .description('Tell whether the table is the ledger, and whether it was restored.')
    .action(runs(commands, 'restoreStatus'));
  restore
    .command('ready <table>')
    .description(
      'Wait for a table that is being restored, for hours if need be, and switch on what a restore leaves off.',
    )
    .action(runs(commands, 'makeReady'));
  restore
    .command('adopt <file>')
    .description(
      'Put orders back as results, or lines of the log, tell them: one JSON object per line; "-" is standard input.',
    )
    .action(runs(commands, 'adoptFile'));
  restore
    .command('begin')
    .description(
      'Prepare this restored table to be the ledger. Everybody is paused; what it may have lost is not sent.',
    )
    .requiredOption('--to <time>', 'the moment that the table was restored to')
    .addOption(reason())
    .action(runs(commands, 'begin'));
  restore
    .command('fence [merchants...]')
    .description(
      'Prove that the gateways refuse what the lost Region sends: before that, a copy from there does not become the ledger.',
    )
    .option(
      '--addresses-refused',
      'the gateways have confirmed that they refuse the old addresses; your word, kept with --reason',
      false,
    )
    .addOption(reason())
    .addHelpText('after', fenceHelp)
    .action(runs(commands, 'fenceRegion'));
  addEnd(restore);
}

/** Adds `restore end` and `approve-end`. */
function addEnd(restore: Command): void {
  restore
    .command('end')
    .description(
      'Say that every order of the gap is back in the ledger: an order that it does not know is a new one again.',
    )
    .option('--despite-messages', 'although jobs, dead letters or answers are left', false)
    .option(
      '--approval <token>',
      `where any merchant demands two persons: what \`${tool} restore approve-end\` printed`,
    )
    .addOption(reason())
    .action(runs(commands, 'end'));
  restore
    .command('approve-end')
    .description('Say as an approver, beside who ends the restore, that every order of the gap is known.')
    .requiredOption('--for <arn>', `who ends it, as \`${tool} restore end\` printed it`)
    .option('--yes', 'approve without being asked', false)
    .action(runs(commands, 'approveEnd'));
}
