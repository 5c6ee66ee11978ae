// `payouts doctor`: is this stack safe to take jobs? The rules are lib/doctor; here they are read, told and counted.
import { readFile } from 'node:fs/promises';
import type { Command } from 'commander';
import Table from 'cli-table3';
import { choices, type Diagnosis, examine, rules } from '../../doctor/examine.ts';
import { readStack } from '../../doctor/stack.ts';
import { UsageError } from '../usage-error.ts';

/** What `npm run package` leaves. */
const packagedTemplate = '.build/package/cloudformation-template-update-stack.json';

interface DoctorOptions {
  readonly stack?: string;
  readonly json: boolean;
}

const help = `
Reads the template that \`npm run package\` made, or with --stack the stack that is deployed, with what somebody may
have changed by hand since, read from the services themselves: functions and what calls them, roles and policies, keys,
queues, tables, alarms, topic, logs, schedules, the worker's secret. Of the pipe and the network the template
 is believed; grants of a key, and a stream of the table to Kinesis, are not looked for; what may not be read is
told as a danger. The rights are those of the policy AuditorPolicyArn.

Rules say which numbers and rights must fit each other; besides, the whole stack is compared with the one that ships. A
difference that endangers money, answers or secrets is refused, one that is yours to choose is shown.

Exit code: 0 every rule holds, 1 some do not, 2 there is nothing to examine.

Example:
  npm run package -- --stage prod && npx --no payouts doctor
  npx --no payouts doctor --stack payouts-prod`;

/** Adds \`doctor\`. */
export function addDoctorCommand(program: Command): void {
  program
    .command('doctor')
    .argument('[template]', `synthesized CloudFormation template (default: ${packagedTemplate})`)
    .description('Check that a stack is safe: each number and each right that money, answers and secrets depend on.')
    .option('--stack <name>', 'examine this deployed stack instead, by the credentials of the environment')
    .option('--json', 'print what was found as JSON, in one line', false)
    .addHelpText('after', help)
    .action(async (template: string | undefined, options: DoctorOptions) => {
      process.exitCode = await runDoctor(template, options);
    });
}

async function runDoctor(template: string | undefined, { stack, json }: DoctorOptions): Promise<number> {
  if (stack !== undefined && template !== undefined) throw new UsageError('give a template or --stack, not both');
  const subject = stack ?? template ?? packagedTemplate;
  const read = readStack(await (stack === undefined ? templateText(subject) : deployedText(stack)));
  if (read.kind === 'unreadable') throw new UsageError(`${subject} can't be examined: ${read.reason}`);
  const found = examine(read.stack);
  const chosen = choices(read.stack);
  const text = () => asText(subject, found) + chosen.map(({ where, fault }) => `chosen: ${where} ${fault}\n`).join('');
  process.stdout.write(json ? `${JSON.stringify({ subject, rules: rules.length, found, chosen })}\n` : text());
  return found.length === 0 ? 0 : 1;
}

async function templateText(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch {
    throw new UsageError(`there is no ${file}: \`npm run package\` makes it, or name another template`);
  }
}

async function deployedText(stack: string): Promise<string> {
  const { readDeployedStack } = await import('./deployed-stack.ts');
  try {
    return await readDeployedStack(stack);
  } catch (error) {
    throw new UsageError(
      `the stack ${stack} can't be read: ${error instanceof Error ? error.message : 'no reason given'}`,
    );
  }
}

function asText(subject: string, found: readonly Diagnosis[]): string {
  if (found.length === 0)
    return `${subject} is sound: all ${rules.length} rules hold, and nothing differs from what ships that should not.\n`;
  const table = new Table({
    head: ['where', 'what', 'danger'],
    colWidths: [34, 38, 46],
    wordWrap: true,
    style: { head: [], border: [] },
  });
  for (const { where, fault, danger } of found) table.push([breakable(where), fault, danger]);
  const one = found.length === 1;
  return `${table.toString()}\n${subject}: ${found.length} ${one ? 'danger' : 'dangers'}. Do not deploy it like this.\n`;
}

/** A long name is broken at its points. */
function breakable(where: string): string {
  return where.length < 32 ? where : where.replaceAll('.', '.\n');
}
