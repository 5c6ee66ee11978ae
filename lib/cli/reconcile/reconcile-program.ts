// The command line of `payouts reconcile`.
import { tool } from '../../payout/operate/spelling.ts';
import type { Command } from 'commander';
import { runAgainstAws } from '../aws-failure.ts';
import { pairsAs } from '../quantities.ts';
import type { ReconcileOptions } from './reconcile-command.ts';

const reconcileHelp = `
LEDGER is what \`${tool} export\` writes, RESULTS the messages of the results queue as they were received, one a line,
GATEWAY a CSV file with a header. Its columns are found by the gateway's names (client_orderid, orderid, amount, currency,
status, type) and by what people call them; --map names the others. Statuses and types go by the gateway's list; --status
says what other words mean: paid, unpaid, under-way, unproven, reversed, or ignore for lines that are no payment.

The three books may have more than each other: what is compared are the orders of the batch, the merchant and the time that
the ledger was exported for, narrowed by --merchant, --batch, --from and --to. Others are counted and named. An
order is of the moment when it was sent last; one that the ledger does not have, of the date in the gateway's report.

Nothing is written unless you say --apply: then each order in doubt or accepted of which the report says that it is paid, or for each time
that it was sent that it is not, is decided as \`${tool} release\` decides it, with --reason, after you have seen which. The
gateway is asked first where it can be, and its answer counts; an order that has moved since the export is left.

Each order falls into one class; infra/docs/bulk-files.md has the table. Everything happens on
this machine, in the folder of temporary files (TMPDIR): about half as much again as the books, for any number of orders.

Examples:
  ${tool} reconcile --ledger ledger.jsonl --results results.jsonl --gateway november.csv --merchant acme-eu
  ${tool} reconcile --ledger ledger.jsonl --results results.jsonl --gateway acme-eu=eu.csv --gateway globex-us=us.csv \\
    --from 2026-11-20 --to 2026-11-22 --output differences.csv
  ${tool} reconcile --ledger l.jsonl --results r.jsonl --gateway g.csv --map "Bestellung=orderId" --map "Shop=merchant" \\
    --status storno=reversed --json

Settings: none; with --apply those of the worker, see infra/docs/settings.md.
Exit code: 0 every order that was compared is the same in all three, or was decided now; 1 some are not, or none was compared;
2 a file or the command line can't be read.`;

const repeated = (text: string, all: readonly string[] = []): readonly string[] => [...all, text];

/** Adds it. */
export function addReconcileCommand(program: Command): void {
  program
    .command('reconcile')
    .description("Hold the ledger, the results and the gateway's own report against each other, offline.")
    .requiredOption('--ledger <file>', 'the export of the ledger; may be repeated, as the two below', repeated)
    .requiredOption('--results <file>', 'the results, one message a line', repeated)
    .requiredOption('--gateway <[merchant=]file>', "the gateway's report, as CSV, and whose it is", repeated)
    .option('--merchant <name>', 'whose orders are compared, and whose a report without that column is', repeated)
    .option('--batch <id>', 'the batch whose orders are compared; may be repeated', repeated)
    .option('--from <day>', 'orders sent from this day or moment on, UTC')
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
    .option('--apply', 'decide the orders in doubt or accepted that the report decides', false)
    .option('--reason <text>', 'why; kept with it')
    .option('--yes', 'with --apply: without being asked', false)
    .addHelpText('after', reconcileHelp)
    .action(async (options: ReconcileOptions) => {
      const { runReconcile } = await import('./reconcile-command.ts');
      if (options.apply) await runAgainstAws(() => runReconcile(options));
      else process.exitCode = await runReconcile(options);
    });
}
