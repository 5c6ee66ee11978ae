// The command lines about merchants: their keys and secrets, card keys, callbacks, safeguards, and the probe of a sandbox.
import { tool } from '../../payout/operate/spelling.ts';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { operationNames } from '../../gateway/operations.ts';
import { secretStages } from '../../merchants/secret-ports.ts';
import { runs } from '../aws-failure.ts';
import { countUpTo } from '../quantities.ts';

const commands = () => import('./merchants-commands.ts');

/** Adds the commands about merchants. */
export function addMerchantCommands(program: Command): void {
  addCallbackCommands(program);
  addSafeguardsCommands(program);
  addCardKeyCommands(program);
  addSecretsCommands(program);
  addProbeCommand(program);
  // Their commands are acts.
  program.command('keys').description('The keys by which the worker signs for a merchant.');
  program.command('ledger').description("The tables that are the worker's own.");
}

const checkHelp = `
Example:
  ${tool} secrets check acme-eu --key-version AWSPENDING

Nothing secret is ever printed. Exit code: 0 fine, 1 a fault found, 2 bad input.`;

/** Adds `secrets check`. */
function addSecretsCommands(program: Command): void {
  const secrets = program.command('secrets').description("Merchants' contracts and keys.");
  secrets
    .command('check <merchant>')
    .description('Check contract and keys as the worker does: schemas, profile, and a dry signature of each request.')
    .addOption(
      new Option('--key-version <name>', 'which version of the keys').choices([...secretStages]).default('AWSCURRENT'),
    )
    .addHelpText('after', checkHelp)
    .action(runs(commands, 'checkMerchantSecret'));
}

const cardKeysHelp = `
The keys are in the secret <SECRET_PREFIX>_card. Private halves are never printed.

Example:
  ${tool} card-keys new && ${tool} card-keys jwks > card-keys.json
  ${tool} submit november.csv --card-keys card-keys.json
`;

/** Adds `card-keys jwks`. */
function addCardKeyCommands(program: Command): void {
  const keys = program
    .command('card-keys')
    .description('The keys under which senders seal card data for the worker.')
    .addHelpText('afterAll', cardKeysHelp);

  keys
    .command('jwks')
    .description('Print the public halves as a JWK set, the current one first: this is what senders need.')
    .action(runs(commands, 'printCardKeys'));
}

const callbacksHelp = `
The secret <SECRET_PREFIX>_callback holds the control keys of the merchants named here, copied out of their secrets. Callbacks
for any other name are answered 503. Run \`allow\` again after a control key has changed. The public address exists if the stage
file says so (callbacks).

Example:
  ${tool} callbacks allow acme-eu
`;

/** Adds `callbacks list`. */
function addCallbackCommands(program: Command): void {
  const callbacks = program
    .command('callbacks')
    .description('Merchants whose callbacks are accepted.')
    .addHelpText('afterAll', callbacksHelp);
  callbacks
    .command('list')
    .description('List the merchants whose callbacks are accepted.')
    .action(runs(commands, 'listCallbacks'));
}

const probeHelp = `
Makes at most 40 requests and starts up to three orders of the amount given, at the sandbox account of the merchant's secret; a
secret that does not say "mode": "test" is refused. Nothing is written: the profile is printed for you to put into the secret.

Example:
  ${tool} probe acme-eu --endpoint 39915 --field bank_name="Test bank"

✔ was seen in an answer, ~ follows from answers, ? could not be found out: ask the gateway's support manager.
Exit code: 0 found out, 1 not, 2 bad input.`;

/** Adds `probe`. */
function addProbeCommand(program: Command): void {
  program
    .command('probe <merchant>', { hidden: true })
    .description("Ask a sandbox gateway what its contract really does, and print the secret's profile for it.")
    .requiredOption('--endpoint <id>', 'at this endpoint of the merchant')
    .addOption(new Option('--operation <name>', 'which operation').choices([...operationNames]).default('payout'))
    .option('--amount <amount>', 'of the orders that it starts', '1.00')
    .option('--currency <code>', 'of the orders that it starts', 'EUR')
    .option('--field <name=value>', 'a further field that the contract asks for; may be repeated', fieldOf, [])
    .option('--wait <seconds>', 'how long a new order may take to become visible', countUpTo(86_400), 60)
    .addHelpText('after', probeHelp)
    .action(runs(() => import('./probe-command.ts'), 'probeMerchant'));
}

function fieldOf(text: string, before: [string, string][]): [string, string][] {
  const at = text.indexOf('=');
  if (at < 1) throw new InvalidArgumentError('write name=value, as in "bank_name=Test bank"');
  return [...before, [text.slice(0, at), text.slice(at + 1)]];
}

const safeguardsHelp = `
A merchant's jobs wait until an approver has written its safeguards: its logins at the gateway, whether two persons release its
money, and the largest amounts. A login is one merchant's for ever; a job for another one waits as ACCOUNT_UNKNOWN. Only approvers can
write them (the policy ApproverPolicyArn and the approvers of the stage file). If caps name currencies, orders in any other
currency wait.

Examples:
  ${tool} safeguards show acme-eu
  ${tool} safeguards set acme-eu --two-persons on --cap EUR=1000.00/50000.00
  ${tool} safeguards set acme-eu --uncapped --login gateway.example/acme

Exit code: 0 done (show: they hold), 1 not done (show: there are none that hold), 2 bad input.`;

/** Adds `safeguards show`. */
function addSafeguardsCommands(program: Command): void {
  const safeguards = program
    .command('safeguards')
    .description('What a merchant may pay, as approvers have written it.')
    .addHelpText('afterAll', safeguardsHelp);
  safeguards
    .command('show <merchant>')
    .description('Show them, with who wrote them and what was there before.')
    .action(runs(commands, 'showSafeguards'));
}
