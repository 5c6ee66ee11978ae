// A batch of the worker's own queue: questions about orders that are due, and answers that could not be written. If a question fails, the
// order's lease brings it again. Only an answer's message is delivered again.
import type { SQSBatchResponse, SQSRecord } from 'aws-lambda';
import { errorFields, type LogFields, orderFields, recordFields } from '../log-fields.ts';
import { countedGateway, countedOrders, createMetricsRecorder, type MetricsRecorder } from '../metrics-recorder.ts';
import { matchAccount } from '../order/account.ts';
import { namesOfKey } from '../order/order.ts';
import { resultDue } from '../order/record.ts';
import { contractOf } from '../order/time.ts';
import { viewOf } from '../order/projection.ts';
import type { Log, Metrics, Results } from '../ports.ts';
import type { Result } from '../message/result.ts';
import { publish } from '../publish.ts';
import { createOutbox, type Outbox, runRecords } from '../run-records.ts';
import { type AttemptAnswer, writeAnswer } from '../submit/write-answer.ts';
import { broughtForward, type ForwardPorts } from '../wait/park.ts';
import { type CheckEnd, inquireOrder, type InquirePorts } from './inquire-order.ts';
import { readOwnTask } from './own-queue.ts';

/** The ports of the batch. */
export interface OwnWorkPorts extends InquirePorts {
  readonly log: Log;
  readonly results: Results;
  readonly waiting: ForwardPorts['waiting'];
  readonly metrics: Metrics;
}

type CountedPorts = OwnWorkPorts & { readonly recorder: MetricsRecorder };

/** Works on all records of the own queue and answers Lambda. */
export async function runOwnWork(
  records: readonly SQSRecord[],
  deadlineMs: number,
  ports: OwnWorkPorts,
): Promise<SQSBatchResponse> {
  const { results, limits, log, metrics } = ports;
  const recorder = createMetricsRecorder();
  const outbox = createOutbox<Result>((entries) => results.send(entries));
  const counted: CountedPorts = {
    ...ports,
    recorder,
    orders: countedOrders(ports.orders, recorder),
    gateway: countedGateway(ports.gateway, recorder),
  };
  const response = await runRecords(records, {
    concurrency: limits.concurrency,
    work: (record) => workOn(record, deadlineMs, outbox, counted),
    failed: 'check-failed',
    flush: () => outbox.flush(),
    log,
  });
  await ports.pacing.settled();
  metrics.publish(recorder.taken());
  return response;
}

async function workOn(
  record: SQSRecord,
  deadlineMs: number,
  outbox: Outbox<Result>,
  ports: CountedPorts,
): Promise<() => Promise<boolean>> {
  const task = readOwnTask(record.body);
  if (!task) {
    // Newer code wrote it, or a stranger: in the end it is a dead letter of the queue.
    ports.log.write('warn', 'check-unreadable', { messageId: record.messageId });
    return async () => false;
  }
  const startedMs = ports.clock.nowMs();
  try {
    const end = task.kind === 'answer' ? await takeAnswer(task, ports) : await inquireOrder(task, deadlineMs, ports);
    if (end === 'again') return async () => false;
    if (end.finding === 'credentials-refused') ports.recorder.add('signatureRefusals');
    const level = end.finding === 'amount-differs' || end.finding === 'reversed' ? 'warn' : 'info';
    ports.log.write(level, 'check', { ...checkLine(record, end), durationMs: ports.clock.nowMs() - startedMs });
    await reportAccount(end, ports);
    return async () => {
      await carryOut(end, outbox, ports);
      return true;
    };
  } catch (error) {
    ports.log.write('error', 'check-failed', { messageId: record.messageId, ...errorFields(error) });
    // The index says when an order is due; an answer is known to this message alone.
    return async () => task.kind !== 'answer';
  }
}

/** An answer that its sender could not write in time. */
async function takeAnswer(answer: AttemptAnswer, ports: CountedPorts): Promise<CheckEnd | 'again'> {
  const { clock, credentials, limits } = ports;
  const secret = await credentials.of(namesOfKey(answer.key).merchant);
  const contract = secret.kind === 'credentials' ? contractOf(secret.credentials.profile) : undefined;
  const giveUpAtMs = clock.nowMs() + limits.settleReserveMs / 2;
  const written = await writeAnswer(answer, undefined, { contract, giveUpAtMs }, ports);
  if (written.kind !== 'written') return 'again';
  const { order } = written;
  return { order, result: resultDue(order) };
}

/** Logs at each inquiry that the account of an open order is no longer the secret's present one. */
async function reportAccount({ order, finding }: CheckEnd, { credentials, log }: OwnWorkPorts): Promise<void> {
  if (!order || finding === undefined) return;
  const { merchant, orderId } = order;
  const secret = await credentials.of(merchant);
  const { account, standing } = viewOf(order);
  if (secret.kind !== 'credentials' || account === undefined) return;
  const { kind } = matchAccount({ account, endpointId: order.content?.endpointId ?? '' }, secret.credentials);
  if (kind === 'present') return;
  log.write(kind === 'unknown' ? 'error' : 'warn', 'account-changed', { merchant, orderId, standing, finding: kind });
}

async function carryOut({ result, order }: CheckEnd, outbox: Outbox<Result>, ports: OwnWorkPorts): Promise<void> {
  if (!result || (order && !(await broughtForward(order.key, ports)))) return;
  await publish(result, order, outbox.add, ports);
}

/** The log line of a check. */
function checkLine(record: SQSRecord, { order, result, finding }: CheckEnd): LogFields {
  const view = order && viewOf(order);
  return { ...recordFields(record), ...orderFields(view, result, view?.failure), finding };
}
