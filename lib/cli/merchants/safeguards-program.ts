// The command lines of `payouts safeguards`.
import { type Command, InvalidArgumentError, Option } from 'commander';
import * as v from 'valibot';
import { capsSchema, dayCapKinds } from '../../gateway/profile-limits.ts';
import type { Safeguards } from '../../gateway/profile.ts';
import { runs } from '../aws-failure.ts';
import { reason } from '../operator-program.ts';

const safeguardsHelp = `
A merchant's jobs wait until an approver has written its safeguards: whether two persons release its money, and the largest
amounts. Only who may approve can write them (the policy ApproverPolicyArn and the stack's approverArns). Where caps name
currencies, orders in every other one are held.

Examples:
  payouts safeguards show acme-eu
  payouts safeguards set acme-eu --two-persons on --cap EUR=1000.00/50000.00 --cap JPY=-/5000000 --reason "contract of May"
  payouts safeguards set acme-eu --two-persons off --uncapped

Settings: those of the worker, see infra/docs/settings.md.
Exit code: 0 done (show: they hold), 1 not done (show: there are none that hold), 2 bad input.`;

const commands = () => import('./safeguards-command.ts');

/** Adds `safeguards show` and `safeguards set`. */
export function addSafeguardsCommands(program: Command): void {
  const safeguards = program
    .command('safeguards')
    .description('What a merchant may pay, as approvers have written it.')
    .addHelpText('afterAll', safeguardsHelp);
  safeguards
    .command('show <merchant>')
    .description('Show them, with who wrote them and what was there before.')
    .action(runs(commands, 'showSafeguards'));
  safeguards
    .command('set <merchant>')
    .description('Write them, as an approver; what is not said stays as it is.')
    .addOption(
      new Option('--two-persons <word>', 'money moves only by files that a second person has approved').choices([
        'on',
        'off',
      ]),
    )
    .option(
      '--cap <currency=single/day/orders>',
      'the largest order, the total of a day and its number of orders, "-" or nothing for none; may be repeated, replaces all',
      cap,
    )
    .option('--uncapped', 'no cap in any currency', false)
    .addOption(reason())
    .option('--yes', 'write them without asking', false)
    .action(runs(commands, 'setSafeguards'));
}

function cap(text: string, before: Safeguards['caps'] | undefined): Safeguards['caps'] {
  const [, currency = '', limits = ''] = /^([^=]*)=(.*)$/.exec(text) ?? [];
  const named = ['single', ...dayCapKinds, ''];
  const its = Object.fromEntries(
    limits.split('/').flatMap((limit, at) => (limit === '-' ? [] : [[named[at] ?? '', limit]])),
  );
  const read = v.safeParse(capsSchema, { ...before, [currency]: its });
  if (read.success) return read.output;
  throw new InvalidArgumentError('write it as "EUR=1000.00/50000.00/500": no more decimals than the currency has');
}
