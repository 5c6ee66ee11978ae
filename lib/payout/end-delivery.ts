// THE END OF A DELIVERY. A delivery ends in one of three ways: acknowledged, returned to come again when its visibility
// time-out is over, or replaced by one confirmed copy and then acknowledged. First its result is told (or its mark is in
// the ledger, which tells it later); only then it moves on, so that nothing is sent twice for a result that could not be
// told. A message whose receive count is above one was possibly copied before: it waits by its visibility time-out, and is
// copied only to carry an answer, or at its last receive, as waiting is no failure. So a copy that was not confirmed adds
// one message, and nothing ever doubles.
import type { SQSRecord } from 'aws-lambda';
import type { Disposition, JobDelivery } from './disposition.ts';
import { type Check, noInquiries } from './due-work.ts';
import { isAskedAbout, isLastReceive, nextInquirySeconds } from './retry-policy.ts';
import { sqsMaxDelaySeconds, sqsMaxVisibilitySeconds } from './limits.ts';
import type { MetricsRecorder } from './metrics-recorder.ts';
import { keepMark, type Outbox, type RecordEnd } from './run-records.ts';
import { writePendingOutcome } from './outcome.ts';
import type { DeadLetter, JobCopy } from './ports.ts';
import type { Result } from './result.ts';
import type { SubmitPorts } from './submit-job.ts';
import { withoutCardData } from './without-card-data.ts';

/** Where messages leave in tens. */
export interface Outboxes {
  readonly results: Outbox<Result>;
  readonly copies: Outbox<LeavingCopy>;
  readonly deadLetters: Outbox<DeadLetter>;
  readonly checks: Outbox<{ readonly check: Check; readonly delaySeconds: number }>;
}

/** A copy on its way; the first to carry an answer is sent again rather than lost. */
interface LeavingCopy {
  readonly copy: JobCopy;
  readonly isNewAnswer: boolean;
}

type EndPorts = SubmitPorts & { readonly recorder: MetricsRecorder };

type Moving = Exclude<Disposition, { kind: 'retry' }>;

/** Ends a delivery. */
export async function endDelivery(
  disposition: Disposition,
  record: SQSRecord,
  outboxes: Outboxes,
  ports: EndPorts,
): Promise<RecordEnd> {
  const message = messageOf(record);
  const returned = (delaySeconds: number): RecordEnd => ({
    kind: 'returned',
    receiptHandle: record.receiptHandle,
    delaySeconds: Math.min(Math.max(Math.ceil(delaySeconds), 1), sqsMaxVisibilitySeconds),
  });
  if (disposition.kind === 'retry') return returned(disposition.delaySeconds);
  const [isSafe] = await Promise.all([
    tellOrMark(disposition, outboxes, ports),
    firstCheck(disposition, outboxes, ports),
  ]);
  if (!isSafe && !mustLeave(disposition, message, ports)) return returned(untoldSeconds(message));
  switch (disposition.kind) {
    case 'done':
      return { kind: 'acknowledged' };
    case 'wait': {
      const { delaySeconds, isExact } = disposition;
      const rounds = isExact ? 0 : Math.max(message.receiveCount - (message.answer === undefined ? 2 : 1), 0);
      if (!isCopied(disposition, message, ports)) return returned(delaySeconds * waitGrowth ** rounds);
      const copy = copyOf(disposition, record, message);
      return (await outboxes.copies.add(copy))
        ? { kind: 'acknowledged' }
        : returned(behindCopySeconds(delaySeconds, ports));
    }
    case 'dead-letter': {
      const letter = deadLetterOf(disposition, record, message, ports);
      return (await outboxes.deadLetters.add(letter)) ? { kind: 'acknowledged' } : returned(untoldSeconds(message));
    }
  }
}

/** Waits by visibility grow by this with each receive. */
const waitGrowth = 4;

/** A copy that was not confirmed goes on, as a rule: the message comes behind it, and costs little should it be right. */
const behindCopySeconds = (delaySeconds: number, { limits }: EndPorts) =>
  Math.max(delaySeconds, limits.retryMaxDelaySeconds * waitGrowth);

/** Until a result is tried again that could not be told: 15 s, 1, 4 and 15 minutes. */
const untoldSeconds = ({ receiveCount }: JobDelivery) =>
  Math.min(15 * waitGrowth ** (receiveCount - 1), sqsMaxDelaySeconds);

/** True when the result is told, or the ledger remembers that it is not. */
async function tellOrMark({ result, entry }: Moving, { results }: Outboxes, ports: EndPorts): Promise<boolean> {
  if (!result) return true;
  const told = await results.add(result);
  const isMarked = await keepMark(entry, told, ports);
  return told || (entry !== undefined && isMarked);
}

/**
 * The last receive of a message that holds what may lie on no queue: SQS's own way to the dead-letter queue would take it
 * there whole, so it is laid there without it, told or not.
 */
function mustLeave(disposition: Moving, message: JobDelivery, { limits }: EndPorts): boolean {
  if (disposition.kind !== 'dead-letter' || !isLastReceive(message.receiveCount, limits)) return false;
  return withoutCardData(message.body, disposition).cut;
}

/** Where the order is asked about later, the first look is asked for now. Should it get lost, the sweeper finds the order. */
async function firstCheck({ entry }: Moving, { checks }: Outboxes, { clock, limits }: EndPorts): Promise<void> {
  if (!entry || !isAskedAbout(entry)) return;
  const inquiries = entry.inquiries ?? noInquiries;
  const delaySeconds = nextInquirySeconds(entry, inquiries, clock.nowMs(), limits);
  if (delaySeconds <= sqsMaxDelaySeconds)
    await checks.add({ check: { orderKey: entry.key, inquiries: inquiries.count }, delaySeconds });
}

/**
/**
 * At the first receive, or for an answer that nothing else knows. A message that carries this answer already waits by its
 * visibility. Each is copied when SQS would deliver it no more: that is for messages that crash.
 */
function isCopied(disposition: Extract<Moving, { kind: 'wait' }>, message: JobDelivery, { limits }: EndPorts): boolean {
  if (isNewAnswer(disposition, message) || isLastReceive(message.receiveCount, limits)) return true;
  return message.answer === undefined && message.receiveCount === 1;
}

/** An answer of a later claim than the one whose answer the message carries is as new as the first: it may be "accepted". */
const isNewAnswer = ({ answer }: Extract<Moving, { kind: 'wait' }>, message: JobDelivery) =>
  answer !== undefined && writePendingOutcome(answer) !== message.answer;

function copyOf(disposition: Extract<Moving, { kind: 'wait' }>, record: SQSRecord, message: JobDelivery): LeavingCopy {
  const { originMessageId, sentAtMs, waits, redrives, answer: carried } = message;
  // An answer that fitted nothing yet is kept: the claim that it speaks of may have been given up and land late.
  const answer = disposition.answer ? writePendingOutcome(disposition.answer) : carried;
  const attributes = {
    originMessageId,
    ...(sentAtMs !== undefined && { sentAtMs }),
    waits: waits + 1,
    ...(redrives !== undefined && { redrives }),
    ...(answer !== undefined && { answer }),
  };
  const delaySeconds = Math.min(disposition.delaySeconds, sqsMaxDelaySeconds);
  const copy = { body: record.body, delaySeconds, attributes, ...groupOf(record) };
  return { copy, isNewAnswer: isNewAnswer(disposition, message) };
}

function deadLetterOf(
  disposition: Extract<Moving, { kind: 'dead-letter' }>,
  record: SQSRecord,
  { originMessageId, redrives }: JobDelivery,
  { recorder }: EndPorts,
): DeadLetter {
  const clean = withoutCardData(record.body, disposition);
  // A message that became an order was let in by its merchant's profile.
  if (clean.cut && !disposition.entry) recorder.add('plainCardDataRefused');
  const counted = redrives === undefined ? {} : { redrives };
  return { body: clean.body, reason: disposition.reason, originMessageId, ...counted, ...groupOf(record) };
}

const groupOf = ({ attributes }: SQSRecord) =>
  attributes.MessageGroupId === undefined ? {} : { groupId: attributes.MessageGroupId };

/** What a delivery says of its message. */
export function messageOf({ messageId, body, attributes, messageAttributes }: SQSRecord): JobDelivery {
  const text = (name: string) => messageAttributes[name]?.stringValue;
  const answer = text('answer');
  const redrives = Number(text('redrives')) || 0;
  const sentAtMs = Number(text('sentAtMs') ?? attributes.SentTimestamp);
  return {
    originMessageId: text('originMessageId') ?? messageId,
    ...(sentAtMs > 0 && { sentAtMs }),
    body,
    receiveCount: Number(attributes.ApproximateReceiveCount) || 1,
    waits: Number(text('waits')) || 0,
    ...(answer !== undefined && { answer }),
    ...(redrives > 0 && { redrives }),
  };
}
