// Judging a dead letter: what it would do if it were sent again now. The gates are the worker's own, walked with ports
// that only read; a store that does not answer is no reason to guess, so it rejects then.
import { dayCapsOf, type DayTotals } from '../payout/operate/control.ts';
import { fingerprints } from '../payout/message/fingerprint.ts';
import { type Gate, type Passage, passGates } from '../payout/gates.ts';
import { type Job, parseJob } from '../payout/message/job.ts';
import { orderKey } from '../payout/order/order.ts';
import type { Orders } from '../payout/order/orders.ts';
import type { Clock, Fingerprinting } from '../payout/ports.ts';
import type { DeadMessage } from './dead-letter-ports.ts';
import { type RedriveFacts, redriveStep, type DayRoom } from './redrive.ts';
import type { JudgedDeadLetter } from './redrive-plan.ts';
import type { Credentials } from '../gateway/ports.ts';

/** The ports of judging. */
export interface JudgePorts {
  /** The worker's list; its gate of card data opens no seal. */
  readonly gates: readonly Gate[];
  readonly orders: Pick<Orders, 'read'>;
  readonly credentials: Credentials;
  readonly fingerprinting: Fingerprinting;
  readonly dayTotals: DayTotals;
  readonly clock: Clock;
}

/** Judges one letter by itself. */
export async function judgeDeadLetter(deadLetter: DeadMessage, ports: JudgePorts): Promise<JudgedDeadLetter> {
  const { messageId } = deadLetter;
  const parsed = parseJob(deadLetter.body);
  if (parsed.kind === 'rejected') return { messageId, class: 'reject', because: 'INVALID_MESSAGE', changes: false };
  const { job } = parsed;
  const facts = await factsOf(job, ports);
  return {
    messageId,
    ...redriveStep(facts),
    order: orderKey(job),
    ...(job.batchId !== undefined && { batchId: job.batchId }),
    ...(job.money && { money: job.money }),
    ...(facts.dayCaps.length > 0 && { dayCaps: facts.dayCaps }),
  };
}

/** Gathers what a redrive of the letter would meet. */
export async function factsOf(job: Job, ports: JudgePorts): Promise<RedriveFacts> {
  const [keys, read, passage, secret] = await Promise.all([
    ports.fingerprinting.keys(),
    ports.orders.read(orderKey(job)),
    passGates(job, ports.gates),
    ports.credentials.of(job.merchant),
  ]);
  const nowMs = ports.clock.nowMs();
  return {
    job: passage.job,
    passage,
    fingerprints: fingerprints(job, keys),
    read,
    ...(secret.kind === 'credentials' && { credentials: secret.credentials }),
    dayCaps: await dayRooms(passage, nowMs, ports),
    nowMs,
  };
}

async function dayRooms(passage: Passage, nowMs: number, { dayTotals }: JudgePorts): Promise<readonly DayRoom[]> {
  if (passage.kind === 'stopped' || !passage.job.money) return [];
  const { merchant, money } = passage.job;
  return Promise.all(
    dayCapsOf(merchant, money, passage.credentials.profile, nowMs).map(async (cap) => ({
      name: `${merchant} ${cap.kind} ${cap.currency}`,
      counts: cap.counts,
      room: cap.limit - (await dayTotals.totalOf(cap)),
    })),
  );
}
