// The jobs queue, the own queue and that of lines in virtual time, as SQS plays them: delays, visibility time-outs, receive counts, and
// the dead-letter queue after the last receive. The handlers' messages on the fake queues of a world are delivered to them.
import type { SQSRecord } from 'aws-lambda';
import { writeOwnTask } from '../../lib/payout/inquire/own-queue.ts';
import { runOwnWork } from '../../lib/payout/inquire/run-own-work.ts';
import { writeLineTask } from '../../lib/payout/waiting/lines-queue.ts';
import type { JobsPorts } from '../../lib/payout/submit/run-jobs.ts';
import { createPacing } from '../../lib/payout/lanes/pacing.ts';
import { aRecord } from './records.ts';
import type { World } from './world.ts';

/** The cost of one message, or of one order's checks. */
interface Cost {
  deliveries: number;
  logLines: number;
  /** The times of its deliveries. */
  readonly atMs: readonly number[];
}

/** Both queues. */
export interface QueuePlayer {
  /** A sender sends a job. */
  send(record: SQSRecord): void;
  /** Lets time pass; each full minute `eachMinute` runs. */
  pass(ms: number, eachMinute?: () => Promise<unknown>): Promise<void>;
  /** The costs by original message id, or order key; since `startCounting`. */
  costs(): ReadonlyMap<string, Cost>;
  startCounting(): void;
  /** Original ids of messages on the dead-letter queue, put there by the worker or by SQS. */
  deadLetters(): readonly string[];
  /** Original ids of the jobs that are on the queue. */
  waiting(): readonly string[];
}

interface Message {
  readonly record: SQSRecord;
  readonly of: 'jobs' | 'own' | 'lines';
  /** The key under which its cost is counted. */
  readonly key: string;
  receives: number;
  dueAtMs: number;
}

const visibilityMs = 550_000;
/** The receives of the own queue. */
const ownReceives = 5;
const minuteMs = 60_000;
const batchSize = 10;

/** Queues over the fakes of a world, worked on by so many processes in turn. */
export function createQueuePlayer(world: World, processes = 1): QueuePlayer {
  const { clock, jobsQueue, ownQueue, limits } = { ...world, limits: world.ports.limits };
  const messages = new Set<Message>();
  const movedBySqs: string[] = [];
  let costs = new Map<string, Cost>();

  const isSpent = ({ of, receives }: Message) => receives >= (of === 'jobs' ? limits.maxReceiveCount : ownReceives);

  function absorb(): void {
    for (const { message: word, dueAtMs } of world.linesQueue.taken.splice(0)) {
      const key = word.kind === 'line' ? `line ${word.lane.merchant}` : 'rows';
      messages.add({ record: aRecord(writeLineTask(word)), of: 'lines', key, receives: 0, dueAtMs });
    }
    for (const { message: word, dueAtMs } of ownQueue.taken.splice(0)) {
      const key = word.kind === 'check' ? word.key : `${word.key}, answered`;
      messages.add({ record: aRecord(writeOwnTask(word)), of: 'own', key, receives: 0, dueAtMs });
    }
  }

  function count({ key }: Message, logLines: number): void {
    const cost = costs.get(key) ?? { deliveries: 0, logLines: 0, atMs: [] };
    const atMs = [...cost.atMs, clock.nowMs()];
    costs.set(key, { deliveries: cost.deliveries + 1, logLines: cost.logLines + logLines, atMs });
  }

  function received(message: Message): SQSRecord {
    message.receives += 1;
    const { record, receives } = message;
    const attributes = { ...record.attributes, ApproximateReceiveCount: String(receives) };
    return { ...record, receiptHandle: `${record.messageId}#${receives}`, attributes };
  }

  // Each process has slots of its own.
  let ids = 0;
  const { lanes } = world.ports;
  const random = { id: () => `player-${(ids += 1)}` };
  const pacings = Array.from({ length: processes }, () => createPacing({ lanes, clock, random }));
  let turns = 0;
  function inTurn(): Partial<JobsPorts> {
    const pacing = pacings[(turns += 1) % pacings.length];
    return pacing && processes > 1 ? { pacing } : {};
  }

  async function worked(of: Message['of'], records: readonly SQSRecord[], deadlineMs: number): Promise<string[]> {
    switch (of) {
      case 'jobs':
        return world.deliver(records, undefined, inTurn());
      case 'own':
        return (await runOwnWork(records, deadlineMs, world.ports)).batchItemFailures.map((it) => it.itemIdentifier);
      case 'lines':
        for (const { body } of records) await world.deliverLine(body);
        return [];
    }
  }

  /** Delivers one batch at a time, of one queue; as each queue has functions of its own. */
  async function deliver(batch: readonly Message[]): Promise<void> {
    const records = batch.map(received);
    const receivedAtMs = clock.nowMs();
    const linesBefore = world.log.length;
    const deadlineMs = receivedAtMs + limits.functionTimeoutMs;
    const stays = await worked(batch[0]?.of ?? 'jobs', records, deadlineMs);
    for (const [place, message] of batch.entries()) {
      if (message.of !== 'lines') count(message, Math.ceil((world.log.length - linesBefore) / batch.length));
      if (!stays.includes(message.record.messageId)) messages.delete(message);
      const delaySeconds = jobsQueue.postponed.get(records[place]?.receiptHandle ?? '');
      message.dueAtMs = delaySeconds === undefined ? receivedAtMs + visibilityMs : clock.nowMs() + delaySeconds * 1000;
    }
    absorb();
  }

  async function deliverDue(): Promise<void> {
    absorb();
    for (const message of messages) {
      if (!isSpent(message) || message.dueAtMs > clock.nowMs()) continue;
      messages.delete(message);
      if (message.of === 'jobs') movedBySqs.push(message.key);
    }
    for (const of of ['jobs', 'own', 'lines'] as const) {
      const due = [...messages].filter((it) => it.dueAtMs <= clock.nowMs() && it.of === of);
      for (let at = 0; at < due.length; at += batchSize) await deliver(due.slice(at, at + batchSize));
    }
  }

  return {
    send: (record) =>
      void messages.add({ record, of: 'jobs', key: record.messageId, receives: 0, dueAtMs: clock.nowMs() }),
    async pass(ms, eachMinute = async () => {}) {
      const endMs = clock.nowMs() + ms;
      let minuteAtMs = clock.nowMs() + minuteMs;
      for (;;) {
        absorb();
        const nextMs = Math.min(minuteAtMs, ...[...messages].map(({ dueAtMs }) => dueAtMs));
        if (nextMs > endMs) break;
        clock.advanceTo(nextMs);
        if (nextMs >= minuteAtMs) {
          minuteAtMs = Math.max(minuteAtMs + minuteMs, clock.nowMs());
          await eachMinute();
        }
        await deliverDue();
      }
      clock.advanceTo(endMs);
    },
    costs: () => costs,
    startCounting: () => void (costs = new Map()),
    deadLetters: () => [...jobsQueue.deadLetters.taken.map(({ originMessageId }) => originMessageId), ...movedBySqs],
    waiting: () => [
      ...[...messages].filter(({ of }) => of === 'jobs').map(({ key }) => key),
      ...[...world.waitingRows.values()].map(({ messageId }) => messageId),
    ],
  };
}
