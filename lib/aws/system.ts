// The only reader of the clock and of randomness.
import { randomBytes, randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock, Random } from '../payout/ports.ts';

/** The system's clock. Negative waits count as none: Node would write a warning to the function's log. */
export const systemClock: Clock = {
  nowMs: () => Date.now(),
  uptimeMs: () => performance.now(),
  sleep: (ms) => sleep(Math.max(ms, 0)),
};

/** Runs a function after so many milliseconds; the returned function cancels it. The timer keeps no process alive. */
export function later(ms: number, run: () => void): () => void {
  const timer = setTimeout(run, ms).unref();
  return () => clearTimeout(timer);
}

/** 256 bits from the system's cryptographic source, base64url: the key under which a batch's rows are hashed. */
export const newBlind = (): string => randomBytes(32).toString('base64url');

/** Ids of 122 bits from the system's cryptographic source, so that they cannot be guessed. */
export const systemRandom: Random = { id: () => randomUUID().replaceAll('-', ''), chance: () => Math.random() };
