// The command lines of `payouts lanes`.
import type { Command } from 'commander';
import { runAgainstAws } from '../aws-failure.ts';
import { json, reason } from '../operator-program.ts';
import type { LanesOptions } from './lanes-commands.ts';

const lanesHelp = `
A lane is one merchant at one endpoint: the worker sends there at the gateway's pace, and stops while the gateway takes
nothing. Jobs wait unharmed meanwhile. What holds a lane up, in the order in which it is looked at: a pause of the merchant (or
of all), money in doubt above the merchant's limit, a pause of the lane, the brake, the pace.

Examples:
  payouts lanes
  payouts lanes pause acme-eu --endpoint 39915 --reason "the acquirer asks for an hour"
  payouts lanes probe acme-eu
  payouts lanes resume acme-eu --reason "new contract"

Settings: those of the worker, see infra/docs/settings.md. Exit code: 0 done, 1 not done or not found, 2 bad input.`;

type Commands = typeof import('./lanes-commands.ts');

/** Adds `lanes`, and `pause`, `resume` and `probe` under it. */
export function addLanesCommands(program: Command): void {
  const lanes = program
    .command('lanes')
    .description('Show each lane: whether it is open, why not, its pace, who waits, and what a person can do.')
    .addOption(json())
    .addHelpText('after', lanesHelp)
    .action((options: LanesOptions) => run((it) => it.showLanes(options)));
  add(
    lanes,
    'pause',
    'Send nothing new for a merchant, or at one endpoint of it; jobs wait and lose nothing.',
    (it) => it.pauseLanes,
  );
  add(lanes, 'resume', 'Let it go on, whatever has stopped it: a pause, or the brake.', (it) => it.resumeLanes);
  add(lanes, 'probe', 'Try a closed lane with the next order now, before its time.', (it) => it.probeLanes);
}

function add(
  lanes: Command,
  name: string,
  description: string,
  choose: (commands: Commands) => Commands['pauseLanes'],
): void {
  lanes
    .command(`${name} <merchant>`)
    .description(description)
    .option('--endpoint <id>', 'this endpoint alone (default: all of the merchant)')
    .addOption(reason())
    .addOption(json())
    .addHelpText('after', lanesHelp)
    // `--json` is an option of `lanes` too, which takes it first.
    .action((merchant: string, _options: LanesOptions, command: Command) =>
      run((it) => choose(it)(merchant, command.optsWithGlobals<LanesOptions>())),
    );
}

/** The commands are loaded when one of them runs: the rest of the tool needs no AWS. */
function run(work: (commands: Commands) => Promise<number>): Promise<void> {
  return runAgainstAws(async () => work(await import('./lanes-commands.ts')));
}
