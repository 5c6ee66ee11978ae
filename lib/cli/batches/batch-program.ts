// The command lines about files and batches: `submit`, `approve`, `batch`, `report` and `retry`.
import { tool } from '../../payout/operate/spelling.ts';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { registeredDays } from '../../batches/batch.ts';
import { type WarningKind, warningKinds } from '../../files/row-findings.ts';
import { actOf } from '../../operate/acts.ts';
import { commandOfAct, optionOf } from '../act-commands.ts';
import { runs } from '../aws-failure.ts';
import { countUpTo, seconds } from '../quantities.ts';
import { addFileReading, lookBackDays } from './file-reading.ts';

/** Adds the commands about files and batches. */
export function addBatchCommands(program: Command): void {
  addSubmitCommands(program);
  addProgress(program);
  addReport(program);
  addRetryCommand(program);
}

const submitHelp = `
FILE is CSV or XLSX with a header, pain.001 (.03, .09), or one JSON job per line; "-" is standard input. infra/docs/bulk-files.md
has the columns and the checks, infra/examples a file of each form. Every row is validated before the first is sent, and a
submission that was cut off goes on when the same command is run again.

Where columns have names of your own, a dry run writes a first layout: complete it, and add --layout each time.

Examples:
  ${tool} submit nov.csv --merchant acme-eu --operation payout --endpoint 39915
  ${tool} submit nov.csv --dry-run --layout our-erp.json
  gunzip -c nov.jsonl.gz | ${tool} submit - --batch nov --yes --json

Exit code: 0 all rows are queued, which does not mean paid (with --watch: as batch exits; with --dry-run: nothing is to be corrected
or confirmed), 1 not, 2 the file or the command line must be corrected, 3 warnings need your confirmation.`;

const approveHelp = `
An order is written as <merchant>/<order id>, with --for. \`restore\` ends the pause of a restore that another approver has begun.
A batch is named with the very file that was registered by \`${tool} submit FILE --hold\`; it is read as it was then and validated
again. The registrar, whom AWS names (STS), can't approve it. The approval ends when the hold does.

Examples:
  ${tool} approve november november.csv
  ${tool} approve acme-eu/INV-1 --for arn:aws:sts::111122223333:assumed-role/D/jo

Exit code: 0 approved, 1 not approved, 2 the file or the command line must be corrected, 3 warnings need your confirmation.`;

const onFiles = () => import('./submit-commands.ts');

/** Adds `submit` and `approve`. */
function addSubmitCommands(program: Command): void {
  const submit = program
    .command('submit <file>')
    .description('Put the rows of a file on the jobs queue, as one batch.')
    .option('--batch <id>', "the batch's id (default: the file's name and the first digits of its hash)");
  addLooking(addFileReading(submit))
    .option('--card-keys <file>', `seal card data under the worker's public keys (\`${tool} card-keys jwks\`)`)
    .option(
      '--look-back <days>',
      `compare with batches of the last N days (0: off)`,
      countUpTo(registeredDays, 0),
      lookBackDays,
    )
    .option('--skip-invalid', 'send the good rows; the others go into the rejects file with their faults', false)
    .option('--dry-run', 'validate and add up; send nothing', false)
    .option('--hold', 'send nothing, but register the batch for a second person to approve', false)
    .addOption(expires())
    .option('--yes', 'send without asking', false)
    .option('--watch', `then watch the rows as \`${tool} batch\` does with --watch, and exit as it does`, false)
    .option('--wait <seconds>', 'with --watch: stop after this many seconds without progress', countUpTo(86_400))
    .option('--again', 'send a file once more that was sent already; nothing is paid twice', false)
    .addHelpText('after', submitHelp)
    .action(runs(onFiles, 'runSubmit'));
  const approve = program
    .command('approve <what> [file]')
    .description(
      'Approve, as second person, a held batch with its file, that an order was not paid, or `restore`: its end.',
    )
    .option('--reason <text>', 'of a batch: kept with the approval');
  const { order: _, ...ofOrder } = actOf('approve').fields;
  for (const [key, field] of Object.entries(ofOrder)) approve.addOption(optionOf(key, { ...field, optional: true }));
  addLooking(approve)
    .option('--yes', 'approve without asking', false)
    .addHelpText('after', approveHelp)
    .action(runs(() => import('../approve-command.ts'), 'runApproval'));
}

const expires = () =>
  new Option('--expires <span>', 'with --hold: how long it may be approved and sent, as in "90m" or "2d"')
    .argParser(seconds)
    .default(86_400, '1d');

/** How a file is looked at, for the first time and for the second. */
const addLooking = (command: Command): Command =>
  addAcceptance(command)
    .option('--output <folder>', 'where <name>.faults.csv, .warnings.csv and .rejects go (default: here)')
    .option('--json', 'print the outcome as one JSON object, and nothing else', false);

/** How a person says that warnings are meant so. */
const addAcceptance = (command: Command): Command =>
  command.option(
    '--accept <kinds>',
    `confirm these warnings: ${warningKinds.join(', ')}, or all`,
    acceptedKinds,
    new Set<WarningKind>(),
  );

/** Kinds of warnings, with commas between them. */
function acceptedKinds(text: string, before: ReadonlySet<WarningKind>): ReadonlySet<WarningKind> {
  if (text === 'all') return new Set(warningKinds);
  const kinds = text.split(',').map((name) => {
    const kind = warningKinds.find((it) => it === name.trim());
    if (!kind) throw new InvalidArgumentError(`there are ${warningKinds.join(', ')}, and all`);
    return kind;
  });
  return new Set([...before, ...kinds]);
}

const batchHelp = `
The sweeper closes a batch by itself, within minutes after its last row has ended. --watch ends when each row is paid, was
declined, waits for a person, or is accepted where the contract can tell no more.

Example:
  ${tool} batch 2026-11-payroll --watch --wait 3600

Exit code: 0 each row was paid, was declined for its own reasons, was called off, or was accepted where the contract can
tell no more; 1 not (each reason is shown with what to do), or there is no such batch, or the sums are not those of the
file; 2 bad input.`;

const reportHelp = `
A row a line, in the order of the file, made from the ledger each time. The sums are in <name>.totals.csv beside --output, and on
standard error. With --file, which must be the very one that was submitted, the file's own columns come first, masked where they are
about a card, and rejected rows are there too. CSV is for programs, --format xlsx for people; pain.002 answers a pain.001.

Examples:
  ${tool} report november-1f0c --file november.csv --output report.csv
  ${tool} report november-1f0c --format jsonl | jq 'select(.status == "held")'

Exit code: 0 written; 1 there is no such batch, or its sums are not those of the file; 2 bad input.`;

function addProgress(program: Command): void {
  program
    .command('batch <batch>')
    .description('Show how far a batch has come: rows and money by standing, its pace, the oldest open row.')
    .option('--watch', 'refresh until no row moves by itself', false)
    .option('--wait <seconds>', 'with --watch: stop after this many seconds without progress', countUpTo(86_400))
    .addOption(new Option('--json', 'print JSON, a line for each refresh').default(false))
    .addHelpText('after', batchHelp)
    .action(runs(() => import('./batch-commands.ts'), 'runBatchCommand'));
}

function addReport(program: Command): void {
  program
    .command('report <batch>')
    .description('Write every row of a batch and what became of it, in the order of its file, with totals apart.')
    .addOption(
      new Option('--format <name>', 'of the report').choices(['csv', 'jsonl', 'xlsx', 'pain.002']).default('csv'),
    )
    .option('--output <file>', 'where it goes (default: standard output)')
    .option('--file <file>', 'the file that was submitted ("-": standard input)')
    .addHelpText('after', reportHelp)
    .action(runs(() => import('./report-command.ts'), 'runReport'));
}

const retryHelp = `
Takes the rows of a batch that are proven unpaid (declined, or never sent) and submits them as a batch of their own, under their
order ids. Each row names the end of its order that you see now, and opens no other. FILE is the file that was submitted as the
batch. Where two persons release, add --hold. infra/docs/bulk-files.md says which rows are left, and why.

With --as-file nothing is sent: the old ids are cancelled, and the rows go with new ones (INV-1-R1) into a file that you correct.

Examples:
  ${tool} retry november-1f0c november.csv
  ${tool} retry november-1f0c november.csv --as-file again.csv

Exit code: 0 on the queue (written); 1 there is nothing to retry, or not every unpaid row was taken; 2 bad input; 3 warnings
need your confirmation.`;

/** Adds it. */
function addRetryCommand(program: Command): void {
  const sending = addAcceptance(
    commandOfAct(program, actOf('retry'), ['accept'])
      .option('--as-file <file>', 'write them there with new order ids, and send nothing')
      .option('--cancelled', 'with --as-file: rows that were called off too', false)
      .option('--dry-run', 'write and validate the new batch; send nothing', false)
      .addOption(expires())
      .option('--yes', 'send without asking', false),
  );
  sending
    .option('--watch', `then watch the rows as \`${tool} batch\` does with --watch, and exit as it does`, false)
    .option('--wait <seconds>', 'with --watch: stop after this many seconds without progress', countUpTo(86_400))
    .addOption(
      new Option('--json', 'print JSON objects, a line each: what is retried, then what `submit` says').default(false),
    )
    .addHelpText('after', retryHelp)
    .action(runs(() => import('./retry-command.ts'), 'runRetry'));
}
