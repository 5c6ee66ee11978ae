// The operator's tool. Each command loads what it needs and no more; exit codes: 0 done, 1 something is wrong with the
// jobs or the money, 2 the command line or its input can't be followed.
import { tool } from '../payout/operate/spelling.ts';
import { readFileSync } from 'node:fs';
import { Command, CommanderError, Help, Option } from 'commander';
import { type FaultScheduleName, faultSchedules } from '../local/gateway/fault-schedules.ts';
import { scenarioMarkers } from '../local/gateway/scenario-markers.ts';
import { addActs } from './act-commands.ts';
import { runs } from './aws-failure.ts';
import { addBatchCommands } from './batches/batch-program.ts';
import { addDoctorCommand } from './doctor/doctor-command.ts';
import { type LocalOptions, runLocalCommand } from './local/local-command.ts';
import { countUpTo } from './quantities.ts';
import { addOperatorCommands } from './operator-program.ts';
import { addReconcileCommand } from './reconcile/reconcile-program.ts';
import { addMerchantCommands } from './merchants/merchants-program.ts';
import { addRestoreCommands } from './restore/restore-program.ts';
import type { WorkerOptions } from './local/worker-command.ts';
import { FileWriteError } from '../files/file-failure.ts';
import { helpAtMost, inParagraphs } from './reading.ts';
import { UsageError } from '../files/usage-error.ts';
import { guardTerminal } from './terminal.ts';

function packageVersion(): string {
  const manifest = new URL('../../package.json', import.meta.url);
  return (JSON.parse(readFileSync(manifest, 'utf8')) as { readonly version: string }).version;
}

/** Every command, its options and its help. */
export const program = new Command(tool)
  .description('A payout worker that never pays an order twice and never loses an answer.')
  .version(packageVersion(), '--version', 'print the version')
  .showHelpAfterError('(--help shows how)')
  .configureOutput({
    getOutHelpWidth: () => helpAtMost,
    getErrHelpWidth: () => helpAtMost,
    writeOut: (text) => process.stdout.write(inParagraphs(text)),
  })
  .configureHelp({
    // A switch that is off, and a list of nothing, need no word.
    optionDescription: (option) => new Help().optionDescription(option).replace(/ \(default: (false|\{\}|)\)/, ''),
  })
  .addHelpText('after', '\nFor integrators and containers (--help): probe, sign, worker, setup, settings.')
  .exitOverride();

program
  .command('local')
  .argument('[jobs]', 'file of jobs, one JSON object per line (default: the sample that comes with the tool)')
  .description('Run the whole system on this machine: queues, ledger, secrets, gateway simulator and the worker.')
  .option('--gateway-url <url>', 'send to this gateway instead of the simulator')
  .option('--secrets <file>', "JSON object: merchant to secret; baseUrl is filled in with the gateway's address")
  .option('--results <file>', 'where the results go, one JSON object per line', '.local/results.jsonl')
  .addOption(
    new Option('--faults <name>', 'what the simulator does wrong')
      .choices(Object.keys(faultSchedules))
      .default('none' satisfies FaultScheduleName),
  )
  .option('--json', 'print the outcome as one JSON object', false)
  .option(
    '--wait <seconds>',
    'how long to wait for jobs while nothing ends (default: 120; 30 with --gateway-url)',
    countUpTo(86_400),
  )
  .option('--keep', 'leave everything running, with a console to watch it in a browser, and print the endpoints', false)
  .addHelpText('after', () => faultHelp())
  .action(async (jobs: string | undefined, options: LocalOptions) => {
    process.exitCode = await runLocalCommand(jobs, options);
  });

program
  .command('worker', { hidden: true })
  .description('Run the worker as a long-polling process against the AWS endpoints that the environment names.')
  .option(
    '--once [seconds]',
    'stop when the job queues are empty, or after so many seconds without a message (30)',
    countUpTo(86_400),
  )
  .option('--max-concurrency <n>', 'invocations at once', countUpTo(1000), 2)
  .option('--sweep-seconds <n>', 'seconds between two sweeps', countUpTo(3600), 60)
  .addHelpText('after', () => '\nSIGTERM and SIGINT: take nothing more, finish what is under way, exit 0.')
  .action(async (options: WorkerOptions) => {
    const { runWorker } = await import('./local/worker-command.ts');
    process.exitCode = await runWorker(options);
  });

program
  .command('sign', { hidden: true })
  .description('Sign one request, read as JSON on standard input, and print every stage of the signature as JSON.')
  .addHelpText('after', () => signHelp)
  .action(async () => {
    const { runSignCommand } = await import('./sign.ts');
    process.exitCode = await runSignCommand();
  });

program
  .command('setup', { hidden: true })
  .description('Make the queues, tables and worker secret that the settings name, if no stack has made them.')
  .option('--yes', 'make what is missing without asking', false)
  .addHelpText(
    'after',
    () =>
      '\nFor an emulator, or a worker in a container; `npm run deploy` makes them with the stack, encrypted and watched.',
  )
  .action(runs(() => import('./setup/setup-command.ts'), 'runSetup'));

program
  .command('settings', { hidden: true })
  .description('Print the settings that a deployed stack names in its outputs, for the shell.')
  .requiredOption('--stage <name>', 'the stage; also refreshes the settings that are kept of it')
  .addHelpText('after', `\nExample:\n  eval "$(${tool} settings --stage prod)"`)
  .action(runs(() => import('./setup/stage.ts'), 'tellSettings'));

addBatchCommands(program);
addReconcileCommand(program);
addMerchantCommands(program);
addRestoreCommands(program);
addOperatorCommands(program);
addDoctorCommand(program);
addActs(program);

/** Commands that print rows, keys or pages, and no outcome. */
const withoutJson: ReadonlySet<string> = new Set(['worker', 'sign', 'report', 'console', 'card-keys jwks']);

/** Every other command prints its outcome for programs too, by an option of its own words or by this one. */
function addJson(command: Command, path = ''): void {
  for (const it of command.commands) {
    const name = `${path}${it.name()}`;
    // Of the groups of commands, this one does something itself.
    const isOne = it.commands.length === 0 || name === 'lanes';
    if (isOne && !withoutJson.has(name) && it.options.every(({ long }) => long !== '--json'))
      it.option('--json', 'print JSON, in one line', false);
    addJson(it, `${name} `);
  }
}

addJson(program);

/** Commands that run on this machine alone, or name their stack themselves. */
const withoutStage: ReadonlySet<string> = new Set(['local', 'sign', 'settings', 'setup', 'help']);
const settingsHelp =
  '\nSettings: infra/docs/settings.md. Exit code, where nothing else is said: 0 done, 1 not done or not found, 2 bad input.';
const stageOption = () =>
  new Option('--stage <name>', "a deployed stage: its stack's outputs are the settings (default: PAYOUTS_STAGE)");

/** Every command that asks AWS takes `--stage`. */
function addStage(command: Command): void {
  for (const it of command.commands) {
    if (command === program && withoutStage.has(it.name())) continue;
    it.addOption(stageOption());
    if (it.commands.length === 0) it.addHelpText('after', settingsHelp);
    addStage(it);
  }
}

addStage(program);
program.hook('preAction', async (_program, command) => {
  let top = command;
  while (top.parent && top.parent !== program) top = top.parent;
  if (withoutStage.has(top.name())) return;
  const stage = command.optsWithGlobals<{ stage?: string }>().stage ?? process.env['PAYOUTS_STAGE'];
  if (!stage) return;
  const { useStage } = await import('./setup/stage.ts');
  await useStage(stage);
});

const signHelp = `
Input: method, url, params (object, or pairs), consumerKey, signatureMethod (HMAC-SHA1 or RSA-SHA256),
consumerSecret or privateKey (PEM), and optionally nonce, timestamp, realm, token, tokenSecret,
oauthVersion (default "1.0"; null leaves it out).
Output: parameters (normalised), baseString, signature, authorization, body.

Example:
  echo '{"method": "POST", "url": "https://gate.example.com/paynet/api/v4/1",
         "params": {"client_orderid": "1"}, "consumerKey": "login",
         "consumerSecret": "fake", "signatureMethod": "HMAC-SHA1"}' |
    ${tool} sign`;

function faultHelp(): string {
  const width = 30;
  const schedules = Object.entries(faultSchedules).map(([name, it]) => `  ${name.padEnd(width)} ${it.description}`);
  const markers = Object.entries(scenarioMarkers).map(([name, it]) => `  .${name.padEnd(width - 1)} ${it.description}`);
  return [
    '\nFault schedules:',
    ...schedules,
    '\nThe end of an order id can ask the simulator for a behaviour, as in "INV-0042.stall-after":',
    ...markers,
    '\nExit code: 0 each of your jobs was paid, was declined for its own reasons, or was accepted where the contract can',
    'tell no more (of the sample: each has ended or waits for a person, and money and results',
    'agree); 1 not; 2 bad input.',
  ].join('\n');
}

/** Runs the command line; sets the process's exit code. */
export async function main(argv: readonly string[]): Promise<void> {
  guardTerminal(process.stdout, process.stderr);
  try {
    await program.parseAsync([...argv]);
  } catch (error) {
    if (error instanceof CommanderError) process.exitCode = error.exitCode === 0 ? 0 : 2;
    else if (error instanceof UsageError) {
      process.stderr.write(`payouts: ${error.message}\n`);
      process.exitCode = 2;
    } else if (error instanceof FileWriteError) {
      process.stderr.write(`payouts: ${error.message}\n`);
      process.exitCode = 1;
    } else throw error;
  }
}
