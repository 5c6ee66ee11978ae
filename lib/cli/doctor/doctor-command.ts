// `payouts doctor`: is the stack what was deployed, what was attached beside it, and does it live?
import { tool } from '../../payout/operate/spelling.ts';
import type { Command } from 'commander';
import { whyUnregistered } from '../../batches/safeguards.ts';
import { runAgainstAws } from '../aws-failure.ts';
import { UsageError } from '../../files/usage-error.ts';

interface DoctorOptions {
  readonly live: boolean;
  readonly json: boolean;
}

const help = `
Asks three things, and changes nothing: CloudFormation's drift detection, what was attached beside the stack (rights, callers,
readers, copies, muted alarms), and whether messages are taken, an alarm rings, the tables are the known ones and each merchant
has safeguards for its login. The rights are those of OperatorPolicyArn. The template itself is held to rules by \`npm test\`.

--live also sends a message that is no job, takes it out of the dead letters again, and rings one alarm of each topic. It needs
sqs:SendMessage on the jobs queue too.

Exit code: 0 nothing was found, 1 something was, 2 bad input.

Example:
  ${tool} doctor --stage prod --live`;

/** Adds `doctor`. */
export function addDoctorCommand(program: Command): void {
  program
    .command('doctor')
    .description(
      'Examine a deployed stack: changes since its deployment, what was attached beside it, whether it works.',
    )
    .option('--live', 'also send one message all the way, and ring an alarm of each topic', false)
    .addHelpText('after', help)
    .action((options: DoctorOptions) => runAgainstAws(() => runDoctor(options)));
}

async function runDoctor({ live, json }: DoctorOptions): Promise<number> {
  const stage = process.env['PAYOUTS_STAGE'];
  if (!stage) throw new UsageError('name the stack: --stage NAME, or PAYOUTS_STAGE');
  const [
    { asked, readStack },
    { driftQuestions },
    { besideQuestions },
    { liveQuestions, tracingQuestions },
    { toolPorts },
  ] = await Promise.all([
    import('../../doctor/stack.ts'),
    import('../../doctor/drift.ts'),
    import('../../doctor/beside.ts'),
    import('../../doctor/live.ts'),
    import('../tool-ports.ts'),
  ]);
  const { safeguards: store, macs, isKnown, credentials, known } = toolPorts();
  const whyWaits = (merchant: string) => whyUnregistered(merchant, { credentials, store, macs });
  const whyUnknownTables = async () => {
    const verdict = await known.verdict();
    return verdict.kind === 'unknown' ? [verdict.why] : [];
  };
  const questions = {
    ...driftQuestions,
    ...besideQuestions,
    ...liveQuestions({ whyWaits, isKnown, whyUnknownTables }),
    ...(live && tracingQuestions),
  };
  const checks = await asked(questions, await readStack(`payouts-${stage}`));
  const found = checks.filter(({ faults }) => faults.length > 0);
  if (json) process.stdout.write(`${JSON.stringify({ stage, well: found.length === 0, checks })}\n`);
  else {
    for (const { name, faults } of checks) {
      process.stdout.write(`${faults.length === 0 ? '✔' : '✘'} ${name}\n`);
      for (const fault of faults) process.stdout.write(`    ${fault}\n`);
    }
    process.stdout.write(`payouts-${stage}: ${checks.length - found.length} of ${checks.length} well\n`);
  }
  return found.length === 0 ? 0 : 1;
}
