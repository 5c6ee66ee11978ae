// THE END OF A DELIVERY: done, waits, or a dead letter. First its result is published (or its mark is in the ledger, by
// which it is published later); only then the message moves on, so that nothing is sent twice for an unpublished result. A
// short wait stays on SQS by its visibility time-out; a longer one is kept in the table `waiting`, and only then
// acknowledged. A row of the table ends the same way: it is removed, or it moves.
import type { SQSRecord } from 'aws-lambda';
import { holdsCardData } from '../../gateway/redact.ts';
import { type Disposition, hasWaitedTooLong, type JobDelivery, waitedTooLong } from './disposition.ts';
import type { OwnMessage } from '../inquire/own-queue.ts';
import { sqsMaxDelaySeconds } from '../limits.ts';
import type { MetricsRecorder } from '../metrics-recorder.ts';
import { errorFields } from '../log-fields.ts';
import type { Order } from '../order/order.ts';
import type { Orders } from '../order/orders.ts';
import type { DeadLetter, Log } from '../ports.ts';
import type { Result } from '../message/result.ts';
import { cutBody } from '../message/read-job.ts';
import { hiddenSeconds, isLastReceive, lastLookInSeconds, unpublishedSeconds } from '../retry-policy.ts';
import type { Outbox, RecordEnd } from '../run-records.ts';
import { keepWaiting, type KeepPorts } from '../waiting/keep-waiting.ts';
import type { JoinedRow, WaitingRow } from '../waiting/waiting-row.ts';
import { shortWaitSeconds, waitsInLine, type WaitName } from '../waiting/waits.ts';
import type { SubmitPorts } from './submit-job.ts';

/** The outboxes by which messages leave in tens. */
export interface Outboxes {
  readonly results: Outbox<Result>;
  readonly deadLetters: Outbox<DeadLetter>;
  readonly checks: Outbox<OwnMessage>;
  /** Answers that could not be written. */
  readonly answers: Outbox<OwnMessage>;
  /** Rows that have joined their line, or stay in it. */
  readonly joined: (row: JoinedRow) => void;
}

type EndPorts = SubmitPorts & KeepPorts & { readonly recorder: MetricsRecorder; readonly log: Log };
type Moving = Exclude<Disposition, { kind: 'retry' }>;

/** A delivery as it came, and the data of its message. */
type Delivered = { readonly message: JobDelivery } & (
  | { readonly kind: 'message'; readonly record: SQSRecord }
  | { readonly kind: 'row'; readonly row: WaitingRow }
);

/** The end of a delivery: the message may go, or it comes again, in a line or not before a moment. */
type DeliveryEnd =
  | { readonly kind: 'done' }
  | { readonly kind: 'again'; readonly delaySeconds: number; readonly because: WaitName };

/** Ends a delivery of the jobs queue. */
export async function endDelivery(
  chosen: Disposition,
  delivered: Delivered & { kind: 'message' },
  outboxes: Outboxes,
  ports: EndPorts,
): Promise<RecordEnd> {
  const { record, message } = delivered;
  const leftSeconds = chosen.kind === 'done' ? Infinity : secondsLeft(message, ports);
  const isLastLook = leftSeconds <= 0;
  const end = await carryOut(isLastLook ? givenUp(chosen) : chosen, delivered, outboxes, ports);
  if (end.kind === 'done') return { kind: 'acknowledged' };
  if (chosen.kind === 'wait' && !isLastLook && (await keepInTable(end, delivered, outboxes, ports)))
    return { kind: 'acknowledged' };
  const seconds = hiddenSeconds({ ...message, delaySeconds: Math.min(end.delaySeconds, longestHidden(chosen)) });
  // In time for the last look.
  const delaySeconds = Math.max(isLastLook ? seconds : Math.min(seconds, leftSeconds), 1);
  return { kind: 'returned', receiptHandle: record.receiptHandle, delaySeconds };
}

/** A message that could not be kept, or may not be, comes again within a quarter of an hour; an unpublished result, later and later. */
const longestHidden = ({ kind }: Disposition) => (kind === 'wait' ? sqsMaxDelaySeconds : Infinity);

/** Ends a delivery of a row of the table: the row is removed once nothing more is to be done with it, and not before. */
export async function endRow(
  chosen: Disposition,
  delivered: Delivered & { kind: 'row' },
  outboxes: Outboxes,
  ports: EndPorts,
): Promise<void> {
  const { row, message } = delivered;
  const isOver = chosen.kind !== 'done' && hasWaitedTooLong(message, ports);
  const end = await carryOut(isOver ? givenUp(chosen) : chosen, delivered, outboxes, ports);
  if (end.kind === 'done') {
    await ports.waiting.rows.remove(row);
    return;
  }
  const { because } = end;
  // The row keeps its place in the line.
  if (waitsInLine(because) && row.goAtMs <= ports.clock.nowMs()) {
    outboxes.joined({ ...row, because });
    return;
  }
  const goAtMs = ports.clock.nowMs() + (waitsInLine(because) ? 0 : end.delaySeconds * 1000);
  if (await ports.waiting.rows.move(row, { goAtMs, because })) outboxes.joined({ ...row, goAtMs, because });
}

/** Puts a message in the table whose wait is too long for SQS; false where it stays there. */
async function keepInTable(
  { because, delaySeconds }: DeliveryEnd & { kind: 'again' },
  { record, message }: Delivered & { kind: 'message' },
  { joined }: Outboxes,
  ports: EndPorts,
): Promise<boolean> {
  const { read } = message;
  if (read.kind !== 'job' || because === 'answer') return false;
  const { job } = read;
  const shortly = shortWaitSeconds[job.batchId === undefined ? 'urgent' : 'row'];
  // A job that comes again and again to a lane without a slot for it joins the lane's line instead.
  const isShort =
    delaySeconds <= shortly && !(waitsInLine(because) && (job.batchId !== undefined || message.waits > 1));
  if (isShort) return false;
  const goAtMs = ports.clock.nowMs() + (waitsInLine(because) ? 0 : delaySeconds * 1000);
  const kept = await keepWaiting({ job, message, goAtMs, because, ...groupOf(record) }, ports);
  if (kept.kind !== 'put') return false;
  joined(kept.row);
  return true;
}

async function carryOut(
  disposition: Disposition,
  delivered: Delivered,
  outboxes: Outboxes,
  ports: EndPorts,
): Promise<DeliveryEnd> {
  const { message } = delivered;
  if (disposition.kind === 'retry') return { kind: 'again', delaySeconds: disposition.delaySeconds, because: 'failed' };
  if (!(await publishOrMark(disposition, outboxes, ports))) return unpublished(message, ports);
  switch (disposition.kind) {
    case 'done':
      return { kind: 'done' };
    case 'wait': {
      const { delaySeconds, because, answer } = disposition;
      if (answer) await outboxes.answers.add({ message: { kind: 'answer', ...answer }, delaySeconds: 0 });
      return { kind: 'again', delaySeconds, because };
    }
    case 'dead-letter':
      return layAside(disposition, delivered, outboxes, ports);
  }
}

const unpublished = ({ waits }: JobDelivery, { limits }: EndPorts): DeliveryEnd => ({
  kind: 'again',
  delaySeconds: unpublishedSeconds(waits + 1, limits),
  because: 'answer',
});

/** A message that waited for as long as any may is a dead letter; an answer that is still to be written goes its way first. */
function givenUp(chosen: Disposition): Disposition {
  if (chosen.kind !== 'retry' && chosen.kind !== 'wait') return chosen;
  if (chosen.kind === 'wait' && chosen.answer) return chosen;
  const { result, order } = chosen;
  const failure = chosen.kind === 'wait' ? chosen.failure : undefined;
  return { kind: 'dead-letter', reason: waitedTooLong(failure), ...(result && { result }), ...(order && { order }) };
}

type DeadEnd = Extract<Moving, { kind: 'dead-letter' }>;

/** Into the dead-letter queue. */
async function layAside(end: DeadEnd, delivered: Delivered, outboxes: Outboxes, ports: EndPorts): Promise<DeliveryEnd> {
  const { message } = delivered;
  const looks = message.waits + 1;
  // A letter that got no answer may be there already: it is sent at some looks, and late at each, but hours apart.
  const isLate = looks > 8;
  const delaySeconds = unpublishedSeconds(looks, ports.limits) * (isLate ? 16 : 1);
  const isLast = isLastReceive(message, ports.limits) || isAtItsEnd(delivered, ports);
  const again: DeliveryEnd = { kind: 'again', delaySeconds, because: 'answer' };
  if (![1, 2, 4, 8].includes(looks) && !isLate && !isLast && !message.isKept) return again;
  return (await outboxes.deadLetters.add(deadLetterOf(end, delivered, ports))) ? { kind: 'done' } : again;
}

const isAtItsEnd = ({ kind, message }: Delivered, ports: EndPorts): boolean =>
  kind === 'message' && secondsLeft(message, ports) <= 0;

/** Seconds until the last look before SQS deletes the message; a message that is older than SQS keeps any has all of its time. */
const secondsLeft = ({ sentAtMs }: JobDelivery, { clock }: EndPorts): number =>
  sentAtMs === undefined ? Infinity : lastLookInSeconds(sentAtMs, clock.nowMs());

/** True when the result is published, or the ledger has the mark that it is not; a result about the message alone takes no mark away. */
async function publishOrMark({ result, order }: Moving, { results }: Outboxes, ports: EndPorts): Promise<boolean> {
  if (!result) return true;
  const isPublished = await results.add(result);
  const isOrders = result.resultId === `${order?.key}/${order?.published.revision}`;
  const isMarked = await keepMark(isPublished && !isOrders ? undefined : order, isPublished, ports);
  return isPublished || (isMarked && order !== undefined);
}

/**
 * The mark in the order's item that the result of its revision is published, or still to be; written where it is not right
 * already. False where the store does not answer.
 */
export async function keepMark(
  order: Order | undefined,
  isPublished: boolean,
  { orders, log }: { readonly orders: Pick<Orders, 'mark'>; readonly log: Log },
): Promise<boolean> {
  if (!order || isPublished !== (order.unpublished ?? false)) return true;
  try {
    await orders.mark(order, !isPublished);
    return true;
  } catch (error) {
    log.write('error', 'mark-failed', { merchant: order.merchant, orderId: order.orderId, ...errorFields(error) });
    return false;
  }
}

function deadLetterOf(end: DeadEnd, delivered: Delivered, { recorder }: EndPorts): DeadLetter {
  const { body, read, messageId, redrives } = delivered.message;
  const clean = cutBody(body, read, end);
  if (clean.cut) recorder.add('plainCardDataRefused');
  const group = delivered.kind === 'row' ? delivered.row : groupOf(delivered.record);
  return {
    body: clean.body,
    reason: end.reason,
    originMessageId: messageId,
    ...(redrives !== undefined && { redrives }),
    ...(group.groupId !== undefined && { groupId: group.groupId }),
  };
}

function groupOf({ attributes: { MessageGroupId: groupId } }: SQSRecord): { readonly groupId?: string } {
  return groupId === undefined || holdsCardData(groupId) ? {} : { groupId };
}
