// The command lines that bring the books of `payouts reconcile` onto this machine: results and the gateway's own report.
import { type Command, Option } from 'commander';
import { runAgainstAws } from '../aws-failure.ts';
import type { GatewayReportOptions } from './gateway-report-command.ts';
import type { ResultsOptions } from './results-command.ts';

const resultsHelp = `
It consumes: a result that stands in the file is no longer on the queue, and no consumer gets it. A line is on the disk
before its message is deleted; whatever was cut off comes again under the same resultId. An existing file is added to.

Examples:
  payouts results --output results.jsonl

Settings: those of the worker, see infra/docs/settings.md.
Exit code: 0 done, 1 AWS did not answer, 2 bad input.`;

const gatewayReportHelp = `
Not every contract has it; it needs the controlKey of the merchant's secret. The gateway does not say in which zone its
days begin, so ask for a day more on either side. A list in JSON is written as CSV; anything else as it came.

Examples:
  payouts gateway-report acme-eu --from 2026-11-19 --to 2026-11-23 --output gateway.csv

Settings: those of the worker, see infra/docs/settings.md.
Exit code: 0 written, 1 the gateway gave none, 2 bad input.`;

/** Adds them. */
export function addBookCommands(program: Command): void {
  program
    .command('results')
    .description('Take the results off their queue and into a file, a message a line.')
    .requiredOption('--output <file>', 'where they go; an existing file is added to')
    .addOption(new Option('--json', 'print the outcome as one JSON object').default(false))
    .addHelpText('after', resultsHelp)
    .action((options: ResultsOptions) =>
      runAgainstAws(async () => {
        const { runResults } = await import('./results-command.ts');
        return runResults(options);
      }),
    );
  program
    .command('gateway-report <merchant>')
    .description("Ask the gateway for its own report of a merchant's transactions, where the contract has it.")
    .requiredOption('--from <day>', 'first moment, UTC, such as 2026-11-20')
    .requiredOption('--to <day>', 'the moment after the last, 31 days later at most')
    .option('--output <file>', 'where it goes', 'gateway.csv')
    .addOption(new Option('--json', 'print the outcome as one JSON object').default(false))
    .addHelpText('after', gatewayReportHelp)
    .action((merchant: string, options: GatewayReportOptions) =>
      runAgainstAws(async () => {
        const { runGatewayReport } = await import('./gateway-report-command.ts');
        return runGatewayReport(merchant, options);
      }),
    );
}
