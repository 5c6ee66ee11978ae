// The command lines of `payouts submit` and `payouts approve`.
import { Argument, type Command, InvalidArgumentError } from 'commander';
import { registeredDays } from '../../batches/batch.ts';
import { type WarningKind, warningKinds } from '../../batches/row-findings.ts';
import { runs } from '../aws-failure.ts';
import { countUpTo, seconds } from '../quantities.ts';
import { addFileReading } from './file-reading.ts';
import { atTime } from './submit-times.ts';

const submitHelp = `
FILE is CSV or XLSX with a header, pain.001 (.03, .09), or one JSON job per line (see infra/docs/jobs-and-results.md); "-" is
standard input. Column names are understood in many spellings ("Order ID", "client-order-id", "IBAN");
infra/docs/bulk-files.md has the table. \`payouts template\` writes a file to begin with.

Examples:
  payouts submit november.csv --merchant acme-eu --operation payout --endpoint 39915
  payouts submit november.csv --dry-run --map "Rechnung=orderId" --ignore "Notiz" --decimal comma
  payouts submit november.xml --merchant acme-eu --operation payout --endpoint 39915 --dry-run
  gunzip -c november.jsonl.gz | payouts submit - --batch november --yes --json
  payouts submit november.csv --merchant acme-eu --operation payout --endpoint 39915 --at 09:00

With --at the rows are put on the queue now and wait there for their moment, at most seven days ahead. It is fixed when the
batch is first registered: whoever goes on with it, or sends it again, sends by the same.

Before you are asked, rows are held against what could be known: payees, IBAN, BIC, check digits, currencies, caps, the
balance where the gateway tells it, and the same payment under another id, in the file and in the batches of the last days.
Each order id is looked up in the ledger, and the question names the money that will really move.
What can't be right refuses its row. What is only unlikely is a warning: it is listed, and needs your yes, or --accept.

Every row is validated before the first is sent. A submission that was cut off goes on where it was when the same command
is run again. Exit code: 0 all rows are on the queue, none of them paid by that (with --watch: each was paid, declined for
its own reasons, or accepted where the contract can tell no more), 1 not, 2 the file or the command line must be mended,
3 warnings need your confirmation.`;

const approveHelp = `
FILE is the one that was registered by \`npx --no payouts submit FILE --hold\`; say the same of it (--merchant, --map, …). It is read
and validated again, and its hash, rows and totals must be those of the batch. Who you are is asked of AWS (STS): the one
who registered a batch can't approve it. The approval ends when the hold does; until then anybody sends the file with
\`npx --no payouts submit FILE\`.

Example:
  payouts approve november november.csv --merchant acme-eu --operation payout --endpoint 39915

Exit code: 0 approved, 1 not approved, 2 the file or the command line must be mended, 3 warnings need your confirmation.`;

const templateHelp = `
Two payments that pass every check, to be overwritten: order id, amount, currency, payee, IBAN, description.

Examples:
  payouts template xlsx --output november.xlsx
  payouts template csv | payouts submit - --merchant acme-eu --operation payout --endpoint 39915 --dry-run`;

const commands = () => import('./submit-commands.ts');

/** Adds `template`, `submit` and `approve`. */
export function addSubmitCommands(program: Command): void {
  program
    .command('template')
    .description('Write a file of payouts to begin with.')
    .addArgument(new Argument('<form>', 'of the file').choices(['csv', 'xlsx', 'pain.001']))
    .option('--output <file>', 'where it goes (default: standard output)')
    .addHelpText('after', templateHelp)
    .action(async (form: 'csv' | 'xlsx' | 'pain.001', options: { output?: string }) => {
      const { runTemplate } = await import('../formats/templates.ts');
      process.exitCode = await runTemplate(form, options);
    });
  addReadingOptions(
    program
      .command('submit <file>')
      .description('Put the rows of a file on the jobs queue, as one batch.')
      .option('--batch <id>', "the batch's id (default: the file's name and the first digits of its hash)"),
  )
    .option('--save-layout <name>', 'keep what is said here of the columns as <name>.layout.json')
    .option('--skip-invalid', 'send the good rows; the others go into the rejects file with their faults', false)
    .option('--rejects <file>', 'where the rejected rows go (default: <name>.rejects.csv or .jsonl here)')
    .option('--dry-run', 'validate and add up; send nothing', false)
    .option('--check-first', 'have the gateway check the payouts of the file; nothing is paid')
    .option('--pay-checked', 'pay the rows that the gateway has validated, once --check-first was sent')
    .option('--hold', 'send nothing, but register the batch for a second person to approve', false)
    .option(
      '--expires <span>',
      'with --hold: how long it may be approved and sent, as in "90m" or "2d"',
      seconds,
      86_400,
    )
    .option(
      '--at <time>',
      'no row goes before: "09:00" (the next one here), "09:00+02:00", "2026-11-30T09:00:00Z"',
      atTime,
    )
    .option('--yes', 'send without asking', false)
    .option('--watch', 'then watch the rows as `payouts batch` does with --watch, and exit as it does', false)
    .option('--wait <seconds>', 'with --watch: end where no row has moved for so long', countUpTo(86_400))
    .option('--again', 'send a file once more that was sent already; nothing is paid twice', false)
    .addHelpText('after', submitHelp)
    .action(runs(commands, 'runSubmit'));
  addReadingOptions(
    program
      .command('approve <batch> <file>')
      .description('Approve, as a second person, that a held batch is sent.')
      .option('--reason <text>', 'kept with the approval'),
  )
    .option('--yes', 'approve without asking', false)
    .addHelpText('after', approveHelp)
    .action(runs(commands, 'runApprove'));
}

/** The options by which a file is read: each command about one file needs the same. */
function addReadingOptions(command: Command): Command {
  const reading = addFileReading(command)
    .option('--card-keys <file>', "seal card data under the worker's public keys (`payouts card-keys jwks`)")
    .option('--faults <file>', 'where all faults are listed (default: <name>.faults.csv here)')
    .option('--warnings <file>', 'where all warnings are listed (default: <name>.warnings.csv here)');
  return addAcceptance(reading)
    .option('--look-back <days>', `days whose batches are looked through for the same payments; 0: none`, daysBack, 7)
    .option('--json', 'print the outcome as one JSON object, and nothing else', false);
}

/** How a person says that warnings are meant so. */
export const addAcceptance = (command: Command): Command =>
  command
    .option('--accept-warnings', 'the warnings are looked at, and meant so', false)
    .option(
      '--accept <kinds>',
      `the same for some kinds: ${warningKinds.join(', ')}`,
      acceptedKinds,
      new Set<WarningKind>(),
    );

/** Kinds of warnings, with commas between them. */
function acceptedKinds(text: string, all: ReadonlySet<WarningKind>): ReadonlySet<WarningKind> {
  const kinds = text.split(',').map((name) => {
    const kind = warningKinds.find((it) => it === name.trim());
    if (!kind) throw new InvalidArgumentError(`there are ${warningKinds.join(', ')}`);
    return kind;
  });
  return new Set([...all, ...kinds]);
}

function daysBack(text: string): number {
  return text === '0' ? 0 : countUpTo(registeredDays)(text);
}
