// The command lines of `payouts restore`.
import { tool } from '../../payout/operate/spelling.ts';
import { type Command, Option } from 'commander';
import { runs } from '../aws-failure.ts';
import { pairsOption, repeatedOption } from '../quantities.ts';

const commands = () => import('./restore-commands.ts');

const help = `
The table is the one that LEDGER_TABLE_NAME names. infra/docs/disasters.md says what comes when.
Settings: those of the worker, see infra/docs/settings.md. Exit code: 0 done, 1 not done, 2 bad input.

Examples:
  ${tool} restore begin --reason "table deleted"
  ${tool} restore doubt results.jsonl --gateway acme-eu=report.csv`;

const fenceHelp = `
Of every merchant with a secret its gateway is asked about an unknown order: it must take the key of now, and refuse the
version before, which is the one that the lost Region signs with. So rotate each key first (\`${tool} keys new\`, \`keys activate\`).
infra/docs/disasters.md says what comes when.
Exit code: 0 proven, 1 not proven, 2 bad input.

Examples:
  ${tool} restore fence acme-eu=39915 acme-us=40001
  ${tool} restore fence --addresses-refused --reason "their ticket 4711"`;

const reason = () => new Option('--reason <text>', 'why; kept in the table');

/** Adds `restore status`, `ready`, `begin`, `doubt` and `fence`. */
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
    .command('begin')
    .description('Pause everything, whatever the tables are: the first act of a restore.')
    .addOption(reason())
    .action(runs(commands, 'begin'));
  restore
    .command('doubt [results...]')
    .description(
      'Put in doubt what the restored table may have lost: orders that it holds, and those that results or lines of the log (one JSON object per line), reports, jobs and dead letters name.',
    )
    .addOption(
      repeatedOption('--gateway <merchant=file>', "the gateway's report, as CSV, and whose it is; may be repeated"),
    )
    .addOption(pairsOption('--map <column=field>', 'a column of the report; may be repeated'))
    .action(runs(commands, 'doubt'));
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
}
