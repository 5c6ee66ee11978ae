// The command line of `payouts retry`.
import { type Command, Option } from 'commander';
import { runs } from '../aws-failure.ts';
import { countUpTo, seconds } from '../quantities.ts';
import { addFileReading } from './file-reading.ts';
import { addAcceptance } from './submit-program.ts';

const retryHelp = `
Takes the rows of a batch that are proven unpaid (declined, or never sent), shows why each was not paid, and submits them as a
batch of their own, under their order ids. Each row names the end of its order that you see now, and opens no other: where the
gateway shows a sign of life meanwhile, or somebody else retries it, nothing is sent, and the result says where the order
stands, or END_UNKNOWN. FILE is the very file that was submitted as the batch; say the same of it (--merchant, --map, …).
Without it the rows come from the batch's dead letters, and those that have none are listed.

Where two persons release, say --hold: the new batch is approved anew, and only then sent.

With --as-file nothing is sent: the rows go with new order ids into a file of the columns of FILE, so that what was wrong is
mended before that file is submitted. An id is the first one with -R1, then -R2, the same for whoever retries.

A row that was retried and is paid, under way or in doubt is listed and not sent again; so is one that bears card data. Of
rows that were in doubt, or are, nothing is proven: look at them by \`payouts order\`.

Examples:
  payouts retry november-1f0c november.csv --merchant acme-eu --operation payout --endpoint 39915
  payouts retry november-1f0c --dry-run
  payouts retry november-1f0c november.csv --merchant acme-eu --operation payout --endpoint 39915 --as-file again.csv

Settings: those of the worker, see infra/docs/settings.md.
Exit code: 0 on the queue (written); 1 there is nothing to retry, or not every unpaid row was taken; 2 bad input; 3 warnings
need your confirmation.`;

/** Adds it. */
export function addRetryCommand(program: Command): void {
  const sending = addAcceptance(
    program
      .command('retry <batch> [file]')
      .description('Send the rows of a batch that are proven unpaid once more, or write them with new order ids.')
      .option('--as-file <file>', 'write them there with new order ids, and send nothing')
      .option('--cancelled', 'with --as-file: rows that were called off too', false)
      .option('--dry-run', 'write and validate the new batch; send nothing', false)
      .option('--hold', 'register the new batch for a second person to approve', false)
      .option('--expires <span>', 'with --hold: how long it may be approved and sent', seconds, 86_400)
      .option('--yes', 'send without asking', false),
  );
  addFileReading(
    sending
      .option('--watch', 'then watch the rows as `payouts batch` does with --watch, and exit as it does', false)
      .option('--wait <seconds>', 'with --watch: end where no row has moved for so long', countUpTo(86_400))
      .addOption(
        new Option('--json', 'print JSON objects, a line each: what is retried, then what `submit` says').default(
          false,
        ),
      ),
  )
    .addHelpText('after', retryHelp)
    .action(runs(() => import('./retry-command.ts'), 'runRetry'));
}
