// The command lines of `payouts lanes`.
import { tool } from '../../payout/operate/spelling.ts';
import type { Command } from 'commander';
import { runs } from '../aws-failure.ts';
import { reason } from '../operator-program.ts';

const lanesHelp = `
A lane is one merchant at one endpoint: the worker sends there at the gateway's pace, and stops while the gateway takes
nothing. Jobs wait unharmed meanwhile. What holds a lane up, in the order in which it is looked at: a pause of the merchant (or
of all), money in doubt above the merchant's limit, a pause of the lane, the brake, the pace.

Examples:
  ${tool} lanes
  ${tool} lanes pause acme-eu --endpoint 39915 --reason "the acquirer asks for an hour"
  ${tool} lanes probe acme-eu
  ${tool} lanes resume acme-eu --reason "new contract"

Settings: those of the worker, see infra/docs/settings.md. Exit code: 0 done, 1 not done or not found, 2 bad input.`;

const commands = () => import('./lanes-commands.ts');

/** Adds `lanes`, and `pause`, `resume` and `probe` under it. */
export function addLanesCommands(program: Command): void {
  const lanes = program
    .command('lanes')
    .description('Show each lane: whether it is open, why not, its pace, who waits, and what a person can do.')
    .addHelpText('afterAll', lanesHelp)
    .action(runs(commands, 'showLanes'));
  const add = (name: string, does: 'pauseLanes' | 'resumeLanes' | 'probeLanes', description: string) =>
    lanes
      .command(`${name} <merchant>`)
      .description(description)
      .option('--endpoint <id>', 'this endpoint alone (default: all of the merchant)')
      .addOption(reason())
      // `--json` is an option of `lanes` too, which takes it first.
      .action((merchant: string, _options: object, command: Command) =>
        runs(commands, does)(merchant, command.optsWithGlobals(), command),
      );
  add('pause', 'pauseLanes', 'Send nothing new for a merchant, or at one endpoint of it; jobs wait and lose nothing.');
  add('resume', 'resumeLanes', 'Let it go on, whatever has stopped it: a pause, or the brake.');
  add('probe', 'probeLanes', 'Try a closed lane with the next order now, before its time.');
}
