// The only reader of the clock and of randomness.
import { randomBytes, randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock, Random } from '../payout/ports.ts';

/** Wall-clock time. A wait until a moment that has passed is none: Node warns of a negative wait on the function's log. */
export const systemClock: Clock = {
  nowMs: () => Date.now(),
  uptimeMs: () => performance.now(),
  sleep: (ms) => sleep(Math.max(ms, 0)),
};

/** Runs something later, unless it is called off; no process stays alive for it. */
export function later(ms: number, run: () => void): () => void {
  const timer = setTimeout(run, ms).unref();
  return () => clearTimeout(timer);
}

/** 256 bits from the system's cryptographic source, base64url: the key under which a batch's rows are hashed. */
export const newBlind = (): string => randomBytes(32).toString('base64url');

/** Ids from the system's cryptographic source (122 bits): a guessed owner could settle a stranger's order. */
export const systemRandom: Random = { id: () => randomUUID().replaceAll('-', ''), chance: () => Math.random() };
