// The command lines of `payouts card-keys`.
import { type Command, InvalidArgumentError, Option } from 'commander';
import type { CardKeyOptions, NewCardKeyOptions } from './card-keys-command.ts';
import { runAgainstAws } from '../aws-failure.ts';
import { json } from '../orders/operator-program.ts';

const help = `
The keys lie in the secret <SECRET_PREFIX>_card; the tool needs AWS and SECRET_PREFIX, nothing else. Private halves are never
printed.

Example:
  payouts card-keys new && payouts card-keys jwks > card-keys.json
  payouts submit november.csv --card-keys card-keys.json

Exit code: 0 done, 1 not done, 2 bad input.`;

/** Adds `card-keys new`, `jwks` and `remove`. */
export function addCardKeyCommands(program: Command): void {
  const keys = program
    .command('card-keys')
    .description('The keys under which senders seal card data for the worker.')
    .addHelpText('after', help);

  keys
    .command('new')
    .description('Make a key for senders to use from now on; the older ones still open what was sealed under them.')
    .addOption(new Option('--id <kid>', 'its id (default: the day)').argParser(keyId))
    .addOption(new Option('--kind <kind>', 'P-256 or RSA of 3072 bits').choices(['ec', 'rsa']).default('ec'))
    .option('--kms-key <id>', 'encrypts the secret, where there is none yet (default: the one of the account)')
    .addOption(json())
    .addHelpText('after', help)
    .action((options: NewCardKeyOptions) => run((it) => it.newCardKey(options)));

  keys
    .command('jwks')
    .description('Print the public halves as a JWK set, the current one first: this is what senders need.')
    .addHelpText('after', help)
    .action(() => run((it) => it.printCardKeys()));

  keys
    .command('remove <kid>')
    .description('Take an older key away. What was sealed under it can not be opened any more.')
    .addOption(json())
    .addHelpText('after', help)
    .action((kid: string, options: CardKeyOptions) => run((it) => it.removeCardKey(kid, options)));
}

function keyId(text: string): string {
  if (/^[A-Za-z0-9_-]{1,16}$/.test(text)) return text;
  throw new InvalidArgumentError('must be 1 to 16 letters, digits, "-" or "_"');
}

function run(command: (commands: typeof import('./card-keys-command.ts')) => Promise<number>): Promise<void> {
  return runAgainstAws(async () => command(await import('./card-keys-command.ts')));
}
