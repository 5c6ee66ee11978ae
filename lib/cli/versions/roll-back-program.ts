// `payouts roll-back`: the functions run an earlier version again, without a build and without CloudFormation.
import type { Command } from 'commander';
import { runAgainstAws } from '../aws-failure.ts';
import type { LiveVersions } from './live-versions.ts';
import { liveReleaseOf, planRollBack, releasesOf } from './roll-back-plan.ts';

interface RollBackOptions {
  readonly stack: string;
  readonly to?: string;
  readonly list: boolean;
}

const help = `
Sets the alias of every function to the version of one release, which stays published; messages and the ledger are left as
they are. \`npm run deploy\` goes forward again. infra/docs/procedures/roll-back.md says when this is right.
Needs the rights cloudformation:ListStackResources, lambda:GetAlias, ListVersionsByFunction and UpdateAlias.
Exit code: 0 done, 1 not done, 2 bad input.

Example:
  npx --no payouts roll-back --stack payouts-prod --list
  npx --no payouts roll-back --stack payouts-prod`;

/** Adds \`roll-back\`. */
export function addRollBackCommand(program: Command): void {
  program
    .command('roll-back')
    .description('Let the functions of a deployed stack run an earlier version again.')
    .requiredOption('--stack <name>', 'the deployed stack, by the credentials of the environment')
    .option(
      '--to <release>',
      'the release to go to, or its beginning, such as the commit (default: the one before the present)',
    )
    .option('--list', 'only list the releases', false)
    .addHelpText('after', help)
    .action((options: RollBackOptions) =>
      runAgainstAws(async () => {
        const { liveVersionsOf } = await import('./live-versions.ts');
        return rollBack(options, liveVersionsOf(options.stack));
      }),
    );
}

/** The exit code: 1 where the functions do not run the release that was asked for, or may not for long. */
export async function rollBack({ stack, to, list }: RollBackOptions, versions: LiveVersions): Promise<number> {
  const functions = await versions.read();
  if (list) {
    const live = new Set(functions.map(liveReleaseOf));
    for (const it of releasesOf(functions)) process.stdout.write(`${it}${live.has(it) ? '  live' : ''}\n`);
    return 0;
  }
  const plan = planRollBack(functions, to);
  if (plan.kind === 'impossible') {
    process.stderr.write(`payouts: nothing is changed: ${plan.reason}\n`);
    return 1;
  }
  for (const step of plan.steps) {
    await versions.set(step);
    process.stdout.write(`${step.functionName}: version ${step.from} -> ${step.to}\n`);
  }
  if (functions.some(({ shiftsTo }) => shiftsTo !== undefined)) {
    process.stderr.write(
      'payouts: not done: a rollout was shifting traffic, and CodeDeploy goes on with it until it is stopped: infra/docs/runbook/release-failing.md\n',
    );
    return 1;
  }
  process.stdout.write(`${stack} runs release ${plan.release} in all of ${functions.length} functions\n`);
  return 0;
}
