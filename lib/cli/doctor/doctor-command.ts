// `payouts doctor`: is this stack safe to take jobs? The rules are lib/doctor; here they are read, printed and counted.
import { readFile } from 'node:fs/promises';
import type { Command } from 'commander';
import { systemClock } from '../../aws/system.ts';
import { type Diagnosis, type Examination, examine } from '../../doctor/examine.ts';
import { rules } from '../../doctor/rules.ts';
import { readStack } from '../../doctor/stack.ts';
import { type ReadWaivers, readWaivers } from '../../doctor/waivers.ts';
import { linedTable } from '../plain-table.ts';
import { counted } from '../quantities.ts';
import { UsageError } from '../usage-error.ts';

/** The template that `npm run package` makes. */
const packagedTemplate = '.build/package/template.json';

/** Beside the other files that say what a stack is. */
const defaultWaivers = 'infra/waivers.json';

interface DoctorOptions {
  readonly stack?: string;
  readonly waivers?: string;
  readonly json: boolean;
}

const help = `
Reads the template that \`npm run package\` made, or with --stack the stack that is deployed, with what somebody may
have changed by hand since, read from the services themselves: functions and what calls them, roles and policies, keys,
queues, tables, alarms, topic, logs, schedules, the worker's secret. The pipe and the network
are taken from the template; grants of a key, and a stream of the table to Kinesis, are not looked for; a resource that may not be
read is a danger. The rights are those of the policy AuditorPolicyArn.

The whole stack is compared with the one that ships, its policy too where it is deployed; rules say which numbers, and which
values of parameters, must fit each other. A difference that endangers money, answers or secrets is refused, one that is yours to
choose is shown. The dangers that you accept are in a file of waivers, a list of
  { "resource": "HeldAlarm.AlarmActions", "reason": "the second topic is the duty officer's", "until": "2027-06-30" }
each for one place and all below it; after its last day it waives nothing.

Exit code: 0 every rule holds, 1 some do not, 2 there is nothing to examine.

Example:
  npm run package && npx --no payouts doctor
  npx --no payouts doctor --stack payouts-prod`;

/** Adds \`doctor\`. */
export function addDoctorCommand(program: Command): void {
  program
    .command('doctor')
    .argument('[template]', `synthesized CloudFormation template (default: ${packagedTemplate})`)
    .description('Check that a stack is safe: each number and each right that money, answers and secrets depend on.')
    .option('--stack <name>', 'examine this deployed stack instead, by the credentials of the environment')
    .option(
      '--waivers <file>',
      `dangers that somebody has taken upon themselves (default: ${defaultWaivers}, where it is)`,
    )
    .addHelpText('after', help)
    .action(async (template: string | undefined, options: DoctorOptions) => {
      process.exitCode = await runDoctor(template, options);
    });
}

async function runDoctor(template: string | undefined, { stack, json, waivers }: DoctorOptions): Promise<number> {
  if (stack !== undefined && template !== undefined) throw new UsageError('give a template or --stack, not both');
  const subject = stack ?? template ?? packagedTemplate;
  const { valid, over } = await waiversIn(waivers);
  const read = readStack(await (stack === undefined ? templateText(subject) : deployedText(stack)));
  if (read.kind === 'unreadable') throw new UsageError(`${subject} can't be examined: ${read.reason}`);
  const examination = examine(read.stack, valid);
  const text = () => asText(subject, examination, over);
  const all = { subject, rules: rules.length, ...examination, over };
  process.stdout.write(json ? `${JSON.stringify(all)}\n` : text());
  return examination.found.length === 0 ? 0 : 1;
}

async function waiversIn(file: string | undefined): Promise<ReadWaivers> {
  const text = await readFile(file ?? defaultWaivers, 'utf8').catch(() => undefined);
  if (text === undefined && file !== undefined) throw new UsageError(`there is no ${file}`);
  try {
    return readWaivers(text ?? '[]', new Date(systemClock.nowMs()).toISOString().slice(0, 10));
  } catch (error) {
    throw new UsageError(`${file ?? defaultWaivers}: ${error instanceof Error ? error.message : String(error)}`);
  }
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

function asText(subject: string, { found, waived, chosen, idle }: Examination, over: ReadWaivers['over']): string {
  const lines = [
    ...waived.map(({ where, fault, waiver }) => `waived until ${waiver.until}: ${where} ${fault} (${waiver.reason})`),
    ...chosen.map(({ where, fault }) => `chosen: ${where} ${fault}`),
    ...idle.map(({ resource }) => `the waiver of ${resource} waives nothing here: delete it`),
    ...over.map(({ resource, until }) => `the waiver of ${resource} ended on ${until}`),
  ];
  return verdict(subject, found) + lines.map((it) => `${it}\n`).join('');
}

function verdict(subject: string, found: readonly Diagnosis[]): string {
  if (found.length === 0)
    return `${subject} is sound: all ${rules.length} rules hold, and nothing differs from what ships that should not.\n`;
  const rows = found.map(({ where, fault, danger }) => [breakable(where), fault, danger]);
  const table = linedTable(['where', 'what', 'danger'], [34, 38, 46], rows);
  return `${table}\n${subject}: ${counted(found.length, 'danger')}. Do not deploy it like this.\n`;
}

/** A long name is broken at its points. */
function breakable(where: string): string {
  return where.length < 32 ? where : where.replaceAll('.', '.\n');
}
