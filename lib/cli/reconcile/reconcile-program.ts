// The command line of `payouts reconcile`.
import { tool } from '../../payout/operate/spelling.ts';
import type { Command } from 'commander';
import { runs } from '../aws-failure.ts';
import { pairsAs } from '../quantities.ts';

const reconcileHelp = `
RESULTS are the messages of the results queue as they were received, one a line, GATEWAY a CSV file with a header. Its columns are
found by the gateway's names (client_orderid, orderid, amount, currency, status, type) and by what people call them; --map names
the others. Statuses and types go by the gateway's list; --status says what other words mean: paid, unpaid, under-way, unproven,
reversed, or ignore for lines that are no payment.

The three books may have more than each other: what is compared are the orders of the merchants, batches and days that you name.
Others in the files are counted and named. An order is of the moment when it was sent last; one that the ledger does not have,
of the date in the gateway's report. Without --batch the whole table is read: about 70 read units for a hundred orders.

Nothing is written unless you say --apply: then each order in doubt or accepted of which the report says that it is paid, or for each time
that it was sent that it is not, is decided as \`${tool} release\` decides it, with --reason, after you have seen which. The
gateway is asked first where it can be, and its answer counts; an order that has moved since it was read is left. Say with --drawn
when the report was drawn: an order that has moved since is not called unpaid by it.

The journal has a line a movement, by the day on which the ledger learned it: what was paid, what came back, and what was booked as
paid and never was. It has the decisions of --apply too; the sums by day are in <name>.totals.csv beside it.

Each order falls into one class; infra/docs/bulk-files.md has the table. The comparison happens on
this machine, in the folder of temporary files (TMPDIR): about half as much again as the books, for any number of orders.

Examples:
  ${tool} reconcile acme-eu --results results.jsonl --gateway november.csv --journal journal.csv
  ${tool} reconcile acme-eu globex-us --results results.jsonl --gateway acme-eu=eu.csv --gateway globex-us=us.csv \\
    --from 2026-11-20 --to 2026-11-22 --output differences.csv
  ${tool} reconcile acme-eu --from 2026-11-01 --to 2026-12-01 --journal november-journal.csv

Settings: those of the worker, see infra/docs/settings.md.
Exit code: 0 every order that was compared is the same in all three, or was decided now; 1 some are not, none was compared, some
were written by a newer version, or AWS did not answer; 2 a file or the command line can't be read.`;

const repeated = (text: string, all: readonly string[] = []): readonly string[] => [...all, text];

/** Adds it. */
export function addReconcileCommand(program: Command): void {
  program
    .command('reconcile [merchants...]')
    .description("Hold the ledger, the results and the gateway's own report against each other; write what moved.")
    .option('--results <file>', 'the results, one message a line; may be repeated, as the two below', repeated)
    .option('--gateway <[merchant=]file>', "the gateway's report, as CSV, and whose it is", repeated)
    .option('--batch <id>', 'the batch whose orders are compared', repeated)
    .option('--from <day>', 'orders sent from this day or moment on (UTC without a zone)')
    .option('--to <day>', 'and before this one')
    .option(
      '--map <column=field>',
      'a column of the report; may be repeated',
      pairsAs('name=meaning'),
      new Map<string, string>(),
    )
    .option(
      '--status <word=meaning>',
      'what a word of the report means; may be repeated',
      pairsAs('name=meaning'),
      new Map<string, string>(),
    )
    .option('--output <file>', 'write the orders that do not agree, as CSV')
    .option('--journal <file>', 'write what moved on these days, as CSV')
    .option('--apply', 'decide the orders in doubt or accepted that the report decides', false)
    .option('--drawn <moment>', 'with --apply: when the report was drawn, with its zone; of several, the earliest')
    .option('--reason <text>', 'why; kept with it')
    .option('--yes', 'with --apply: without being asked', false)
    .addHelpText('after', reconcileHelp)
    .action(runs(() => import('./reconcile-command.ts'), 'runReconcile'));
}
