// THE END OF A DELIVERY: done, waits, or a dead letter. First its result is told (or its mark is in the ledger, which tells it
// later); only then it moves on, so that nothing is sent twice for an untold result. What waits shortly stays on SQS by its
// visibility time-out; what waits longer is kept in the table of what waits, and only then acknowledged. Card data in the clear
// is never kept: it waits by visibility alone. A row of the table ends the same way: it is removed, or it moves.
import type { SQSRecord } from 'aws-lambda';
import { holdsCardData } from '../../gateway/redact.ts';
import { cutBody, type CutBody } from '../message/card-fields.ts';
import { parseJob } from '../message/job.ts';
import { type Disposition, hasWaitedTooLong, type JobDelivery, waitedTooLong } from './disposition.ts';
import type { OwnMessage } from '../inquire/own-queue.ts';
import { sqsMaxDelaySeconds } from '../limits.ts';
import type { MetricsRecorder } from '../metrics-recorder.ts';
import { keepMark } from '../order/keep-mark.ts';
import type { DeadLetter, Log } from '../ports.ts';
import type { Result } from '../message/result.ts';
import { hiddenSeconds, isLastReceive, lastLookInSeconds, untoldSeconds } from '../retry-policy.ts';
import type { Outbox, RecordEnd } from '../run-records.ts';
import { keepWaiting, type KeepPorts } from '../waiting/keep-waiting.ts';
import type { JoinedRow, WaitingRow } from '../waiting/waiting-row.ts';
import { shortWaitSeconds, standsInLine, type WaitName } from '../waiting/waits.ts';
import type { SubmitPorts } from './submit-job.ts';

/** Where messages leave in tens. */
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

/** A delivery as it came, and what it says of its message. */
type Delivered = { readonly message: JobDelivery } & (
  | { readonly kind: 'message'; readonly record: SQSRecord }
  | { readonly kind: 'row'; readonly row: WaitingRow }
);

/** How it ended: it may go, or it comes again, in a line or not before a moment. */
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
  const end = await carriedOut(isLastLook ? keptElsewhere(chosen) : chosen, delivered, outboxes, ports);
  if (end.kind === 'done') return { kind: 'acknowledged' };
  if (chosen.kind === 'wait' && !isLastLook && (await isKept(end, delivered, outboxes, ports)))
    return { kind: 'acknowledged' };
  const seconds = hiddenSeconds({ ...message, delaySeconds: Math.min(end.delaySeconds, longestHidden(chosen)) });
  // In time for the last look.
  const delaySeconds = Math.max(isLastLook ? seconds : Math.min(seconds, leftSeconds), 1);
  return { kind: 'returned', receiptHandle: record.receiptHandle, delaySeconds };
}

/** What could not be kept, or may not be, comes again within a quarter of an hour; a result that could not be told, later and later. */
const longestHidden = ({ kind }: Disposition) => (kind === 'wait' ? sqsMaxDelaySeconds : Infinity);

/** Ends a delivery of a row of the table: it is removed once nothing more is to be done with it, and not before. */
export async function endRow(
  chosen: Disposition,
  delivered: Delivered & { kind: 'row' },
  outboxes: Outboxes,
  ports: EndPorts,
): Promise<void> {
  const { row, message } = delivered;
  const isOver = chosen.kind !== 'done' && hasWaitedTooLong(message, ports);
  const end = await carriedOut(isOver ? keptElsewhere(chosen) : chosen, delivered, outboxes, ports);
  if (end.kind === 'done') {
    await ports.waiting.rows.remove(row);
    return;
  }
  const { because } = end;
  // It keeps its place in the line.
  if (standsInLine(because) && row.goAtMs <= ports.clock.nowMs()) {
    outboxes.joined({ ...row, because });
    return;
  }
  const goAtMs = ports.clock.nowMs() + (standsInLine(because) ? 0 : end.delaySeconds * 1000);
  if (await ports.waiting.rows.move(row, { goAtMs, because })) outboxes.joined({ ...row, goAtMs, because });
}

/** True once it lies in the table; false where it stays on SQS. */
async function isKept(
  { because, delaySeconds }: DeliveryEnd & { kind: 'again' },
  { record, message }: Delivered & { kind: 'message' },
  { joined }: Outboxes,
  ports: EndPorts,
): Promise<boolean> {
  const parsed = parseJob(message.body);
  if (parsed.kind !== 'job' || because === 'answer' || because === 'not-kept') return false;
  const { job } = parsed;
  const shortly = shortWaitSeconds[job.batchId === undefined ? 'urgent' : 'row'];
  // Who comes again and again to a lane that has no slot for it stands in its line instead.
  const isShort =
    delaySeconds <= shortly && !(standsInLine(because) && (job.batchId !== undefined || message.waits > 1));
  if (isShort || cutBody(message.body).cut) return false;
  const goAtMs = ports.clock.nowMs() + (standsInLine(because) ? 0 : delaySeconds * 1000);
  const kept = await keepWaiting({ job, message, goAtMs, because, ...groupOf(record) }, ports);
  if (kept.kind !== 'put') return false;
  joined(kept.row);
  return true;
}

async function carriedOut(
  disposition: Disposition,
  delivered: Delivered,
  outboxes: Outboxes,
  ports: EndPorts,
): Promise<DeliveryEnd> {
  const { message } = delivered;
  if (disposition.kind === 'retry') {
    const lastWord = cutAtLast(disposition, message, ports);
    if (lastWord) return layAside(lastWord, delivered, outboxes, ports);
    return { kind: 'again', delaySeconds: disposition.delaySeconds, because: 'not-kept' };
  }
  const isSafe = await tellOrMark(disposition, outboxes, ports);
  if (!isSafe && !mustLeave(disposition, message, ports)) return untold(message, ports);
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

const untold = ({ waits }: JobDelivery, { limits }: EndPorts): DeliveryEnd => ({
  kind: 'again',
  delaySeconds: untoldSeconds(waits + 1, limits),
  because: 'answer',
});

/** What has waited for as long as anything may is a dead letter; an answer that is still to be written goes its way first. */
function keptElsewhere(chosen: Disposition): Disposition {
  if (chosen.kind !== 'retry' && chosen.kind !== 'wait') return chosen;
  if (chosen.kind === 'wait' && chosen.answer) return chosen;
  const { failure, result, order } = chosen;
  const told = { ...(result && { result }), ...(order && { order }) };
  return { kind: 'dead-letter', reason: waitedTooLong(failure), ...told };
}

type DeadEnd = Extract<Moving, { kind: 'dead-letter' }>;

/** Into the dead-letter queue. */
async function layAside(end: DeadEnd, delivered: Delivered, outboxes: Outboxes, ports: EndPorts): Promise<DeliveryEnd> {
  const { message } = delivered;
  const looks = message.waits + 1;
  // What got no answer may lie there already: it is laid down at some looks, and late at each, but hours apart.
  const isLate = looks > 8;
  const delaySeconds = untoldSeconds(looks, ports.limits) * (isLate ? 16 : 1);
  const isLast = isLastReceive(message, ports.limits) || isAtItsEnd(delivered, ports);
  const again: DeliveryEnd = { kind: 'again', delaySeconds, because: 'answer' };
  if (![1, 2, 4, 8].includes(looks) && !isLate && !isLast && !message.isKept) return again;
  const clean = cutBody(message.body, end);
  return (await outboxes.deadLetters.add(deadLetterOf(end, clean, delivered, ports))) ? { kind: 'done' } : again;
}

const isAtItsEnd = ({ kind, message }: Delivered, ports: EndPorts): boolean =>
  kind === 'message' && secondsLeft(message, ports) <= 0;

/** Until the last look before SQS forgets it; what came so late that SQS had forgotten it already has all of its time. */
const secondsLeft = ({ sentAtMs }: JobDelivery, { clock }: EndPorts): number =>
  sentAtMs === undefined ? Infinity : lastLookInSeconds(sentAtMs, clock.nowMs());

/** SQS's own way to the dead-letter queue would take a message with card data there whole, so it never comes to that. */
function cutAtLast(
  { failure }: Extract<Disposition, { kind: 'retry' }>,
  message: JobDelivery,
  { limits }: EndPorts,
): DeadEnd | undefined {
  if (!isLastReceive(message, limits) || !cutBody(message.body).cut) return undefined;
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
function mustLeave(disposition: Moving, message: JobDelivery, { limits }: EndPorts): boolean {
  if (disposition.kind !== 'dead-letter') return false;
  const { cut, tooLong = false } = cutBody(message.body, disposition);
  return tooLong || (cut && isLastReceive(message, limits));
}

function deadLetterOf(end: DeadEnd, clean: CutBody, delivered: Delivered, { recorder }: EndPorts): DeadLetter {
  const [{ reason, order }, { messageId, redrives }] = [end, delivered.message];
  // A message that became an order was let in by its merchant's profile.
  if (clean.cut && !clean.tooLong && !order) recorder.add('plainCardDataRefused');
  const group = delivered.kind === 'row' ? delivered.row : groupOf(delivered.record);
  return {
    body: clean.body,
    reason,
    originMessageId: messageId,
    ...(redrives !== undefined && { redrives }),
    ...(group.groupId !== undefined && { groupId: group.groupId }),
  };
}

function groupOf({ attributes: { MessageGroupId: groupId } }: SQSRecord): { readonly groupId?: string } {
  return groupId === undefined || holdsCardData(groupId) ? {} : { groupId };
}
