// The command line of `payouts reconcile`.
import { tool } from '../../payout/operate/spelling.ts';
import type { Command } from 'commander';
import { runs } from '../aws-failure.ts';
import { pairsOption, repeatedOption } from '../quantities.ts';

const reconcileHelp = `
RESULTS are the messages of the results queue, one a line, GATEWAY is a CSV file with a header. infra/docs/bulk-files.md says how its
columns are found and which words it may use (--status: paid, unpaid, under-way, unproven, reversed, or ignore).
What is compared are the orders of the merchants, batches and days that you name; others in the files are counted and named.

Nothing is written unless you add --apply: then each order of which the report says that it is paid, or for each time that it was sent
that it is not, is decided as \`${tool} release\` decides it, after you have seen which. An order that has moved since --drawn is left.

The comparison happens on this machine, in the folder of temporary files (TMPDIR). Without --batch the whole table is read: about 70
read units for a hundred orders.

Examples:
  ${tool} reconcile acme-eu --results results.jsonl --gateway nov.csv
  ${tool} reconcile acme-eu --from 2026-11-01 --to 2026-12-01 --journal nov.csv

Exit code: 0 every order that was compared is the same in all three, or was decided now; 1 some are not, none was compared, some
were written by a newer version, or AWS did not answer; 2 a file or the command line can't be read.`;

/** Adds it. */
export function addReconcileCommand(program: Command): void {
  program
    .command('reconcile [merchants...]')
    .description("Compare the ledger, the results and the gateway's report; write the movements of money.")
    .addOption(repeatedOption('--results <file>', 'the results, one message a line; may be repeated, as the two below'))
    .addOption(repeatedOption('--gateway <[merchant=]file>', "the gateway's report, as CSV, and whose it is"))
    .addOption(repeatedOption('--batch <id>', 'the batch whose orders are compared'))
    .option('--from <day>', 'orders sent from this day or moment on (UTC without a zone)')
    .option('--to <day>', 'and before this one')
    .addOption(pairsOption('--map <column=field>', 'a column of the report; may be repeated'))
    .addOption(pairsOption('--status <word=meaning>', 'what a word of the report means; may be repeated'))
    .option('--output <file>', 'write the orders that do not agree, as CSV')
    .option('--journal <file>', 'write what moved on these days, as CSV')
    .option('--apply', 'decide the orders in doubt or accepted that the report decides', false)
    .option('--drawn <moment>', 'with --apply: when the report was drawn, with its zone; of several, the earliest')
    .option('--reason <text>', 'why; kept with it')
    .option('--yes', 'with --apply: do not ask', false)
    .addHelpText('after', reconcileHelp)
    .action(runs(() => import('./reconcile-command.ts'), 'runReconcile'));
}
