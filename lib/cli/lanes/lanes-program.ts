// The command lines of `payouts lanes`.
import { tool } from '../../payout/operate/spelling.ts';
import type { Command } from 'commander';
import { runs } from '../aws-failure.ts';

const lanesHelp = `
A lane is one merchant at one endpoint: the worker sends there at the gateway's pace, and stops while the gateway takes
nothing. Jobs wait unharmed meanwhile. What holds a lane up, in the order in which it is looked at: a pause of the merchant (or
of all), money in doubt above the merchant's limit, a pause of the lane, the brake, the pace.

Examples:
  ${tool} lanes
  ${tool} pause acme-eu --endpoint 39915 --reason "the acquirer asks for an hour"
  ${tool} lanes probe acme-eu
  ${tool} resume acme-eu --reason "new contract"`;

/** Adds `lanes`. */
export function addLanesCommands(program: Command): void {
  program
    .command('lanes')
    .description('Show each lane: whether it is open, why not, its pace, who waits, and what a person can do.')
    .addHelpText('afterAll', lanesHelp)
    .action(runs(() => import('./lanes-commands.ts'), 'showLanes'));
}
