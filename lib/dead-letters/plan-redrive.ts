// Judging a dead letter: what it would do if it were sent again now, by the ledger, the controls and the merchant's
// contract as they stand. Reads only; a store that does not answer is no reason to guess, so it rejects then.
import { methodsOf } from '../gateway/key-fields.ts';
import { notApproved } from '../batches/approval.ts';
import { dayCapOf } from '../payout/caps.ts';
import { fingerprints } from '../payout/fingerprint.ts';
import { type Job, parseJob } from '../payout/job.ts';
import { orderKey } from '../payout/ledger.ts';
import { redriveStep } from './redrive.ts';
import type { Contract, RedriveFacts } from './redrive-facts.ts';
import type { JudgedDeadLetter } from './redrive-plan.ts';
import { checkControls, type CheckControlsPorts } from '../payout/check-controls.ts';
import {
  type ApprovalVerdict,
  checkApproval,
  type CheckApprovalPorts,
  withApproval,
} from '../batches/check-approval.ts';
import { readPendingOutcome } from '../payout/pending-outcome.ts';
import type { DayTotals } from '../payout/control-ports.ts';
import { textOf } from './dead-letter.ts';
import type { DeadMessage } from './dead-letter-ports.ts';
import { judgeClosed, type OpenedJob } from '../card-data/open-card-data.ts';
import type { Clock, CredentialsAnswer, Fingerprinting, Ledger } from '../payout/ports.ts';

/** What judging needs. */
export interface JudgePorts extends CheckControlsPorts, CheckApprovalPorts {
  readonly ledger: Pick<Ledger, 'read'>;
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
  const dayCap = dayCapNow(job, facts);
  return {
    messageId,
    ...redriveStep(facts),
    order: orderKey(job),
    ...(job.batchId !== undefined && { batchId: job.batchId }),
    ...(job.money && { money: job.money }),
    ...(dayCap && { dayCap: { name: `${dayCap.merchant} ${dayCap.currency}`, room: facts.dayRoom ?? 0n } }),
  };
}

/** Gathers what a redrive of the letter would meet. Sealed card data stays sealed: only the worker has its keys. */
export async function factsOf(job: Job, deadLetter: DeadMessage, ports: JudgePorts): Promise<RedriveFacts> {
  const [keys, standing, judged, approval, leave, credentials] = await Promise.all([
    ports.fingerprinting.keys(),
    ports.ledger.read(orderKey(job)),
    judgeClosed(job, ports),
    checkApproval(job, ports),
    checkControls(job, ports),
    ports.credentials.of(job.merchant),
  ]);
  const answer = readPendingOutcome(textOf(deadLetter, 'answer'));
  const facts = {
    job: approval.kind === 'goes on' ? withApproval(job, approval) : job,
    fingerprints: fingerprints(job, keys),
    standing,
    ...(answer && { answer }),
    ...closedBy(judged, approval),
    leave,
    contract: contractOf(credentials),
    nowMs: ports.clock.nowMs(),
  };
  const cap = dayCapNow(job, facts);
  if (!cap) return facts;
  const dayRoom = cap.limitMinorUnits - (await ports.dayTotals.totalOf(cap));
  return { ...facts, dayRoom };
}

/** Card data is judged before the approval, as the worker does. */
function closedBy(judged: OpenedJob, approval: ApprovalVerdict): Pick<RedriveFacts, 'closed'> {
  if (judged.kind !== 'opened') return { closed: { failure: judged.failure, forGood: judged.kind === 'refused' } };
  if (approval.kind === 'refused') return { closed: { failure: approval.failure, forGood: true } };
  return approval.kind === 'unknown' ? { closed: { failure: notApproved('not known now'), forGood: false } } : {};
}

function contractOf(answer: CredentialsAnswer): Contract {
  if (answer.kind === 'unavailable') return answer;
  return { kind: 'contract', profile: answer.credentials.profile, methods: methodsOf(answer.credentials) };
}

function dayCapNow({ merchant, money }: Job, { contract, nowMs }: Pick<RedriveFacts, 'contract' | 'nowMs'>) {
  return contract.kind === 'contract' && money ? dayCapOf(merchant, money, contract.profile, nowMs) : undefined;
}
