// The command line of `payouts retry`.
import type { Command } from 'commander';
import { Option } from 'commander';
import { runAgainstAws } from '../aws-failure.ts';
import { addFileReading } from './file-reading.ts';
import type { RetryOptions } from './retry-command.ts';

const retryHelp = `
FILE is the very file that was submitted as the batch; say the same of it (--merchant, --map, …). Rows that are proven unpaid
(declined, or never sent) are written with new order ids into a file of the same columns, and why each was not paid is shown,
so that what was wrong is mended before that file is submitted. An id is the first one with -R1, then -R2: whoever retries
the same batch twice writes the same ids, and none is paid twice. A row whose retry is paid, under way or in doubt is listed
and not written; so is one that bears card data.

Of rows that were in doubt, or are, nothing is proven: look at them by \`payouts order\`.

Examples:
  payouts retry november-1f0c november.csv --merchant acme-eu --operation payout --endpoint 39915 --as-file again.csv

Settings: those of the worker, see infra/docs/settings.md.
Exit code: 0 written; 1 there is nothing to retry, or not every unpaid row was written; 2 bad input.`;

/** Adds it. */
export function addRetryCommand(program: Command): void {
  addFileReading(
    program
      .command('retry <batch> <file>')
      .description('Write the rows of a batch that are proven unpaid into a file, with new order ids.')
      .requiredOption('--as-file <file>', 'where they go')
      .option('--cancelled', 'rows that were called off too', false)
      .addOption(new Option('--json', 'print the outcome as one JSON object').default(false)),
  )
    .addHelpText('after', retryHelp)
    .action((batch: string, file: string, options: RetryOptions) =>
      runAgainstAws(async () => {
        const { runRetry } = await import('./retry-command.ts');
        return runRetry(batch, file, options);
      }),
    );
}
