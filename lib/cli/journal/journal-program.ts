// The command line of `payouts journal`.
import { tool } from '../../payout/operate/spelling.ts';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { runs } from '../aws-failure.ts';

const journalHelp = `
A line a movement, by day: what was paid, what came back, and what was booked as paid and never was. An order that is only
accepted has moved nothing yet. A late fact is booked on the day on which the ledger learns it, so that a day that is
over keeps its lines, but for one: of money that came back in several parts the ledger knows the sum alone, and books it on
the day of the last part. The sums by day are apart: in <name>.totals.csv beside --output, and on standard error. The whole
table is read: about 70 read units for a hundred orders.

Examples:
  ${tool} journal --from 2026-11-01 --to 2026-11-30 --merchant acme-eu --output november-journal.csv
  ${tool} journal --from 2026-11-24 --to 2026-11-24 --format jsonl

Settings: those of the worker, see infra/docs/settings.md.
Exit code: 0 written; 1 orders were written by a newer version, or AWS did not answer; 2 bad input.`;

/** Adds it. */
export function addJournalCommand(program: Command): void {
  program
    .command('journal')
    .description('Write what moved, a line a movement, by day, for the books.')
    .requiredOption('--from <day>', 'first day, in UTC, such as 2026-11-01', day)
    .requiredOption('--to <day>', 'last day', day)
    .option('--merchant <name>', 'of this merchant alone')
    .addOption(new Option('--format <name>', 'of the journal').choices(['csv', 'jsonl']).default('csv'))
    .option('--output <file>', 'where it goes (default: standard output)')
    .addHelpText('after', journalHelp)
    .action(runs(() => import('./journal-command.ts'), 'runJournal'));
}

function day(text: string): string {
  const isDay = /^\d{4}-\d{2}-\d{2}$/.test(text) && new Date(`${text}T00:00:00Z`).toJSON()?.slice(0, 10) === text;
  if (!isDay) throw new InvalidArgumentError('write a day, such as 2026-11-30');
  return text;
}
