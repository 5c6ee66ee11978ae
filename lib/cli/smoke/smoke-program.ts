// The command line of `payouts smoke`.
import type { Command } from 'commander';
import { runAgainstAws } from '../aws-failure.ts';

interface SmokeOptions {
  readonly stack: string;
  readonly json: boolean;
}

const help = `
For a stack that was just deployed, in an account of yours; two minutes. It rings one alarm of each topic and sends a message that
is no job, which it takes out of the dead letters again; nothing else is changed, and no order is made.
Needs, beside the rights of OperatorPolicyArn, iam:SimulatePrincipalPolicy and sqs:SendMessage on the jobs queue.
infra/docs/first-account.md says what only a real account can show.
Exit code: 0 all proven, 1 not, 2 bad input.

Example:
  npx --no payouts smoke --stack payouts-dev`;

/** Adds `smoke`. */
export function addSmokeCommand(program: Command): void {
  program
    .command('smoke')
    .description(
      'Prove in a real account what no emulator shows: callers, policies, rights, alarms, one message all the way.',
    )
    .requiredOption('--stack <name>', 'the deployed stack, by the credentials of the environment')
    .addHelpText('after', help)
    .action((options: SmokeOptions) => runAgainstAws(() => runSmoke(options)));
}

async function runSmoke({ stack, json }: SmokeOptions): Promise<number> {
  const [{ smoke }, { smokeAccountOf }] = await Promise.all([
    import('./smoke-checks.ts'),
    import('./smoke-account.ts'),
  ]);
  const rows = await smoke(await smokeAccountOf(stack));
  const failed = rows.filter(({ faults }) => faults.length > 0);
  if (json) process.stdout.write(`${JSON.stringify({ stack, proven: failed.length === 0, rows })}\n`);
  else {
    for (const { name, proves, faults } of rows) {
      process.stdout.write(faults.length === 0 ? `✔ ${name}: ${proves}\n` : `✘ ${name}\n`);
      for (const fault of faults) process.stdout.write(`    ${fault}\n`);
    }
    process.stdout.write(`${stack}: ${rows.length - failed.length} of ${rows.length} proven\n`);
  }
  return failed.length === 0 ? 0 : 1;
}
