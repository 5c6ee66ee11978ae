// `payouts local`: reads the jobs, shows how the run goes, shows the books, and says by its exit code whether they agree.
import { counted, tool } from '../../payout/operate/spelling.ts';
import { type ChildProcess, spawn } from 'node:child_process';
import { relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { systemClock } from '../../aws/system.ts';
import { formatMinorUnits } from '../../gateway/money.ts';
import { standings } from '../../payout/order/standing.ts';
import type { FaultScheduleName } from '../../local/gateway/fault-schedules.ts';
import type { LocalProgress, LocalRun } from '../../local/local-run.ts';
import { jobLinesOf, secretsOf } from './jobs-file.ts';
import { createEstimate, textOfProgress } from './progress-text.ts';
import { hasSucceeded, runText } from './run-text.ts';
import { unwritable } from '../../files/file-failure.ts';
import { exitCodeOf, untilInterrupted } from '../asking.ts';
import { liveLine } from '../progress.ts';
import { keepLocalStage } from '../setup/local-stage.ts';
import { keptDirectory } from '../setup/stage.ts';
import { UsageError } from '../../files/usage-error.ts';
import { ownFile } from '../../local/own-files.ts';
import { sampleMerchants } from '../../local/sample-merchants.ts';

/** The command line of `payouts local`. */
export interface LocalOptions {
  readonly gatewayUrl?: string;
  readonly secrets?: string;
  readonly results: string;
  readonly json: boolean;
  readonly keep: boolean;
  readonly faults: FaultScheduleName;
  /** Seconds to wait for jobs while nothing ends. */
  readonly wait?: number;
}

const command = fileURLToPath(new URL('../payouts.js', import.meta.url));
const sampleJobs = fileURLToPath(new URL('../../local/sample-jobs.jsonl', import.meta.url));

/** Two of a kind within this time are one. */
const sameSignalMs = 500;

/** Without `--wait`, jobs at a gateway of one's own are waited for this long while nothing ends. */
const patienceSeconds = 30;

/** Names the packages that an operator's installation leaves out, in a line. */
function explainEmulators(error: unknown): never {
  const missing = /^Cannot find package '([^']+)'/.exec(error instanceof Error ? error.message : '')?.[1];
  if (missing === undefined) throw error;
  throw new UsageError(`the emulators of AWS are not installed (${missing}): "npm ci" without --omit=dev brings them`);
}

/** Runs the jobs of a file, or the sample's, which are a rehearsal; returns the exit code: 0 if it has succeeded, else 1; 2 on bad input. */
export async function runLocalCommand(jobsFile: string | undefined, options: LocalOptions): Promise<number> {
  await checkGatewayUrl(options);
  const jobs = await jobLinesOf(jobsFile ?? sampleJobs);
  const secrets = options.secrets === undefined ? undefined : await secretsOf(options.secrets);
  const { checkMerchants, checkSecrets } = await import('./local-secrets.ts');
  if (options.secrets !== undefined && secrets) {
    checkSecrets(options.secrets, secrets, { jobs, baseUrl: options.gatewayUrl });
  }
  // Loaded here alone: the emulators are development dependencies, and the other commands must not need them.
  const { runLocal, InterruptedBeforehand } = await import('../../local/local-run.ts').catch(explainEmulators);
  const resultsFile = resolve(options.results);
  await checkWritable(resultsFile);
  if (jobsFile !== undefined) checkMerchants(jobsFile, jobs, secrets ? Object.keys(secrets) : sampleMerchants);
  // Before the first output: its reader may answer with Ctrl-C.
  const interruption = interruptions();
  if (!options.json) announce(jobs.length, jobsFile, options);
  const progress = progressLine(options.json, jobs.length);
  const isRehearsal = jobsFile === undefined && options.gatewayUrl === undefined;
  // The simulator's moods end by themselves, and what is in doubt is asked about each minute at last.
  const wait = options.wait ?? (options.gatewayUrl === undefined ? undefined : patienceSeconds);
  let console: OwnConsole | undefined;
  let forget: (() => Promise<void>) | undefined;
  const opens = async (first: Environment, second: Environment) => {
    forget = await keepLocalStage(keptDirectory(), { first, second });
    console = await startConsole(first);
    if (!options.json) process.stdout.write(`${watchText(console.url)}\n\n`);
  };
  const run = await runLocal({
    jobs,
    interruption: interruption.signal,
    patienceMs: wait === undefined ? undefined : wait * 1000,
    goesOn: options.keep,
    resultsFile,
    faults: options.faults,
    onProgress: progress.show,
    onReady: options.keep ? opens : undefined,
    gatewayUrl: options.gatewayUrl,
    secrets,
  })
    .catch(async (error: unknown) => {
      console?.child.kill('SIGTERM');
      await forget?.();
      if (error instanceof InterruptedBeforehand) return undefined;
      throw error;
    })
    .finally(progress.done);
  interruption.done();
  const stoppedBy = interruption.stoppedBy();
  if (!run) {
    process.stderr.write(`payouts: stopped by ${stoppedBy}; nothing was sent\n`);
    return exitCodeOf(stoppedBy ?? 'SIGTERM');
  }
  const consoleUrl = console?.url;
  try {
    show({ ...run, consoleUrl }, resultsFile, options, isRehearsal);
    if (consoleUrl !== undefined && stoppedBy === undefined) await keepRunning(run, options.json);
  } finally {
    console?.child.kill('SIGTERM');
    await forget?.();
    await run.close();
  }
  if (stoppedBy !== undefined) {
    process.stderr.write(`payouts: stopped by ${stoppedBy}; the state of each job is reported above\n`);
    return exitCodeOf(stoppedBy);
  }
  return hasSucceeded(run, isRehearsal) ? 0 : 1;
}

/** A signal ends the run in order, a second one at once; either way its worker ends too. */
function interruptions() {
  const controller = new AbortController();
  let stoppedBy: NodeJS.Signals | undefined;
  const stop = (signal: NodeJS.Signals) => {
    // A terminal sends its Ctrl-C to the launcher too, which passes it on: the same signal twice.
    if (stoppedBy !== undefined && systemClock.nowMs() - stoppedAtMs > sameSignalMs) process.exit(exitCodeOf(signal));
    if (stoppedBy !== undefined) return;
    [stoppedBy, stoppedAtMs] = [signal, systemClock.nowMs()];
    process.stderr.write(`\npayouts: ${signal}: nothing new is sent; what is under way comes to its end first\n`);
    controller.abort();
  };
  let stoppedAtMs = 0;
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, stop);
  return {
    signal: controller.signal,
    stoppedBy: () => stoppedBy,
    done: () => ['SIGINT', 'SIGTERM'].forEach((signal) => process.off(signal, stop)),
  };
}

/** By the rule that a merchant's secret must keep; and what only the simulator can do is not asked of a gateway. */
async function checkGatewayUrl({ gatewayUrl, secrets, faults }: LocalOptions): Promise<void> {
  if (gatewayUrl === undefined) return;
  const { isGatewayUrl } = await import('../../aws/merchant-secret.ts');
  if (!isGatewayUrl(gatewayUrl))
    throw new UsageError('--gateway-url must be "https://host[:port]" and no path (plain http only on loopback)');
  if (faults !== 'none')
    throw new UsageError('--faults are what the simulator does wrong; leave it out, or leave out --gateway-url');
  if (secrets === undefined)
    throw new UsageError(
      "a gateway of your own knows none of the sample's keys: name a file of secrets with --secrets (see infra/docs/first-payout.md)",
    );
}

/** Before anything starts: a run whose results can't be kept must not pay. */
async function checkWritable(file: string): Promise<void> {
  try {
    await ownFile(file);
  } catch (error) {
    throw unwritable(file, error);
  }
}

function announce(count: number, jobsFile: string | undefined, { gatewayUrl, faults }: LocalOptions): void {
  const gateway = gatewayUrl ?? `the gateway simulator${faults === 'none' ? '' : `, fault schedule "${faults}"`}`;
  const source = jobsFile ?? `the sample (${relative(process.cwd(), sampleJobs)})`;
  process.stdout.write(
    `\n  ${counted(count, 'job')} from ${source}\n  queues, ledger and secrets embedded; ${gateway}\n\n`,
  );
}

function progressLine(json: boolean, jobs: number) {
  const line = liveLine(process.stdout);
  const leftAfter = createEstimate();
  return {
    show(it: LocalProgress): void {
      const left = leftAfter(it);
      if (!json) line.show(() => textOfProgress(it, jobs, left, systemClock.nowMs()));
    },
    done: line.done,
  };
}

function show(
  run: LocalRun & { readonly consoleUrl?: string },
  resultsFile: string,
  options: LocalOptions,
  isRehearsal: boolean,
): void {
  const { restarts, elapsedMs, logFile, environment, gatewayUrl, consoleUrl } = run;
  if (options.json) {
    const { messages, deadLetters, lines, verdict, books, secondEnvironment } = run;
    const money = lines.map(({ standing, currency, count, minorUnits }) => ({
      standing,
      count,
      ...(currency !== undefined && { currency, amount: formatMinorUnits(minorUnits, currency) }),
    }));
    const running = options.keep ? { gatewayUrl, consoleUrl, environment, secondEnvironment } : {};
    const summary = {
      messages,
      deadLetters,
      lines: money,
      ...verdict,
      books,
      restarts,
      elapsedMs,
      resultsFile,
      logFile,
    };
    process.stdout.write(`${JSON.stringify({ ...summary, ...running })}\n`);
    return;
  }
  const near = (file: string) => relative(process.cwd(), file) || file;
  process.stdout.write(`${runText(run, isRehearsal)}\n\n${ledgerText(run, options)}${restartsText(restarts)}`);
  process.stdout.write(`  results  ${near(resultsFile)}\n  log      ${near(logFile)}\n\n`);
}

/** The ledger of the run remembers what was sent, and ends with it. */
function ledgerText({ lines }: LocalRun, { gatewayUrl, keep }: LocalOptions): string {
  const mayHavePaid = lines.some(({ standing }) => standings[standing].moneyMayHaveMoved);
  if (gatewayUrl === undefined || keep || !mayHavePaid) return '';
  return `  ! The ledger of this run ends with it, and your gateway may pay an order twice. Before you run the same file
    against it again, take out what was paid, accepted or left in doubt.\n\n`;
}

const restartsText = (restarts: number) =>
  restarts === 0
    ? ''
    : `  ! The worker ended by itself ${restarts === 1 ? 'once' : `${restarts} times`} and was started again; the log says why.\n\n`;

type Environment = Readonly<Record<string, string>>;

interface OwnConsole {
  readonly url: string;
  readonly child: ChildProcess;
}

/** Where a person looks while it runs. */
const watchText = (url: string) =>
  [
    `  watch it  ${url}`,
    `            opens once; \`${tool} console --stage local\` makes a new address`,
    `  commands  \`${tool} todo --stage local\`, and any other; a second person, who approves, says`,
    '            --stage local-second',
  ].join('\n');

/** The console over this run: the command that serves it over a stage too, in a process of its own. */
async function startConsole(environment: Environment): Promise<OwnConsole> {
  const { PATH = '', HOME = '' } = process.env;
  const child = spawn(process.execPath, [command, 'console'], {
    env: { PATH, HOME, ...environment },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  process.once('exit', () => child.kill('SIGKILL'));
  let said = '';
  for await (const chunk of child.stdout) {
    said += String(chunk);
    const [url] = /http:\/\/\S+\/\?token=\S+/.exec(said) ?? [];
    if (url !== undefined) return { url, child };
  }
  throw new Error('the console did not start');
}

/** Leaves everything running until Ctrl-C. */
async function keepRunning({ gatewayUrl }: LocalRun, json: boolean): Promise<void> {
  const lines = [
    'still running; Ctrl-C ends it',
    '',
    `gateway   ${gatewayUrl}`,
    `settings  \`${tool} settings --stage local\` prints them for other programs`,
  ];
  if (!json) process.stdout.write(`${lines.map((line) => (line === '' ? '' : `  ${line}`)).join('\n')}\n\n`);
  await untilInterrupted();
}
