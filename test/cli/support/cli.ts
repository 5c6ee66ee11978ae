// The tool as an operator runs it: a process of its own, its exit code, and what it printed. In the short proof, and in two
// thirds of a landing's, commands that end by themselves share one process (command-host.ts), as starting one takes longer than
// they do.
import { type ChildProcess, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { lengthOf } from '../../support/long-proof.ts';

/** The words of a line as a shell would take them. */
export const wordsOf = (line: string): string[] =>
  [...line.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, bare]) => quoted ?? bare ?? '');

/** What a finished command left. */
export interface CliEnd {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A running command. */
export interface RunningCli {
  readonly child: ChildProcess;
  readonly ended: Promise<CliEnd>;
  /** Standard output so far. */
  stdout(): string;
}

/** Where and under what a command runs. */
export interface CliPlace {
  readonly cwd?: string;
  /** Beside PATH and HOME, nothing else of this process. */
  readonly env?: Readonly<Record<string, string>>;
  /** What it reads on standard input; default nothing. */
  readonly input?: string;
  /** The Node that starts it; default this one. */
  readonly node?: string;
  /** A command that otherwise starts processes ends before it starts any. */
  readonly startsNothing?: boolean;
}

const command = fileURLToPath(new URL('../../../lib/cli/payouts.js', import.meta.url));
const running = new Set<ChildProcess>();

// A story that fails must not leave a worker behind that polls for ever.
process.once('exit', () => running.forEach((child) => child.kill('SIGKILL')));

/** Starts `payouts` with these arguments. */
export function startCli(
  args: readonly string[],
  { cwd, env = {}, input, node = process.execPath }: CliPlace = {},
): RunningCli {
  const { PATH = '', HOME = '' } = process.env;
  const child = spawn(node, [command, ...args], {
    ...(cwd !== undefined && { cwd }),
    env: { PATH, HOME, ...env },
    stdio: [input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
  });
  child.stdin?.end(input);
  running.add(child);
  let stdout = '';
  let stderr = '';
  child.stdout?.setEncoding('utf8').on('data', (text: string) => (stdout += text));
  child.stderr?.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  const ended = once(child, 'close').then(([code, signal]): CliEnd => {
    running.delete(child);
    return { code, signal, stdout, stderr };
  });
  return { child, ended, stdout: () => stdout };
}

/** Commands that start processes of their own, or live for long: they are run as they are in both proofs. */
const ownProcess: ReadonlySet<string> = new Set(['local', 'worker', 'console']);
/** Every how manieth command has a process of its own: none of the short proof, a third at a landing, each in the whole proof. */
const ownStride = process.env['COMMANDS'] === 'hosted' ? lengthOf({ short: Infinity, long: 3, whole: 1 }) : 1;
let asked = 0;

/** Runs `payouts` to its end, as a process of its own or in that of other commands. */
export function runCli(args: readonly string[], place: CliPlace = {}): Promise<CliEnd> {
  const hasOwn = place.node !== undefined || (ownProcess.has(args[0] ?? '') && !place.startsNothing);
  asked += 1;
  return hasOwn || asked % ownStride === 0 ? startCli(args, place).ended : runHosted(args, place);
}

/** A command for the host, and what it left there. */
export interface HostedCommand {
  readonly id: number;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  readonly input: string;
}

export interface HostedEnd extends Pick<CliEnd, 'stdout' | 'stderr'> {
  readonly id: number;
  readonly code: number;
}

const waiting = new Map<number, PromiseWithResolvers<HostedEnd>>();
let host: ChildProcess | undefined;
let commands = 0;

/** The process in which commands run one after the other; it lives as long as this one does. */
function startHost(): ChildProcess {
  const child = fork(fileURLToPath(new URL('command-host.ts', import.meta.url)), [], {
    execArgv: [],
    stdio: 'inherit',
  });
  child.on('message', (end: HostedEnd) => waiting.get(end.id)?.resolve(end));
  child.once('exit', (code, signal) => {
    host = undefined;
    // A command that ends its process has to be run in one of its own.
    for (const { reject } of waiting.values()) reject(new Error(`the host of commands ended by ${signal ?? code}`));
  });
  child.unref();
  child.channel?.unref();
  running.add(child);
  return child;
}

/** Runs `payouts` to its end in the process of other commands. */
export async function runHosted(
  args: readonly string[],
  { cwd = process.cwd(), env = {}, input = '' }: Omit<CliPlace, 'node'> = {},
): Promise<CliEnd> {
  host ??= startHost();
  const { PATH = '', HOME = '' } = process.env;
  const id = (commands += 1);
  const ended = Promise.withResolvers<HostedEnd>();
  waiting.set(id, ended);
  host.send({ id, args, env: { PATH, HOME, ...env }, cwd, input } satisfies HostedCommand);
  try {
    const { code, stdout, stderr } = await ended.promise;
    return { code, signal: null, stdout, stderr };
  } finally {
    waiting.delete(id);
  }
}

/** What a person saw, and how it ended. */
interface TerminalEnd {
  readonly code: number | null;
  readonly shown: string;
}

/** Runs `payouts` in a pseudo-terminal (script(1) of util-linux), where a person types the answer to its question. */
export async function runInTerminal(
  args: readonly string[],
  { cwd, env = {} }: CliPlace,
  answer: string,
): Promise<TerminalEnd> {
  const { PATH = '', HOME = '' } = process.env;
  const line = [process.execPath, command, ...args].map((it) => `'${it}'`).join(' ');
  const child = spawn('script', ['-qec', line, '/dev/null'], {
    ...(cwd !== undefined && { cwd }),
    env: { PATH, HOME, TERM: 'dumb', ...env },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  running.add(child);
  let shown = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    const wasAsked = shown.includes('Type "yes"');
    shown += text;
    if (!wasAsked && shown.includes('Type "yes"')) child.stdin.end(`${answer}\n`);
  });
  const [code] = (await once(child, 'close')) as [number | null];
  running.delete(child);
  return { code, shown };
}

/** Lets so many run at once, the others after them: answers must come within a run's own deadlines on a busy machine too. */
export function turns(atOnce: number): <T>(run: () => Promise<T>) => Promise<T> {
  const waiting: (() => void)[] = [];
  let free = atOnce;
  return async (run) => {
    if (free > 0) free -= 1;
    else await new Promise<void>((resolve) => waiting.push(resolve));
    try {
      return await run();
    } finally {
      const next = waiting.shift();
      if (next) next();
      else free += 1;
    }
  };
}
