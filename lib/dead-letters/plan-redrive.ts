// Judging a dead letter: what it would do if it were sent again now. The gates are the worker's own, walked with ports
// that only read; a store that does not answer is no reason to guess, so it rejects then.
import { dayCapOf, type DayTotals } from '../payout/control.ts';
import { fingerprints } from '../payout/fingerprint.ts';
import { type Gate, type Passage, passGates } from '../payout/gates.ts';
import { type Job, parseJob } from '../payout/job.ts';
import { orderKey } from '../payout/ledger.ts';
import { readPendingOutcome } from '../payout/outcome.ts';
import type { Clock, Fingerprinting, Ledger } from '../payout/ports.ts';
import { attributeText } from './dead-letter.ts';
import type { DeadMessage } from './dead-letter-ports.ts';
import { redriveStep } from './redrive.ts';
import type { RedriveFacts } from './redrive-facts.ts';
import type { JudgedDeadLetter } from './redrive-plan.ts';
import type { Credentials } from '../gateway/ports.ts';

/** What judging needs. */
export interface JudgePorts {
  /** The worker's list; its gate of card data opens no seal. */
  readonly gates: readonly Gate[];
  readonly ledger: Pick<Ledger, 'read'>;
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
  const facts = await factsOf(job, deadLetter, ports);
  const dayCap = dayCapNow(facts.passage, facts.nowMs);
  return {
    messageId,
    ...redriveStep(facts),
    order: orderKey(job),
    ...(job.batchId !== undefined && { batchId: job.batchId }),
    ...(job.money && { money: job.money }),
    ...(dayCap && { dayCap: { name: `${dayCap.merchant} ${dayCap.currency}`, room: facts.dayRoom ?? 0n } }),
  };
}

/** Gathers what a redrive of the letter would meet. */
export async function factsOf(job: Job, deadLetter: DeadMessage, ports: JudgePorts): Promise<RedriveFacts> {
  const [keys, standing, passage, secret] = await Promise.all([
    ports.fingerprinting.keys(),
    ports.ledger.read(orderKey(job)),
    passGates(job, ports.gates),
    ports.credentials.of(job.merchant),
  ]);
  const answer = readPendingOutcome(attributeText(deadLetter, 'answer'));
  const nowMs = ports.clock.nowMs();
  const cap = dayCapNow(passage, nowMs);
  return {
    job: passage.job,
    passage,
    fingerprints: fingerprints(job, keys),
    standing,
    ...(answer && { answer }),
    statusInquiry: secret.kind === 'unavailable' || secret.credentials.profile.statusInquiry,
    ...(cap && { dayRoom: cap.limitMinorUnits - (await ports.dayTotals.totalOf(cap)) }),
    nowMs,
  };
}

function dayCapNow(passage: Passage, nowMs: number) {
  if (passage.kind === 'stopped') return undefined;
  const { merchant, money } = passage.job;
  return money && dayCapOf(merchant, money, passage.credentials.profile, nowMs);
}
