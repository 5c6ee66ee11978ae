// The command lines of `payouts batch`, `report` and `export`.
import { type Command, Option } from 'commander';
import { runs } from '../aws-failure.ts';
import { addFileReading } from './file-reading.ts';
import { countUpTo, locale } from '../quantities.ts';

const batchHelp = `
Every row is read from the ledger, an order and a note each: a batch of a million rows costs about a million read units,
and again at each look of --watch. The sweeper closes a batch by itself, within minutes after its last row has ended.

Examples:
  payouts batch 2026-11-payroll
  payouts batch 2026-11-payroll --watch --wait 3600

--watch ends when each row is paid, was declined, waits for a person, or is accepted where the contract can tell no more;
whether the result of the batch is published by then makes no difference.

Settings: those of the worker, see infra/docs/settings.md.
Exit code: 0 each row was paid, was declined for its own reasons, was called off, or was accepted where the contract can
tell no more; 1 not (each reason is shown with what to do), or there is no such batch, or the sums are not those of the
file; 2 bad input.`;

const reportHelp = `
A row a line, in the order of the file. The sums stand apart: in <name>.totals.csv beside --output, on a sheet of their own,
and on standard error. With --file the file's own columns stand in front, masked where they are about a card, rows that were
rejected included; the file must be the very one that was submitted, and be read by the same options. Text that a
spreadsheet would take for a formula has an apostrophe in front. --locale writes for a spreadsheet of that language: a mark
for UTF-8, its separators and decimals, and long numbers as text. --format pain.002 answers a pain.001 by its own ids. The
report is rebuilt from the ledger each time, an order and a note a row.

Examples:
  payouts report november-1f0c --output november-report.csv
  payouts report november-1f0c --file november.csv --merchant acme-eu --operation payout --endpoint 39915
  payouts report november-1f0c --format jsonl | jq 'select(.status == "held")'
  payouts report november-1f0c --locale de --output november-report.csv
  payouts report november-1f0c --format xlsx --output november-report.xlsx

Settings: those of the worker, see infra/docs/settings.md.
Exit code: 0 written; 1 there is no such batch, or its sums are not those of the file; 2 bad input.`;

const exportHelp = `
One JSON object a line: first what was asked for, then an order each, last how many (\`kind\` is export, absent, export-end).
No fingerprints, no card data. Without --batch the whole table is read, whatever the filters: about 70 read units for a
hundred orders.

Examples:
  payouts export --since 2026-11-20T00:00:00Z --output ledger.jsonl
  payouts export --batch 2026-11-payroll --output ledger.jsonl

Settings: those of the worker, see infra/docs/settings.md.
Exit code: 0 written; 1 there is no such batch, or orders were written by a newer version; 2 bad input.`;

/** Adds the commands about whole batches. */
export function addBatchCommands(program: Command): void {
  addProgress(program);
  addReport(program);
  addExport(program);
}

function addProgress(program: Command): void {
  program
    .command('batch <batch>')
    .description('Show how far a batch has come: rows and money by state, its pace, the oldest open row.')
    .option('--watch', 'look again and again, until no row comes to another end by itself', false)
    .option('--wait <seconds>', 'with --watch: end where no row has moved for so long', countUpTo(86_400))
    .option('--close', 'close it now if every row is processed, and publish its result', false)
    .addOption(new Option('--json', 'print JSON, in one line a look').default(false))
    .addHelpText('after', batchHelp)
    .action(runs(() => import('./batch-commands.ts'), 'runBatchCommand'));
}

function addReport(program: Command): void {
  const command = program
    .command('report <batch>')
    .description('Write every row of a batch and what became of it, in the order of its file, with totals apart.')
    .addOption(
      new Option('--format <name>', 'of the report').choices(['csv', 'jsonl', 'xlsx', 'pain.002']).default('csv'),
    )
    .option('--output <file>', 'where it goes (default: standard output)')
    .option('--locale <tag>', 'of whoever opens the CSV in a spreadsheet, as in "de" or "en-GB"', locale)
    .option(
      '--file <file>',
      'the file that was submitted ("-": standard input), read by the options that were said then',
    );
  addFileReading(command, '--file-format')
    .addHelpText('after', reportHelp)
    .action(runs(() => import('./report-command.ts'), 'runReport'));
}

function addExport(program: Command): void {
  program
    .command('export')
    .description('Write orders of the ledger as JSON lines.')
    .option('--batch <id>', 'the orders of this batch alone')
    .option('--merchant <name>', 'the orders of this merchant alone')
    .option('--since <time>', 'orders that have moved since')
    .option('--output <file>', 'where they go (default: standard output)')
    .addHelpText('after', exportHelp)
    .action(runs(() => import('./export-command.ts'), 'runExport'));
}
