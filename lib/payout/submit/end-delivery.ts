// THE END OF A DELIVERY. A delivery ends in one of three ways: acknowledged, returned to come again when its visibility
// time-out is over, or replaced by one confirmed copy and then acknowledged. First its result is told (or its mark is in
// the ledger, which tells it later); only then it moves on, so that nothing is sent twice for an untold result. A message
// whose receive count is above one may have been copied: it waits by its visibility time-out, and is copied only to carry
// an answer. So an unconfirmed copy adds one message, and nothing ever doubles. What SQS would forget is laid aside.
import type { SQSRecord } from 'aws-lambda';
import { holdsCardData } from '../../gateway/redact.ts';
import { cutBody, type CutBody } from '../message/card-fields.ts';
import { type Disposition, type JobDelivery, waitedTooLong } from './disposition.ts';
import type { OwnMessage } from '../inquire/own-queue.ts';
import type { MetricsRecorder } from '../metrics-recorder.ts';
import { keepMark } from '../order/keep-mark.ts';
import type { DeadLetter, JobCopy, Log } from '../ports.ts';
import type { Result } from '../message/result.ts';
import { behindCopySeconds, hiddenSeconds, isLastReceive, lastLookInSeconds, untoldSeconds } from '../retry-policy.ts';
import type { Outbox, RecordEnd } from '../run-records.ts';
import type { SubmitPorts } from './submit-job.ts';

/** Where messages leave in tens. */
export interface Outboxes {
  readonly results: Outbox<Result>;
  readonly copies: Outbox<JobCopy>;
  readonly areCopiesTaken: () => boolean;
  readonly deadLetters: Outbox<DeadLetter>;
  readonly checks: Outbox<OwnMessage>;
  /** Answers that could not be written. */
  readonly answers: Outbox<OwnMessage>;
}

type EndPorts = SubmitPorts & { readonly recorder: MetricsRecorder; readonly log: Log };
type Moving = Exclude<Disposition, { kind: 'retry' }>;

/** A delivery as it came, and what it says of its message. */
export interface Delivered {
  readonly record: SQSRecord;
  readonly message: JobDelivery;
}

/** Ends a delivery. */
export async function endDelivery(
  chosen: Disposition,
  { record, message }: Delivered,
  outboxes: Outboxes,
  ports: EndPorts,
): Promise<RecordEnd> {
  const putAtMs = Number(record.attributes.SentTimestamp);
  const nowMs = ports.clock.nowMs();
  const leftSeconds = chosen.kind === 'done' ? Infinity : lastLookInSeconds(putAtMs, nowMs);
  const isLastLook = leftSeconds <= 0;
  const disposition = isLastLook ? keptElsewhere(chosen) : chosen;
  const returned = (delaySeconds: number, rounds = 0): RecordEnd => {
    const seconds = hiddenSeconds({ receiveCount: message.receiveCount, delaySeconds, rounds }, ports.limits);
    return returnedFor(isLastLook ? seconds : Math.min(seconds, leftSeconds), record); // in time for the last look
  };
  if (disposition.kind === 'retry') {
    const lastWord = cutAtLast(disposition, message, ports);
    return lastWord ? layAside(lastWord, { record, message }, outboxes, ports) : returned(disposition.delaySeconds);
  }
  const isSafe = await tellOrMark(disposition, outboxes, ports);
  if (!isSafe && !mustLeave(disposition, message, ports))
    return returned(untoldSeconds(message.receiveCount, ports.limits));
  switch (disposition.kind) {
    case 'done':
      return { kind: 'acknowledged' };
    case 'wait': {
      const { delaySeconds, isExact, answer } = disposition;
      if (answer) {
        await outboxes.answers.add({ message: { kind: 'answer', ...answer }, delaySeconds: 0 });
        return returned(delaySeconds);
      }
      if (!isLastLook && !isCopied(message, outboxes)) {
        if (isExact || message.receiveCount === 1) return returned(delaySeconds);
        // Its copy may live, or its worker was lost over it: it comes again when it has lain there about as long again.
        const aged = Math.min((nowMs - putAtMs) / 1000, behindCopySeconds(0, ports.limits));
        return returned(Math.max(delaySeconds, aged), message.receiveCount - 2);
      }
      const atMost = isExact ? ports.limits.gateMaxWaitSeconds : ports.limits.retryMaxDelaySeconds;
      const copy = copyOf({ ...disposition, delaySeconds: Math.min(delaySeconds, atMost) }, record, message);
      if (await outboxes.copies.add(copy)) return { kind: 'acknowledged' };
      return returned(behindCopySeconds(delaySeconds, ports.limits));
    }
    case 'dead-letter':
      return layAside(disposition, { record, message }, outboxes, ports);
  }
}

const returnedFor = (seconds: number, { receiptHandle }: SQSRecord) =>
  ({ kind: 'returned', receiptHandle, delaySeconds: Math.max(seconds, 1) }) as const;

/** What would go on waiting when SQS forgets it: as a copy where an answer is to be written, as a dead letter otherwise. */
function keptElsewhere(chosen: Disposition): Disposition {
  if (chosen.kind !== 'retry' && chosen.kind !== 'wait') return chosen;
  if (chosen.kind === 'wait' && chosen.answer) return chosen;
  const { failure, result, order } = chosen;
  const told = { ...(result && { result }), ...(order && { order }) };
  return { kind: 'dead-letter', reason: waitedTooLong(failure), ...told };
}

type DeadEnd = Extract<Moving, { kind: 'dead-letter' }>;

/** Into the dead-letter queue; where that takes nothing now, what is left without card data goes round, to be refused. */
async function layAside(end: DeadEnd, delivered: Delivered, outboxes: Outboxes, ports: EndPorts): Promise<RecordEnd> {
  const { record, message } = delivered;
  const { receiveCount } = message;
  // What got no answer may lie there already: it is laid down at some receives, and late at each, but hours apart.
  const isLate = receiveCount > 8;
  const delaySeconds = untoldSeconds(receiveCount, ports.limits) * (isLate ? 16 : 1);
  const leftSeconds = lastLookInSeconds(Number(record.attributes.SentTimestamp), ports.clock.nowMs());
  const isLast = isLastReceive(receiveCount, ports.limits) || leftSeconds <= 0;
  if (![1, 2, 4, 8].includes(receiveCount) && !isLate && !isLast) return returnedFor(delaySeconds, record);
  const clean = cutBody(record.body, end);
  if (await outboxes.deadLetters.add(deadLetterOf(end, clean, delivered, ports))) return { kind: 'acknowledged' };
  const attributes = { originMessageId: `${message.originMessageId}-cut`, waits: message.waits + 1 };
  const copy = {
    body: clean.body,
    delaySeconds: untoldSeconds(message.receiveCount, ports.limits),
    attributes,
    ...groupOf(record),
  };
  if (!clean.cut || (receiveCount > 1 && !isLast)) return returnedFor(delaySeconds, record);
  if (await outboxes.copies.add(copy)) return { kind: 'acknowledged' };
  return returnedFor(behindCopySeconds(delaySeconds, ports.limits), record);
}

/** SQS's own way to the dead-letter queue would take a message with card data there whole, so it never comes to that. */
function cutAtLast(
  { failure }: Extract<Disposition, { kind: 'retry' }>,
  { body, receiveCount }: JobDelivery,
  { limits }: EndPorts,
): DeadEnd | undefined {
  if (!isLastReceive(receiveCount, limits) || !cutBody(body).cut) return undefined;
  return { kind: 'dead-letter', reason: failure ?? { code: 'PLAIN_CARD_DATA', message: 'it could not be taken' } };
}

/** True when the result is told, or the ledger remembers that it is not; a word about its message alone takes no mark away. */
async function tellOrMark({ result, order }: Moving, { results }: Outboxes, ports: EndPorts): Promise<boolean> {
  if (!result) return true;
  const told = await results.add(result);
  const isOrders = result.resultId === `${order?.key}/${order?.published.revision}`;
  return ((await keepMark(told && !isOrders ? undefined : order, told, ports)) && order !== undefined) || told;
}

/** Told or not: what may lie on no queue at its last receive, before SQS would take it whole; what is too long at once. */
function mustLeave(disposition: Moving, { body, receiveCount }: JobDelivery, { limits }: EndPorts): boolean {
  if (disposition.kind !== 'dead-letter') return false;
  const { cut, tooLong = false } = cutBody(body, disposition);
  return tooLong || (cut && isLastReceive(receiveCount, limits));
}

/** At the first receive: who comes again waits by visibility. */
const isCopied = (message: JobDelivery, to: Outboxes): boolean => message.receiveCount === 1 && to.areCopiesTaken();

function copyOf(disposition: Extract<Moving, { kind: 'wait' }>, record: SQSRecord, message: JobDelivery): JobCopy {
  const { originMessageId, sentAtMs, waits, redrives, turn: given } = message;
  const { turn = given } = disposition;
  const attributes = {
    originMessageId,
    ...(sentAtMs !== undefined && { sentAtMs }),
    waits: waits + 1,
    ...(turn !== undefined && { turn }),
    ...(redrives !== undefined && { redrives }),
  };
  return { body: record.body, delaySeconds: disposition.delaySeconds, attributes, ...groupOf(record) };
}

function deadLetterOf(
  end: DeadEnd,
  clean: CutBody,
  { record, message }: Delivered,
  { recorder }: EndPorts,
): DeadLetter {
  const [{ reason, order }, { originMessageId, redrives }] = [end, message];
  // A message that became an order was let in by its merchant's profile.
  if (clean.cut && !clean.tooLong && !order) recorder.add('plainCardDataRefused');
  return {
    body: clean.body,
    reason,
    originMessageId,
    ...(redrives !== undefined && { redrives }),
    ...groupOf(record),
  };
}

const groupOf = ({ attributes: { MessageGroupId: groupId } }: SQSRecord) =>
  groupId === undefined || holdsCardData(groupId) ? {} : { groupId };
