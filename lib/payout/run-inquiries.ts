// A batch of the checks queue. What a check has to make sure of it has written to the ledger before it ends: a result that
// could not be told keeps its mark, a check that got lost or could not begin is the sweeper's. So only a reason to ask that
// nobody else knows comes back, and no check is there more often than it was sent.
import type { SQSBatchResponse, SQSRecord } from 'aws-lambda';
import * as v from 'valibot';
import type { Result } from './result.ts';
import type { CheckEnd, InquirePorts } from './ask-gateway.ts';
import { matchAccount } from '../gateway/signed-request.ts';
import { inquireOrder } from './inquire-order.ts';
import { createOutbox, keepMark, type Outbox, type RecordEnd, runRecords } from './run-records.ts';
import type { Check, ChecksQueue } from './due-work.ts';
import { type LedgerEntry, isAskedAbout } from './ledger.ts';
import type { Log, Metrics, Results } from './ports.ts';
import { errorFields, type LogFields, orderFields, recordFields } from './log-fields.ts';
import { countedLedger, createMetricsRecorder, type MetricsRecorder, timedGateway } from './metrics-recorder.ts';

/** All that a batch of checks needs. */
export interface ChecksBatchPorts extends InquirePorts {
  readonly log: Log;
  readonly results: Results;
  readonly checksQueue: ChecksQueue;
  readonly metrics: Metrics;
}

type CountedPorts = ChecksBatchPorts & { readonly recorder: MetricsRecorder };

interface Outboxes {
  readonly results: Outbox<Result>;
  readonly checks: Outbox<{ readonly check: Check; readonly delaySeconds: number }>;
}

const checkSchema = v.object({
  version: v.literal(1),
  orderKey: v.pipe(v.string(), v.nonEmpty()),
  inquiries: v.pipe(v.number(), v.integer(), v.minValue(0)),
  now: v.exactOptional(v.literal(true)),
  callback: v.exactOptional(v.record(v.string(), v.string())),
});

/** After a look that the ledger could not take. */
const againSeconds = 30;

/** Works on all records of the checks queue and answers Lambda. */
export async function runChecks(
  records: readonly SQSRecord[],
  deadlineMs: number,
  ports: ChecksBatchPorts,
): Promise<SQSBatchResponse> {
  const { results, checksQueue, limits, log, metrics } = ports;
  const recorder = createMetricsRecorder();
  const onRefused = (entries: number) => recorder.add('queueRefusals', entries);
  const outboxes: Outboxes = {
    results: createOutbox((entries) => results.send(entries), { onRefused }),
    // A check that got lost is the sweeper's; one that is there twice would be two for ever.
    checks: createOutbox((entries) => checksQueue.send(entries), { onRefused, mayBeThereTwice: () => false }),
  };
  const counted: ChecksBatchPorts = {
    ...ports,
    ledger: countedLedger(ports.ledger, recorder),
    gateway: timedGateway(ports.gateway, 'inquiryLatencyMs', { recorder, clock: ports.clock }),
  };
  const response = await runRecords(records, {
    concurrency: limits.concurrency,
    work: (record) => workOn(record, deadlineMs, outboxes, { ...counted, recorder }),
    flush: () => {
      for (const outbox of Object.values(outboxes)) outbox.flush();
    },
    // A check that could not be carried out comes again after the queue's own visibility time-out.
    postpone: async () => {},
    log,
  });
  await ports.pacing.settled();
  metrics.publish(recorder.taken());
  return response;
}

async function workOn(
  record: SQSRecord,
  deadlineMs: number,
  outboxes: Outboxes,
  ports: CountedPorts,
): Promise<() => Promise<RecordEnd>> {
  const returned: RecordEnd = { kind: 'returned', receiptHandle: record.receiptHandle, delaySeconds: againSeconds };
  const check = checkOf(record.body);
  if (!check) {
    // The queue is ours alone; what is no check says nothing about any order, and the sweeper finds them all.
    ports.log.write('warn', 'check-unreadable', { messageId: record.messageId });
    return async () => ({ kind: 'acknowledged' });
  }
  // Only what the ledger does not know comes back: of all else it says when it is due, and the sweeper sends it anew then.
  const notNow: RecordEnd = check.now || check.callback ? returned : { kind: 'acknowledged' };
  const startedMs = ports.clock.nowMs();
  try {
    const end = await inquireOrder(check, deadlineMs, ports);
    if (end.finding === 'credentials-refused') ports.recorder.failed({ code: 'AUTHENTICATION' });
    const durationMs = ports.clock.nowMs() - startedMs;
    const level = end.finding === 'amount-differs' || end.finding === 'reversed' ? 'warn' : 'info';
    ports.log.write(end.contradicted ? 'error' : level, 'check', { ...checkLine(record, end), durationMs });
    tellSurprise(check, end, ports);
    await tellAccount(end, ports);
    if (end.comesBack) return async () => notNow;
    return async () => ((await carryOut(end, outboxes, ports)) ? { kind: 'acknowledged' } : returned);
  } catch (error) {
    ports.log.write('error', 'check-failed', { messageId: record.messageId, ...errorFields(error) });
    return async () => notNow;
  }
}

/** The secret has moved on from the account of an open order: told at each look, so that the alarm lasts as long. */
async function tellAccount({ entry, finding }: CheckEnd, { credentials, log, recorder }: CountedPorts): Promise<void> {
  if (!entry || finding === undefined) return;
  const answer = await credentials.of(entry.merchant);
  if (answer.kind === 'unavailable') return;
  const { kind } = matchAccount(entry, answer.credentials);
  if (kind === 'present') return;
  const { merchant, orderId, state } = entry;
  if (kind === 'unknown') recorder.add('accountUnknown');
  log.write(kind === 'unknown' ? 'error' : 'warn', 'account-changed', { merchant, orderId, state, finding: kind });
}

/** A callback that was no plain news; what contradicts may be the proof of a double payment, and wakes a person. */
function tellSurprise({ orderKey }: Check, { surprise, entry }: CheckEnd, { log, recorder }: CountedPorts): void {
  if (!surprise) return;
  const [merchant = '', orderId = ''] = [
    orderKey.slice(0, orderKey.indexOf('/')),
    orderKey.slice(orderKey.indexOf('/') + 1),
  ];
  recorder.add(surprise === 'contradicts' ? 'callbackContradictions' : 'callbackSurprises');
  const level = surprise === 'contradicts' ? 'error' : 'warn';
  log.write(level, 'callback-surprise', { merchant, orderId, finding: surprise, ...(entry && { state: entry.state }) });
}

/** False where the check is the only one to know a reason to ask, or a surprise, and could not hand it on. */
async function carryOut(end: CheckEnd, outboxes: Outboxes, ports: ChecksBatchPorts): Promise<boolean> {
  const { result, entry, next, word } = end;
  const [told, asked] = await Promise.all([
    result ? outboxes.results.add(result) : true,
    next ? outboxes.checks.add(next) : true,
  ]);
  if (result) await keepMark(entry, told, ports);
  // An open order is asked about by its own chain, whatever became of a reason to do so sooner.
  if (next?.check.now && !asked && !(entry && isAskedAbout(entry))) return false;
  return word === undefined || !entry ? true : isKept(entry, word, ports);
}

async function isKept(entry: LedgerEntry, word: string, { ledger, log }: ChecksBatchPorts): Promise<boolean> {
  try {
    await ledger.recordSurprise(entry.key, word);
    return true;
  } catch (error) {
    log.write('error', 'mark-failed', { merchant: entry.merchant, orderId: entry.orderId, ...errorFields(error) });
    return false;
  }
}

function checkOf(body: string): Check | undefined {
  try {
    const read = v.safeParse(checkSchema, JSON.parse(body));
    return read.success ? read.output : undefined;
  } catch {
    return undefined;
  }
}

/** The line of a check. */
function checkLine(record: SQSRecord, { entry, result, finding, next }: CheckEnd): LogFields {
  return {
    ...recordFields(record),
    ...orderFields(entry, result, entry?.failure),
    ...(finding && { finding }),
    ...(next && { delaySeconds: next.delaySeconds }),
  };
}
