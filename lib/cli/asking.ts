// What a command and the person at it have to say to each other: a question before something is done, an interruption.
import { createInterface } from 'node:readline/promises';
import { UsageError } from './usage-error.ts';

/** Where nobody can be asked, consent must be on the command line. */
export function requireSomebody(remedy: string): void {
  if (!process.stdin.isTTY || !process.stderr.isTTY) throw new UsageError(`nobody can be asked here; ${remedy}`);
}

/** Asks on standard error; true for "yes" alone. */
export async function saysYes(question: string): Promise<boolean> {
  const asking = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return (await asking.question(`${question} Type "yes" to go on: `)).trim().toLowerCase() === 'yes';
  } finally {
    asking.close();
  }
}

/** Runs work that must put things back in order before it ends: the signal is aborted when the person interrupts it. */
export async function interruptible<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const interruption = new AbortController();
  const interrupt = () => interruption.abort();
  const signals = ['SIGINT', 'SIGTERM'] as const;
  for (const signal of signals) process.on(signal, interrupt);
  try {
    return await work(interruption.signal);
  } finally {
    for (const signal of signals) process.off(signal, interrupt);
  }
}
