// The command lines of `payouts batch`, `report`, `export` and `reconcile`.
import { type Command, Option } from 'commander';
import { runAgainstAws } from './aws-failure.ts';
import type { BatchOptions } from './batch-command.ts';
import { countUpTo } from './counts.ts';
import type { ReportOptions } from './report-command.ts';

const batchHelp = `
Every row is read from the ledger, an order and a note each: a batch of a million rows costs about a million read units,
and again at each look of --watch. The sweeper closes a batch by itself, within minutes after its last row has ended.

Examples:
  payouts batch 2026-11-payroll
  payouts batch 2026-11-payroll --watch --every-seconds 30

Settings: those of the worker, see README.md.
Exit code: 0 nothing is wrong; 1 there is no such batch, or rows are in doubt or held, or the sums are not those of the
file; 2 bad input.`;

const reportHelp = `
Lines in the order of the file: \`record\` tells rows (\`row\`) from the sums at the end (\`total\` per status and currency,
\`control\` for the control totals of the file). Text that a spreadsheet would take for a formula has an apostrophe in
front. It is rebuilt from the ledger each time, an order and a note a row, and can be made again for 400 days.

Examples:
  payouts report 2026-11-payroll --output november.csv
  payouts report 2026-11-payroll --format jsonl | jq 'select(.status == "held")'

Settings: those of the worker, see README.md.
Exit code: 0 written; 1 there is no such batch, or its sums are not those of the file; 2 bad input.`;

/** Adds the commands about whole batches. */
export function addBatchCommands(program: Command): void {
  program
    .command('batch <batch>')
    .description('Show how far a batch has come: rows and money by state, its pace, the oldest open row.')
    .option('--watch', 'look again and again, until it is closed', false)
    .option('--every-seconds <n>', 'time between two looks of --watch', countUpTo(3_600), 10)
    .option('--close', 'close it now if every row has ended, and tell its result', false)
    .addOption(new Option('--json', 'print JSON, in one line a look').default(false))
    .addHelpText('after', batchHelp)
    .action((batch: string, options: BatchOptions) =>
      runAgainstAws(async () => {
        const { runBatchCommand } = await import('./batch-command.ts');
        return runBatchCommand(batch, options);
      }),
    );

  program
    .command('report <batch>')
    .description('Write every row of a batch and what became of it, in the order of its file, with totals at the end.')
    .addOption(new Option('--format <name>', 'of the report').choices(['csv', 'jsonl']).default('csv'))
    .option('--output <file>', 'where it goes (default: standard output)')
    .addHelpText('after', reportHelp)
    .action((batch: string, options: ReportOptions) =>
      runAgainstAws(async () => {
        const { runReport } = await import('./report-command.ts');
        return runReport(batch, options);
      }),
    );
}
