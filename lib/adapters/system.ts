// The only reader of the clock and of randomness.
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock, Random } from '../app/ports.ts';

/** Wall-clock time. */
export const systemClock: Clock = { nowMs: () => Date.now(), sleep: (ms) => sleep(ms) };

/** Ids from the system's cryptographic source (122 bits): a guessed owner could settle a stranger's order. */
export const systemRandom: Random = { id: () => randomUUID().replaceAll('-', ''), chance: () => Math.random() };
