// A command and the person at it: a question before something is done, and an interruption.
import { once } from 'node:events';
import { constants } from 'node:os';
import { createInterface } from 'node:readline/promises';
import { UsageError } from '../files/usage-error.ts';

/** Without a terminal, consent must be on the command line. */
export function requireSomebody(remedy: string): void {
  if (!process.stdin.isTTY || !process.stderr.isTTY) throw new UsageError(`not a terminal: ${remedy}`);
}

/** Asks on standard error; true for "yes" alone. Ctrl-C at the question is an interruption like any other. */
export async function saysYes(question: string): Promise<boolean> {
  const asking = createInterface({ input: process.stdin, output: process.stderr });
  asking.on('SIGINT', () => process.kill(process.pid, 'SIGINT'));
  try {
    return (await asking.question(`${question} Type "yes" to go on: `)).trim().toLowerCase() === 'yes';
  } finally {
    asking.close();
  }
}

const signals = ['SIGINT', 'SIGTERM'] as const;
/** How many of {@link interruptible} are under way: they say themselves how far they came when they were interrupted. */
let interruptibles = 0;

/** The exit code of a command that a signal has ended. */
export const exitCodeOf = (signal: NodeJS.Signals): number => 128 + constants.signals[signal];

/** From now on a signal ends the command with this sentence, and by 130 or 143; until the returned function is called. */
export function endOnSignal(outcome: string): () => void {
  const end = (signal: NodeJS.Signals) => {
    if (interruptibles > 0) return;
    process.stderr.write(`\npayouts: stopped by ${signal}; ${outcome}\n`);
    process.exit(exitCodeOf(signal));
  };
  for (const signal of signals) process.on(signal, end);
  return () => signals.forEach((signal) => process.off(signal, end));
}

/** Runs work that must put things back in order before it ends: the signal is aborted, with the name of what interrupted it. */
export async function interruptible<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const interruption = new AbortController();
  const interrupt = (signal: NodeJS.Signals) => interruption.abort(signal);
  interruptibles += 1;
  for (const signal of signals) process.on(signal, interrupt);
  try {
    return await work(interruption.signal);
  } finally {
    interruptibles -= 1;
    for (const signal of signals) process.off(signal, interrupt);
  }
}

/** Resolves when a signal says that it is enough: Ctrl-C ends what is served until then. */
export const untilInterrupted = (): Promise<unknown> => interruptible((signal) => once(signal, 'abort'));
