// The command line of `payouts probe`.
import { type Command, InvalidArgumentError, Option } from 'commander';
import { operationNames } from '../../gateway/operations.ts';
import { runs } from '../aws-failure.ts';
import { countUpTo } from '../quantities.ts';

const help = `
Makes at most 40 requests and starts up to three orders of the amount given, at the sandbox account of the merchant's secret; a
secret that does not say "mode": "test" is refused. Nothing is written: the profile is printed for you to put into the secret.

Example:
  payouts probe acme-eu --endpoint 39915 --field account_number=DE89370400440532013000 --field bank_name="Test bank"

✔ was seen in an answer, ~ follows from answers, ? could not be found out: ask the gateway's support manager.
Settings: those of the worker, see infra/docs/settings.md. Exit code: 0 found out, 1 not, 2 bad input.`;

/** Adds `probe`. */
export function addProbeCommand(program: Command): void {
  program
    .command('probe <merchant>')
    .description("Ask a sandbox gateway what its contract really does, and print the secret's profile for it.")
    .requiredOption('--endpoint <id>', 'at this endpoint of the merchant')
    .addOption(new Option('--operation <name>', 'which operation').choices([...operationNames]).default('payout'))
    .option('--amount <amount>', 'of the orders that it starts', '1.00')
    .option('--currency <code>', 'of the orders that it starts', 'EUR')
    .option('--field <name=value>', 'a further field that the contract asks for; may be repeated', fieldOf, [])
    .option('--wait <seconds>', 'how long a new order may take to become visible', countUpTo(86_400), 60)
    .addHelpText('after', help)
    .action(runs(() => import('./probe-command.ts'), 'probeMerchant'));
}

function fieldOf(text: string, before: [string, string][]): [string, string][] {
  const at = text.indexOf('=');
  if (at < 1) throw new InvalidArgumentError('write name=value, as in "bank_name=Test bank"');
  return [...before, [text.slice(0, at), text.slice(at + 1)]];
}
